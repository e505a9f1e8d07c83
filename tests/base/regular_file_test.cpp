#include "base/regular_file.hpp"

#include "support/catch.hpp"
#include "support/temp_directory.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <string>

namespace shelfd {
namespace {

constexpr std::size_t kib = 1'024;

std::string error_of(const std::string& path)
{
    const auto text = read_regular_file(path, kib);
    return text ? "" : text.error().text();
}

std::string writers_error(const std::string& path, Owner owner)
{
    const auto file = open_regular_file(path);
    REQUIRE(file);
    const auto checked = check_writers(*file, path, owner);
    return checked ? "" : checked.error().text();
}

}  // namespace

TEST_CASE("a file is read whole up to its bound, and refused beyond it")
{
    const TempDirectory directory;
    const auto path = directory / "file";
    for (const std::size_t size : {std::size_t{0}, std::size_t{1}, kib}) {
        write_file(path, std::string(size, 'x'));
        const auto text = read_regular_file(path, kib);
        REQUIRE(text);
        CHECK(text->size() == size);
    }
    write_file(path, std::string(kib + 1, 'x'));
    CHECK(error_of(path) == "it is larger than 1 KiB");
    std::string begun = "before ";
    const auto file = open_regular_file(path);
    REQUIRE(file);
    REQUIRE(read_all(*file, begun, 2 * kib));
    CHECK(begun == "before " + std::string(kib + 1, 'x'));
}

TEST_CASE("bytes are written whole at their place, and errno says why they could not be")
{
    const TempDirectory directory;
    const auto path = directory / "file";
    write_file(path, "0123456789");
    {
        const auto file = open_regular_file(path, O_RDWR);
        REQUIRE(file);
        CHECK(write_all(*file, "ab", 2));
        CHECK(write_all(*file, "", 5));
        CHECK(write_all(*file, "end", 9));
        CHECK(::lseek(file->get(), 0, SEEK_CUR) == 0);
    }
    CHECK(read_regular_file(path, kib).value_or("") == "01ab45678end");
    const auto readable = open_regular_file(path);
    REQUIRE(readable);
    const bool is_written = write_all(*readable, "x", 0);
    const int number = errno;
    CHECK_FALSE(is_written);
    CHECK(number == EBADF);
}

TEST_CASE("a pipe, a device, a socket and a directory are refused at once, for reading and for writing")
{
    const TempDirectory directory;
    const auto pipe = directory / "pipe";
    REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
    CHECK(error_of(pipe) == "it is not a regular file");
    const auto written = open_regular_file(pipe, O_WRONLY | O_CREAT, 0600);
    REQUIRE_FALSE(written);
    CHECK(written.error().text() == "it is not a regular file");
    CHECK_FALSE(open_regular_file(pipe, O_RDWR));
    CHECK(error_of("/dev/zero") == "it is not a regular file");
    CHECK(error_of(directory.path()) == "Is a directory");
    const auto absent = read_regular_file(directory / "absent", kib);
    REQUIRE_FALSE(absent);
    CHECK(absent.error().system_errno == ENOENT);
}

TEST_CASE("files of /proc, which say that they are empty, are read")
{
    const auto text = read_regular_file("/proc/self/status", 64 * kib);
    REQUIRE(text);
    CHECK(text->find("Pid:") != std::string::npos);
    CHECK(error_of("/proc/self/status") == "it is larger than 1 KiB");
}

TEST_CASE("a file that others may change is refused with the command that mends it")
{
    const TempDirectory directory;
    const auto path = directory / "file";
    for (const unsigned mode : {0600u, 0640u, 0644u, 0755u}) {
        write_file(path, "x", mode);
        CHECK(writers_error(path, Owner::root_or_us) == "");
    }
    for (const unsigned mode : {0620u, 0602u, 0666u}) {
        write_file(path, "x", mode);
        CHECK(writers_error(path, Owner::anybody).find("chmod go-w " + path) != std::string::npos);
    }
    if (::geteuid() != 0) {
        WARN("owners were not tried: only root gives files away");
        return;
    }
    write_file(path, "x", 0600);
    REQUIRE(::chown(path.c_str(), 12'345, 0) == 0);
    CHECK(writers_error(path, Owner::anybody) == "");
    CHECK(writers_error(path, Owner::root_or_us).find("belongs to user 12345") != std::string::npos);
    CHECK(writers_error(path, Owner::root_or_us).find("chown root " + path) != std::string::npos);
}

}  // namespace shelfd
