// A log whose reader has stopped: nobody waits for it, and what is lost is counted.
#include "runtime/log/journal_socket.hpp"
#include "runtime/log/log_output.hpp"
#include "runtime/log/log_sinks.hpp"

#include "support/catch.hpp"
#include "support/temp_directory.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <optional>
#include <regex>
#include <sstream>
#include <thread>

namespace shelfd {
namespace {

constexpr int too_many = 20'000;  // more than a pipe and the queue hold

// Both ends of something that can be full; the log writes to the first.
struct Ends {
    int write = -1;
    int read = -1;
    Ends() = default;
    Ends(const Ends&) = delete;
    Ends& operator=(const Ends&) = delete;
    ~Ends()
    {
        shut();
        close(read);
    }
    void shut()
    {
        if (write >= 0) {
            close(std::exchange(write, -1));
        }
    }
};

void open_pipe(Ends& ends)
{
    std::array<int, 2> both{};
    REQUIRE(pipe2(both.data(), O_CLOEXEC) == 0);
    ends.read = both[0];
    ends.write = both[1];
    REQUIRE(fcntl(ends.write, F_SETPIPE_SZ, 4096) >= 4096);
}

void open_stream_socket(Ends& ends)
{
    std::array<int, 2> both{};
    REQUIRE(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, both.data()) == 0);
    ends.read = both[0];
    ends.write = both[1];
}

// What comes until `happened`, or until nothing comes for ten seconds.
template <typename Happened>
std::string read_until(int descriptor, const Happened& happened)
{
    std::string text;
    std::array<char, 65536> piece{};
    pollfd readable{descriptor, POLLIN, 0};
    while (!happened(text) && poll(&readable, 1, 10'000) > 0) {
        const auto count = read(descriptor, piece.data(), piece.size());
        if (count <= 0) {
            break;
        }
        text.append(piece.data(), static_cast<std::size_t>(count));
    }
    return text;
}

// Lines numbered from 0 on, then how many were lost, then "after"; all of them are accounted for.
void check_told(const std::string& text)
{
    std::istringstream lines(text);
    std::string line;
    const std::regex number("line ([0-9]+)"), loss("([0-9]+) lines of this log were lost");
    std::smatch found;
    int next = 0;
    bool after = false;
    while (std::getline(lines, line)) {
        CHECK_FALSE(after);
        if (std::regex_search(line, found, number)) {
            REQUIRE(std::stoi(found[1]) == next);
            ++next;
        } else if (std::regex_search(line, found, loss)) {
            CHECK(next > 1000);
            next += std::stoi(found[1]);
        } else {
            CHECK(line.find("after") != line.npos);
            after = true;
        }
    }
    CHECK(next == too_many);
    CHECK(after);
}

bool told_loss(const std::string& text)
{
    return text.find("were lost") != text.npos && text.back() == '\n';
}

}  // namespace

TEST_CASE("a log that nobody reads holds nobody up, keeps its order, and says how many lines were lost")
{
    const auto open = GENERATE(open_pipe, open_stream_socket);
    Ends ends;
    open(ends);
    const int flags = fcntl(ends.write, F_GETFL);
    std::string text;
    {
        const Log log(text_sink(ends.write));
        for (int i = 0; i < too_many; ++i) {
            log.info(fmt::format("line {}", i));
        }
        // Who else writes there has what he had.
        CHECK(fcntl(ends.write, F_GETFL) == flags);
        text = read_until(ends.read, told_loss);
        log.info("after");
    }
    ends.shut();
    text += read_until(ends.read, [](const std::string&) { return false; });
    check_told(text);
}

TEST_CASE("the end of a log that nobody reads comes all the same")
{
    Ends ends;
    open_pipe(ends);
    {
        const Log log(json_sink(ends.write));
        for (int i = 0; i < 1000; ++i) {
            log.info(std::string(100, 'x'));
        }
    }
    ends.shut();
    const auto text = read_until(ends.read, [](const std::string&) { return false; });
    CHECK(text.size() >= 4096 - 200);
    CHECK(text.size() < 16384);
}

TEST_CASE("what waits at the end of a log is given to a reader that comes back")
{
    Ends ends;
    open_pipe(ends);
    std::string text;
    {
        std::optional<Log> log = Log(text_sink(ends.write));
        for (int i = 0; i < 1000; ++i) {
            log->info(fmt::format("line {}", i));
        }
        text = read_until(ends.read, [](const std::string& some) { return some.find("line 10\n") != some.npos; });
        std::thread reader([&] {
            text += read_until(ends.read, [](const std::string& some) { return some.find("line 999\n") != some.npos; });
        });
        log.reset();
        reader.join();
    }
    CHECK(text.find("line 998\n") != text.npos);
    CHECK(text.find("line 999\n") != text.npos);
}

TEST_CASE("a journal that stands holds nobody up either, and gets whole entries")
{
    TempDirectory directory;
    const auto path = directory / "journal";
    Ends ends;
    ends.read = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, sizeof address.sun_path - 1);
    REQUIRE(bind(ends.read, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);

    const Log log(journal_sink(path), LogLevel::info);
    const std::array<LogField, 2> fields = {LogField{"library", "antwerp"}, LogField{"reason", "one\ntwo"}};
    log.write(LogLevel::warning, "first", fields);
    for (int i = 0; i < too_many; ++i) {
        log.info(fmt::format("line {}", i));
    }
    std::array<char, 4096> entry{};
    auto count = recv(ends.read, entry.data(), entry.size(), 0);
    REQUIRE(count > 0);
    using namespace std::string_literals;
    CHECK(std::string(entry.data(), static_cast<std::size_t>(count)) ==
          "MESSAGE=first\nPRIORITY=4\nSYSLOG_IDENTIFIER=shelfd\nSHELFD_LIBRARY=antwerp\nSHELFD_REASON\n"s +
              "\x07\0\0\0\0\0\0\0one\ntwo\n"s);
    int next = 0, lost = 0;
    const std::regex loss("^MESSAGE=([0-9]+) lines of this log were lost");
    std::smatch found;
    for (bool told = false; !told; ++next) {
        pollfd readable{ends.read, POLLIN, 0};
        REQUIRE(poll(&readable, 1, 10'000) > 0);
        count = recv(ends.read, entry.data(), entry.size(), 0);
        REQUIRE(count > 0);
        const std::string text(entry.data(), static_cast<std::size_t>(count));
        told = std::regex_search(text, found, loss);
        if (told) {
            lost = std::stoi(found[1]);
        } else {
            REQUIRE(text.find(fmt::format("MESSAGE=line {}\n", next)) == 0);
        }
    }
    CHECK(next - 1 + lost == too_many);
}

TEST_CASE("values that are too long for an entry are cut, not the entry lost")
{
    std::string entry;
    for (const auto* key : {"A", "B", "C", "D", "E", "F"}) {
        add_journal_field(entry, key, std::string(1u << 20, 'x'));
    }
    CHECK(entry.size() < (170u << 10));
    CHECK(entry.find("\nF=\n") != entry.npos);
}

TEST_CASE("another format takes effect at once, on every copy")
{
    Ends ends;
    open_pipe(ends);
    LogOutput output(LogFormat::text, ends.write);
    const Log log([&output](const LogRecord& record) { output.write(record); });
    const Log copy = log;
    copy.info("plain");
    output.set_format(LogFormat::json);
    copy.info("braced");
    const auto text = read_until(ends.read, [](const std::string& some) { return some.find('}') != some.npos; });
    CHECK(std::regex_search(text, std::regex("Z info plain\n\\{.*\"message\":\"braced\"\\}\n")));
}

}  // namespace shelfd
