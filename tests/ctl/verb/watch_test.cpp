// `shelfctl status --watch` as a process on a real terminal.
#include "control/api/reply_json.hpp"
#include "control/causes/cause_finder.hpp"
#include "control/sample_status.hpp"
#include "ctl/socket_server.hpp"
#include "support/catch.hpp"
#include "support/temp_directory.hpp"

#include <fmt/format.h>

#include <array>
#include <cctype>
#include <csignal>
#include <string>
#include <vector>

#include <poll.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

namespace shelfd::ctl {
namespace {

constexpr std::size_t columns = 80;
constexpr std::size_t rows = 24;

// As much of a terminal as the output needs: it wraps, scrolls, moves the cursor home and erases.
class Screen {
public:
    void write(std::string_view text)
    {
        for (std::size_t i = 0; i < text.size(); ++i) {
            if (text[i] == '\x1b' && i + 1 < text.size() && text[i + 1] == '[') {
                auto end = i + 2;
                while (end < text.size() && std::isalpha(static_cast<unsigned char>(text[end])) == 0) {
                    ++end;
                }
                control(text[std::min(end, text.size() - 1)]);
                i = end;
            } else {
                put(text[i]);
            }
        }
    }
    const std::vector<std::string>& lines() const { return lines_; }
    std::size_t scrolled() const { return scrolled_; }
    std::size_t frames() const { return frames_; }

private:
    void control(char code)
    {
        if (code == 'H') {
            row_ = column_ = 0;
            ++frames_;
        } else if (code == 'K') {
            lines_[row_].resize(column_);
        } else if (code == 'J') {
            lines_[row_].resize(column_);
            for (auto below = row_ + 1; below < rows; ++below) {
                lines_[below].clear();
            }
        }
    }
    void put(char c)
    {
        if (c == '\r') {
            column_ = 0;
        } else if (c == '\n') {
            next_line();
        } else if ((static_cast<unsigned char>(c) & 0xc0U) != 0x80U) {  // one column for each character
            if (column_ == columns) {
                column_ = 0;
                next_line();
            }
            auto& line = lines_[row_];
            line.resize(std::max(line.size(), column_ + 1), ' ');
            line[column_++] = c;
        }
    }
    void next_line()
    {
        if (++row_ == rows) {
            lines_.erase(lines_.begin());
            lines_.emplace_back();
            --row_;
            ++scrolled_;
        }
    }

    std::vector<std::string> lines_ = std::vector<std::string>(rows);
    std::size_t row_ = 0;
    std::size_t column_ = 0;
    std::size_t scrolled_ = 0;
    std::size_t frames_ = 0;
};

// shelfctl on a terminal of that size, until it has written `frames` frames and was interrupted.
Screen watch(const std::string& socket, std::size_t frames)
{
    const winsize size{.ws_row = rows, .ws_col = columns, .ws_xpixel = 0, .ws_ypixel = 0};
    const auto program = std::string(SHELFD_BUILD_DIR) + "/shelfctl";
    int terminal = -1;
    const auto child = ::forkpty(&terminal, nullptr, nullptr, &size);
    REQUIRE(child >= 0);
    if (child == 0) {
        ::setenv("SHELFD_SOCKET", socket.c_str(), 1);
        ::setenv("TERM", "xterm", 1);
        ::execl(program.c_str(), program.c_str(), "status", "--watch", nullptr);
        ::_exit(127);
    }
    Screen screen;
    std::array<char, 4096> part{};
    pollfd ready{terminal, POLLIN, 0};
    // The last frame is whole once nothing has followed it for a moment.
    for (bool is_whole = false; !is_whole;) {
        if (::poll(&ready, 1, screen.frames() >= frames ? 300 : 20'000) <= 0) {
            is_whole = true;
            continue;
        }
        const auto got = ::read(terminal, part.data(), part.size());
        if (got <= 0) {
            break;
        }
        screen.write({part.data(), static_cast<std::size_t>(got)});
    }
    ::kill(child, SIGINT);
    ::waitpid(child, nullptr, 0);
    ::close(terminal);
    return screen;
}

}  // namespace

TEST_CASE("on a terminal of 80 x 24 the watched status of 400 libraries stays in place, its headline on top")
{
    std::vector<control::LibraryStatus> libraries;
    for (int i = 0; i < 400; ++i) {
        auto table = control::sample_resource("recipes", i < 20 ? TableState::late : TableState::fresh);
        if (i < 20) {
            table.trouble = Trouble::passing;
            table.why = "the service answered 502";
            table.since = control::sample_now - std::chrono::minutes(20);
        }
        libraries.push_back(control::sample_library(fmt::format("library{}", i), {table}));
        if (i >= 20 && i < 39) {
            auto& token = libraries.back().token;
            token.state = TokenState::lost;
            token.needs_person = true;
            token.reason = "the answer to a refresh was lost, and with it the new token set";
            token.do_this = fmt::format("shelfctl auth import {}", libraries.back().name);
        }
    }
    auto status = control::sample_status(std::move(libraries));
    status.problems = control::find_causes(status);
    const auto answer = http_answer(200, control::to_json(status));
    const TempDirectory directory;
    SocketServer server(directory / "control.sock", {answer, answer, answer});
    const auto screen = watch(directory / "control.sock", 2);
    for (const auto& line : screen.lines()) {
        UNSCOPED_INFO(line);
    }
    CHECK(screen.frames() >= 2);
    CHECK(screen.scrolled() == 0);
    CHECK(control::headline(status).starts_with(screen.lines().front().substr(0, 20)));
    std::string all;
    for (const auto& line : screen.lines()) {
        all += line + " ";
    }
    CHECK(all.find("library0, library1, library2 and 17 more libraries") != std::string::npos);
    CHECK(all.find("library20, library21, library22 and 16 more libraries") != std::string::npos);
}

}  // namespace shelfd::ctl
