#include "ctl/login/secret_input.hpp"

#include "base/regular_file.hpp"
#include "ctl/context/ending_signals.hpp"
#include "runtime/log/escape.hpp"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>

#include <string.h>
#include <termios.h>
#include <unistd.h>

namespace shelfd::ctl {
namespace {

constexpr std::size_t largest = 1u << 20;  // a token set has a few hundred bytes

constexpr std::size_t max_line = 16u << 10;
constexpr std::size_t max_secret_file = 64u << 10;

constexpr std::array<int, 4> ending_signals = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

// The terminal's settings and the actions before, global because a signal handler needs them.
termios terminal_before{};
std::array<struct sigaction, ending_signals.size()> actions_before{};

// Restores the terminal's echo, then leaves the signal to the action before: it ends the process, or is that of
// EndingSignals. Calls only functions of signal-safety(7).
void give_back_and_pass_on(int number)
{
    ::tcsetattr(STDIN_FILENO, TCSANOW, &terminal_before);
    for (std::size_t i = 0; i < ending_signals.size(); ++i) {
        if (ending_signals[i] == number) {
            ::sigaction(number, &actions_before[i], nullptr);
        }
    }
    ::raise(number);  // delivered when this handler returns
}

// Disables the echo for its lifetime, however that ends.
class SilentTerminal {
public:
    SilentTerminal()
    {
        active_ = ::tcgetattr(STDIN_FILENO, &terminal_before) == 0;
        if (!active_) {
            return;
        }
        struct sigaction ending {};
        ending.sa_handler = give_back_and_pass_on;
        for (std::size_t i = 0; i < ending_signals.size(); ++i) {
            ::sigaction(ending_signals[i], nullptr, &actions_before[i]);
            if (actions_before[i].sa_handler != SIG_IGN) {  // for nohup(1)
                ::sigaction(ending_signals[i], &ending, nullptr);
            }
        }
        termios silent = terminal_before;
        silent.c_lflag &= ~static_cast<tcflag_t>(ECHO);
        silent.c_lflag |= ECHONL;
        // In canonical mode the kernel cuts a pasted line after 4095 bytes.
        silent.c_lflag &= ~static_cast<tcflag_t>(ICANON);
        silent.c_cc[VMIN] = 1;
        silent.c_cc[VTIME] = 0;
        ::tcsetattr(STDIN_FILENO, TCSAFLUSH, &silent);
    }
    SilentTerminal(const SilentTerminal&) = delete;
    SilentTerminal& operator=(const SilentTerminal&) = delete;
    ~SilentTerminal()
    {
        if (!active_) {
            return;
        }
        ::tcsetattr(STDIN_FILENO, TCSANOW, &terminal_before);
        for (std::size_t i = 0; i < ending_signals.size(); ++i) {
            ::sigaction(ending_signals[i], &actions_before[i], nullptr);
        }
    }

private:
    bool active_ = false;
};

Error interruption()
{
    return Error(ErrorKind::stopped, "interrupted");
}

bool ends_here(const std::string& text)
{
    constexpr char end_of_transmission = 4;  // Ctrl-D, which does not end the file outside of canonical mode
    return text.ends_with("\n\n") || text.ends_with(end_of_transmission) || text == "\n";
}

Result<Secret> read_up_to_end(bool by_hand)
{
    std::string text;
    text.reserve(largest + 1);  // never reallocated, so that no copy is left
    std::array<char, 4096> piece{};
    for (;;) {
        if (was_interrupted()) {
            Secret::wipe(text);
            return interruption();
        }
        const auto size = ::read(STDIN_FILENO, piece.data(), by_hand ? 1 : piece.size());
        if (size < 0 && errno == EINTR) {
            continue;
        }
        if (size <= 0) {
            break;
        }
        text.append(piece.data(), static_cast<std::size_t>(size));
        if (text.size() > largest) {
            Secret::wipe(text);
            return Error(ErrorKind::usage, "the input is larger than 1 MiB; a token set has a few hundred bytes");
        }
        if (by_hand && ends_here(text)) {
            break;
        }
    }
    explicit_bzero(piece.data(), piece.size());
    while (!text.empty() && (text.back() == '\n' || text.back() == 4)) {
        text.pop_back();
    }
    if (text.empty()) {
        return Error(ErrorKind::usage, "no token set was given: paste it, or redirect it: < token.json");
    }
    return Secret(std::move(text));
}

// Reads up to the end of a line that is not empty. Nothing is reallocated, so that no copy is left.
Result<Secret> take_line(std::string_view too_long, std::string_view nothing)
{
    std::string line;
    line.reserve(max_line);
    for (char c = 0;;) {
        if (was_interrupted()) {
            Secret::wipe(line);
            return interruption();
        }
        const auto size = ::read(STDIN_FILENO, &c, 1);
        if (size < 0 && errno == EINTR) {
            continue;
        }
        if (size <= 0 || (c == '\n' && !line.empty())) {
            break;
        }
        if (line.size() == max_line) {
            Secret::wipe(line);
            return Error(ErrorKind::usage, std::string(too_long));
        }
        if (c != '\n' && c != '\r') {
            line += c;
        }
    }
    if (line.empty()) {
        return Error(ErrorKind::usage, std::string(nothing));
    }
    return Secret(std::move(line));
}

}  // namespace

Result<Secret> read_standard_input(const std::string& prompt)
{
    if (::isatty(STDIN_FILENO) != 1) {
        return read_up_to_end(false);
    }
    std::fprintf(stderr, "%s", escape_text(prompt).c_str());
    const SilentTerminal silent;
    return read_up_to_end(true);
}

Result<Secret> read_secret_line(const std::string& prompt)
{
    constexpr auto too_long = "this line is too long for a token or a secret";
    constexpr auto nothing = "nothing was given: paste it, or redirect a file that holds it";
    if (::isatty(STDIN_FILENO) != 1) {
        return take_line(too_long, nothing);
    }
    std::fprintf(stderr, "%s", escape_text(prompt).c_str());
    const SilentTerminal silent;
    return take_line(too_long, nothing);
}

Result<Secret> read_line(const std::string& prompt)
{
    if (::isatty(STDIN_FILENO) == 1) {
        std::fprintf(stderr, "%s", escape_text(prompt).c_str());
    }
    return take_line("this line is too long for an address", "no input was given");
}

Result<Secret> read_secret_file(const std::string& path)
{
    std::string text;
    text.reserve(max_secret_file + 1);
    auto file = open_regular_file(path);
    const auto read = file ? read_all(*file, text, max_secret_file) : Result<void>(file.error());
    while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) {
        text.pop_back();
    }
    Secret secret(std::move(text));
    if (!read) {
        return Error(read.error().kind(), fmt::format("cannot read {}: {}", path, read.error().text()));
    }
    if (secret.empty()) {
        return Error(ErrorKind::usage, fmt::format("{} is empty", path));
    }
    return secret;
}

}  // namespace shelfd::ctl
