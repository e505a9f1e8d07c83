#include "ctl/screen/output_check.hpp"

#include "support/catch.hpp"
#include "support/temp_directory.hpp"

#include <string>

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

namespace shelfd::ctl {
namespace {

// Closes a descriptor at the end of a test.
struct Descriptor {
    int number;
    explicit Descriptor(int opened) : number(opened) { REQUIRE(number >= 0); }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    ~Descriptor() { close(); }
    void close()
    {
        if (number >= 0) {
            ::close(number);
        }
        number = -1;
    }
};

std::string refusal(int descriptor)
{
    const auto checked = check_output(descriptor);
    return checked ? "" : checked.error().text();
}

TEST_CASE("an output that would lose what is written to it is refused before, with the reason")
{
    TempDirectory directory;
    const auto file = directory / "out";
    CHECK(refusal(-1).find("it is closed") != std::string::npos);
    const Descriptor full(::open("/dev/full", O_WRONLY | O_CLOEXEC));
    CHECK(refusal(full.number).find("a device that keeps nothing") != std::string::npos);
    const Descriptor none(::open("/dev/null", O_WRONLY | O_CLOEXEC));
    CHECK(refusal(none.number).find("a device that keeps nothing") != std::string::npos);
    const Descriptor written(::open(file.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
    CHECK(refusal(written.number).empty());
    const Descriptor read(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
    CHECK(refusal(read.number).find("for reading only") != std::string::npos);
    CHECK(check_output(read.number).error().kind() == ErrorKind::storage);
}

TEST_CASE("a pipe is an output as long as somebody reads it")
{
    int ends[2];
    REQUIRE(::pipe2(ends, O_CLOEXEC) == 0);
    Descriptor reader(ends[0]);
    const Descriptor writer(ends[1]);
    CHECK(refusal(writer.number).empty());
    reader.close();
    CHECK(refusal(writer.number).find("nobody reads it") != std::string::npos);
}

TEST_CASE("a file that may not grow is no output")
{
    TempDirectory directory;
    const Descriptor file(::open((directory / "out").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
    rlimit before{};
    REQUIRE(::getrlimit(RLIMIT_FSIZE, &before) == 0);
    auto small = before;
    small.rlim_cur = 4096;
    REQUIRE(::setrlimit(RLIMIT_FSIZE, &small) == 0);
    const auto why = refusal(file.number);
    REQUIRE(::setrlimit(RLIMIT_FSIZE, &before) == 0);
    CHECK(why.find("files may have 4096 bytes") != std::string::npos);
}

}  // namespace
}  // namespace shelfd::ctl
