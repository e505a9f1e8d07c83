#include "runtime/log/log.hpp"

#include "support/catch.hpp"
#include "support/temp_directory.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

namespace shelfd {
namespace {

// What is written to standard error while it lives.
class CapturedErrors {
public:
    CapturedErrors() : saved_(dup(STDERR_FILENO))
    {
        const int file = ::open((directory_ / "err").c_str(), O_RDWR | O_CREAT | O_APPEND, 0600);
        dup2(file, STDERR_FILENO);
        close(file);
    }
    CapturedErrors(const CapturedErrors&) = delete;
    CapturedErrors& operator=(const CapturedErrors&) = delete;
    ~CapturedErrors()
    {
        dup2(saved_, STDERR_FILENO);
        close(saved_);
    }
    std::string text() const { return read_file(directory_ / "err"); }

private:
    TempDirectory directory_;
    int saved_;
};

const std::string evil = "one\ntwo\r\x1b[2J\x7f\t\xc2\x9b"
                         "31m";

// Control characters as a terminal sees them: C0, DEL, and C1 in UTF-8.
bool can_disturb(const std::string& line)
{
    for (std::size_t i = 0; i < line.size(); ++i) {
        const auto byte = static_cast<unsigned char>(line[i]);
        const auto next = i + 1 < line.size() ? static_cast<unsigned char>(line[i + 1]) : 0u;
        if (byte < 0x20 || byte == 0x7f || (byte == 0xc2 && next >= 0x80 && next < 0xa0)) {
            return true;
        }
    }
    return false;
}

std::string written(LogFormat format, const std::string& message, const std::string& value)
{
    const CapturedErrors errors;
    const auto log = Log::open(format, LogLevel::info);
    log.debug("not seen");
    log.warning(message, {{"library", value}, {"run_id", "7"}});
    return errors.text();
}

}  // namespace

TEST_CASE("a line of text has the time, the level, the message and the fields")
{
    const auto line = written(LogFormat::text, "the pass failed", "antwerp");
    CHECK(line.substr(24) == " warning the pass failed library=antwerp run_id=7\n");
    CHECK(line.substr(10, 1) == "T");
    CHECK(line.substr(23, 1) == "Z");
}

TEST_CASE("a JSON line is one object with the same in it")
{
    const auto line = written(LogFormat::json, "said \"no\" \\", "antwerp");
    const std::string tail =
        "Z\",\"level\":\"warning\",\"message\":\"said \\\"no\\\" \\\\\",\"library\":\"antwerp\",\"run_id\":\"7\"}\n";
    CHECK(line.substr(0, 9) == "{\"time\":\"");
    CHECK(line.substr(line.size() - tail.size()) == tail);
}

TEST_CASE("control characters break no line and move no cursor, in the message and in values")
{
    for (const auto format : {LogFormat::text, LogFormat::json}) {
        auto line = written(format, evil, evil);
        REQUIRE(line.back() == '\n');
        line.pop_back();
        CHECK(!can_disturb(line));
        CHECK(line.find("two") != std::string::npos);
    }
}

TEST_CASE("a JSON line stays UTF-8 whatever bytes it is given")
{
    const auto line =
        written(LogFormat::json, "caf\xc3\xa9 \xff \xc3 \xe2\x82\xac \xed\xa0\x80 \xf0\x9f\x93\x9a", "\xc3");
    CHECK(line.find("caf\xc3\xa9 \\ufffd \\ufffd \xe2\x82\xac ") != std::string::npos);
    CHECK(line.find("\xf0\x9f\x93\x9a") != std::string::npos);
    CHECK(line.find('\xff') == std::string::npos);
    CHECK(line.find("\xed\xa0") == std::string::npos);
    CHECK(line.find("\"library\":\"\\ufffd\"") != std::string::npos);
}

TEST_CASE("the lowest level is set for every copy at once")
{
    std::vector<std::string> seen;
    const auto sink = [&seen](const LogRecord& record) {
        seen.push_back(fmt::format("{} {} {}", to_string(record.level), record.message, record.fields.size()));
    };
    Log log(sink, LogLevel::warning);
    const Log copy = log;
    copy.info("quiet");
    log.set_lowest(LogLevel::debug);
    copy.debug("loud", {{"a", "1"}});
    copy.error("louder");
    CHECK(seen == std::vector<std::string>{"debug loud 1", "error louder 0"});
}

TEST_CASE("the journal is chosen only when standard error is its stream")
{
    const CapturedErrors errors;
    struct stat status {};
    REQUIRE(fstat(STDERR_FILENO, &status) == 0);
    const auto ours = fmt::format("{}:{}", status.st_dev, status.st_ino);
    CHECK(choose_log_format(ours.c_str()) == LogFormat::journal);
    CHECK(choose_log_format("9:9") == LogFormat::text);
    CHECK(choose_log_format(nullptr) == LogFormat::text);
}

}  // namespace shelfd
