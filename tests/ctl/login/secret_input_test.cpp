// A prompt that hides what is typed, on a terminal of its own.
#include "ctl/context/ending_signals.hpp"
#include "ctl/login/secret_input.hpp"
#include "support/catch.hpp"

#include <array>
#include <csignal>
#include <poll.h>
#include <pty.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

namespace shelfd::ctl {
namespace {

// A process that asks for a secret, seen from the other end of its terminal.
class Asking {
public:
    using Read = Result<Secret> (*)(const std::string& prompt);

    explicit Asking(Read read = read_standard_input)
    {
        REQUIRE(openpty(&master_, &slave_, nullptr, nullptr, nullptr) == 0);
        before_ = modes();
        child_ = fork();
        if (child_ == 0) {
            setsid();
            ioctl(slave_, TIOCSCTTY, 0);
            for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) {
                ::signal(number, SIG_DFL);  // not those of the test framework
            }
            dup2(slave_, STDIN_FILENO);
            dup2(slave_, STDERR_FILENO);
            const auto given = read("secret: ");
            _exit(given && given->reveal() == "abc" ? 0 : 1);
        }
    }
    ~Asking()
    {
        if (!is_over_) {
            kill(child_, SIGKILL);
            wait();
        }
        close(master_);
        close(slave_);
    }

    tcflag_t modes() const
    {
        termios now{};
        tcgetattr(slave_, &now);
        return now.c_lflag & (ECHO | ICANON);
    }
    tcflag_t before() const { return before_; }
    void until_hidden() const
    {
        pollfd nothing{-1, 0, 0};
        while (modes() != 0 && kill(child_, 0) == 0) {
            poll(&nothing, 1, 5);
        }
    }
    void type(const std::string& text) const
    {
        REQUIRE(write(master_, text.data(), text.size()) == static_cast<ssize_t>(text.size()));
    }
    // Everything that the terminal showed, up to now.
    std::string shown() const
    {
        static std::string all;
        pollfd ready{master_, POLLIN, 0};
        std::array<char, 256> piece{};
        while (poll(&ready, 1, 0) == 1 && (ready.revents & POLLIN) != 0) {
            const auto size = read(master_, piece.data(), piece.size());
            if (size <= 0) {
                break;
            }
            all.append(piece.data(), static_cast<std::size_t>(size));
        }
        return all;
    }
    void signal(int number) const { kill(child_, number); }
    int wait()
    {
        int status = 0;
        waitpid(child_, &status, 0);
        is_over_ = true;
        return status;
    }

private:
    int master_ = -1;
    int slave_ = -1;
    tcflag_t before_ = 0;
    pid_t child_ = -1;
    bool is_over_ = false;
};

TEST_CASE("a hidden line ends with Enter, and nothing of it is shown")
{
    Asking asking(read_secret_line);
    asking.until_hidden();
    asking.type("abc\n");
    const int status = asking.wait();
    CHECK(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 0);
    CHECK(asking.modes() == asking.before());
    CHECK(asking.shown().find("secret: ") != std::string::npos);
    CHECK(asking.shown().find("abc") == std::string::npos);
}

TEST_CASE("a hidden prompt takes what is typed and gives the terminal back as it was")
{
    Asking asking;
    REQUIRE(asking.before() != 0);
    asking.until_hidden();
    asking.type("abc\n\n");
    const auto status = asking.wait();
    CHECK(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 0);
    CHECK(asking.modes() == asking.before());
}

TEST_CASE("a hidden prompt that a signal ends gives the terminal back as it was, and dies of that signal")
{
    const auto number = GENERATE(SIGINT, SIGTERM, SIGHUP, SIGQUIT);
    Asking asking;
    asking.until_hidden();
    REQUIRE(asking.modes() == 0);
    if (number == SIGINT) {
        asking.type("\x03");
    } else {
        asking.signal(number);
    }
    const auto status = asking.wait();
    CHECK(WIFSIGNALED(status));
    CHECK(WTERMSIG(status) == number);
    CHECK(asking.modes() == asking.before());
}

TEST_CASE("a prompt of a program that tidies up first returns on Ctrl-C, and gives the terminal back as it was")
{
    using Read = Asking::Read;
    const auto read = GENERATE(Read([](const std::string& prompt) {
                                   const EndingSignals caught;
                                   return read_secret_line(prompt);
                               }),
                               Read([](const std::string& prompt) {
                                   const EndingSignals caught;
                                   return read_standard_input(prompt);
                               }));
    const auto number = GENERATE(SIGINT, SIGTERM, SIGHUP);
    Asking asking(read);
    asking.until_hidden();
    if (number == SIGINT) {
        asking.type("\x03");
    } else {
        asking.signal(number);
    }
    const auto status = asking.wait();
    CHECK(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 1);
    CHECK(asking.modes() == asking.before());
}

}  // namespace
}  // namespace shelfd::ctl
