#include "ctl/login/secret_input.hpp"

#include "base/file_descriptor.hpp"
#include "base/words/safe_text.hpp"
#include "ctl/context/ending_signals.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <utility>

#include <string.h>
#include <sys/timerfd.h>
#include <termios.h>
#include <unistd.h>

namespace shelfd::ctl {
namespace {

constexpr std::size_t largest = 8u << 20;  // a thousand token sets of the largest size
constexpr std::size_t max_line = 16u << 10;
constexpr std::array<int, 6> caught_signals = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGALRM, SIGPIPE};

// The terminal's settings before and meanwhile, and the actions before, global because signal handlers need them.
termios terminal_before{};
termios terminal_silent{};
std::array<struct sigaction, caught_signals.size()> actions_before{};

// Restores the terminal's echo, then leaves the signal to the action before: it ends the process, or is that of
// EndingSignals. Calls only functions of signal-safety(7).
void give_back_and_pass_on(int number)
{
    ::tcsetattr(STDIN_FILENO, TCSANOW, &terminal_before);
    for (std::size_t i = 0; i < caught_signals.size(); ++i) {
        if (caught_signals[i] == number) {
            ::sigaction(number, &actions_before[i], nullptr);
        }
    }
    ::raise(number);  // delivered when this handler returns
}

// Ctrl-Z: the shell gets the terminal as it was, and it is silent again once this process continues. Calls only
// functions of signal-safety(7).
void give_back_and_stop(int number)
{
    const int reason = errno;
    ::tcsetattr(STDIN_FILENO, TCSANOW, &terminal_before);
    struct sigaction usual {};
    struct sigaction ours {};
    usual.sa_handler = SIG_DFL;
    ::sigaction(number, &usual, &ours);
    sigset_t only;
    ::sigemptyset(&only);
    ::sigaddset(&only, number);
    ::raise(number);
    ::sigprocmask(SIG_UNBLOCK, &only, nullptr);  // stops here
    ::sigaction(number, &ours, nullptr);
    ::tcsetattr(STDIN_FILENO, TCSANOW, &terminal_silent);
    errno = reason;
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
        terminal_silent = terminal_before;
        terminal_silent.c_lflag &= ~static_cast<tcflag_t>(ECHO);
        terminal_silent.c_lflag |= ECHONL;
        // In canonical mode the kernel cuts a pasted line after 4095 bytes.
        terminal_silent.c_lflag &= ~static_cast<tcflag_t>(ICANON);
        // TypedText tells Enter (CR) from a pasted line end (CR LF): with ICRNL that is two lines, one of them empty.
        terminal_silent.c_iflag &= ~static_cast<tcflag_t>(ICRNL);
        terminal_silent.c_cc[VMIN] = 1;
        terminal_silent.c_cc[VTIME] = 0;
        for (std::size_t i = 0; i < caught_signals.size(); ++i) {
            take_over(caught_signals[i], give_back_and_pass_on, actions_before[i]);
        }
        take_over(SIGTSTP, give_back_and_stop, action_at_stop_);
        ::tcsetattr(STDIN_FILENO, TCSAFLUSH, &terminal_silent);
    }
    SilentTerminal(const SilentTerminal&) = delete;
    SilentTerminal& operator=(const SilentTerminal&) = delete;
    ~SilentTerminal()
    {
        if (!active_) {
            return;
        }
        // The rest of a paste is no command for the shell.
        ::tcsetattr(STDIN_FILENO, TCSAFLUSH, &terminal_before);
        for (std::size_t i = 0; i < caught_signals.size(); ++i) {
            ::sigaction(caught_signals[i], &actions_before[i], nullptr);
        }
        ::sigaction(SIGTSTP, &action_at_stop_, nullptr);
    }

private:
    static void take_over(int number, void (*handler)(int), struct sigaction& before)
    {
        struct sigaction ours {};
        ours.sa_handler = handler;
        ::sigaction(number, nullptr, &before);
        if (before.sa_handler != SIG_IGN) {  // for nohup(1)
            ::sigaction(number, &ours, nullptr);
        }
    }

    struct sigaction action_at_stop_ {};
    bool active_ = false;
};

// The keys with which a terminal edits a line in canonical mode, which is off. What is erased is overwritten: pop_back
// writes a 0 there.
class TypedText {
public:
    // `text` has its whole capacity already, so that no copy is left.
    explicit TypedText(std::string& text) : text_(text) {}

    void begin_anew() { begin_ = 0; }  // the text was emptied
    // Returns true at the end of the input: Ctrl-D in an empty line. In a line that has text, it hands over what is
    // there, so that a second one is the end.
    bool take(char key)
    {
        if (std::exchange(before_, key) == '\r' && key == '\n') {
            return false;  // CR LF is one line end
        }
        key = key == '\r' ? '\n' : key;
        if (is_key(key, VEOF)) {
            return std::exchange(begin_, text_.size()) == text_.size();
        }
        if (is_key(key, VERASE) || key == '\b' || key == '\x7f') {
            erase_character();
        } else if (is_key(key, VWERASE)) {
            erase_word();
        } else if (is_key(key, VKILL)) {
            while (!is_empty()) {
                text_.pop_back();
            }
        } else {
            text_ += key;
            begin_ = key == '\n' ? text_.size() : begin_;
        }
        return false;
    }

private:
    static bool is_key(char key, std::size_t which)
    {
        const auto assigned = terminal_before.c_cc[which];
        return assigned != _POSIX_VDISABLE && static_cast<unsigned char>(key) == assigned;
    }
    bool is_empty() const { return text_.size() == begin_; }
    // A character of UTF-8 ends with its continuation bytes.
    void erase_character()
    {
        for (bool is_inside = true; is_inside && !is_empty();) {
            is_inside = (static_cast<unsigned char>(text_.back()) & 0xc0U) == 0x80U;
            text_.pop_back();
        }
    }
    void erase_word()
    {
        while (!is_empty() && text_.back() == ' ') {
            text_.pop_back();
        }
        while (!is_empty() && text_.back() != ' ') {
            text_.pop_back();
        }
    }

    std::string& text_;
    char before_ = 0;
    std::size_t begin_ = 0;  // what is before it cannot be erased any more
};

enum class Typing { by_hand, none };

Error interruption()
{
    return Error(ErrorKind::stopped, "interrupted");
}

// What is shown after Enter alone, before it is asked for again.
std::string refusal_of_nothing(const std::string& wanted, const std::string& prompt)
{
    return fmt::format("\nshelfctl: nothing was given: {}; Ctrl-C ends this\n{}", wanted, prompt);
}

// `refusal` is shown for an empty line before anything was typed by hand.
Result<Secret> read_up_to_end(Typing typing, std::string_view nothing, const std::string& refusal = "")
{
    std::array<char, 4096> piece{};
    std::string text;
    text.reserve(largest + piece.size());  // never reallocated, so that no copy is left
    TypedText typed(text);
    const bool by_hand = typing == Typing::by_hand;
    for (;;) {
        if (wait_for_input() != Input::there) {
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
        bool is_end = false;
        if (by_hand) {
            is_end = typed.take(piece[0]) || text.ends_with("\n\n");
            if (text == "\n") {
                text.clear();
                typed.begin_anew();
                std::fprintf(stderr, "%s", refusal.c_str());
            }
        } else {
            text.append(piece.data(), static_cast<std::size_t>(size));
        }
        if (text.size() > largest) {
            Secret::wipe(text);
            return Error(ErrorKind::usage, "the input is larger than 8 MiB");
        }
        if (is_end) {
            break;
        }
    }
    explicit_bzero(piece.data(), piece.size());
    while (!text.empty() && text.back() == '\n') {
        text.pop_back();
    }
    if (text.empty()) {
        return Error(ErrorKind::usage, std::string(nothing));
    }
    return Secret(std::move(text));
}

enum class EmptyLine { skipped, taken, refused };

// Can be read once `patience` has passed. Without a limit there is none.
FileDescriptor timer_of(std::optional<Duration> patience)
{
    if (!patience) {
        return FileDescriptor();
    }
    FileDescriptor timer(::timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC));
    const auto length = std::max<Duration>(*patience, Duration(1)).count();  // 0 would be no limit
    const itimerspec once{{}, {length / 1'000'000, length % 1'000'000 * 1'000}};
    ::timerfd_settime(timer.get(), 0, &once, nullptr);
    return timer;
}

// Reads up to the end of a line. Nothing is reallocated, so that no copy is left. `refusal` is shown for an empty line
// that is refused.
Result<Secret> take_line(Typing typing, EmptyLine empty, std::string_view too_long, std::string_view nothing,
                         const std::string& refusal = "", int timer = -1)
{
    std::string line;
    line.reserve(max_line);
    TypedText typed(line);
    for (char c = 0;;) {
        if (const auto input = wait_for_input(timer); input != Input::there) {
            Secret::wipe(line);
            return input == Input::interrupted ? interruption() : Error(ErrorKind::timeout, "no input came in time");
        }
        const auto size = ::read(STDIN_FILENO, &c, 1);
        if (size < 0 && errno == EINTR) {
            continue;
        }
        c = typing == Typing::by_hand && c == '\r' ? '\n' : c;
        if (size <= 0 || (c == '\n' && !line.empty())) {
            break;
        }
        if (c == '\n' && empty == EmptyLine::taken) {
            return Secret();
        }
        if (c == '\n' && empty == EmptyLine::refused) {
            std::fprintf(stderr, "%s", refusal.c_str());
        }
        if (line.size() == max_line) {
            Secret::wipe(line);
            return Error(ErrorKind::usage, std::string(too_long));
        }
        if (c == '\n' || c == '\r') {
            continue;
        }
        if (typing == Typing::none) {
            line += c;
        } else if (typed.take(c)) {
            break;
        }
    }
    if (line.empty()) {
        return Error(ErrorKind::usage, std::string(nothing));
    }
    return Secret(std::move(line));
}

}  // namespace

Result<Secret> read_standard_input(const std::string& prompt, std::string_view nothing)
{
    if (::isatty(STDIN_FILENO) != 1) {
        return read_up_to_end(Typing::none, nothing);
    }
    const auto shown = escape_text(prompt);
    std::fprintf(stderr, "%s", shown.c_str());
    const SilentTerminal silent;
    return read_up_to_end(Typing::by_hand, nothing, refusal_of_nothing("paste it, then press Enter twice", shown));
}

Result<Secret> read_secret_line(const std::string& prompt)
{
    constexpr auto too_long = "this line is too long for a token or a secret";
    constexpr auto nothing = "nothing was given: paste it, or redirect a file that holds it";
    if (::isatty(STDIN_FILENO) != 1) {
        return take_line(Typing::none, EmptyLine::skipped, too_long, nothing);
    }
    const auto shown = escape_text(prompt);
    std::fprintf(stderr, "%s", shown.c_str());
    const SilentTerminal silent;
    return take_line(Typing::by_hand, EmptyLine::refused, too_long, nothing,
                     refusal_of_nothing("paste it, then press Enter", shown));
}

Result<Secret> read_line(const std::string& prompt, std::optional<Duration> patience)
{
    const bool asks = ::isatty(STDIN_FILENO) == 1;
    if (asks) {
        std::fprintf(stderr, "%s", escape_text(prompt).c_str());
    }
    const auto timer = timer_of(patience);
    auto line = take_line(Typing::none, asks ? EmptyLine::taken : EmptyLine::skipped,
                          "this line is too long for an address", "no input was given", "", timer.get());
    if (asks && !line && line.error().kind() == ErrorKind::timeout) {
        ::tcflush(STDIN_FILENO, TCIFLUSH);  // half a line is no command for the shell
    }
    return line;
}

}  // namespace shelfd::ctl
