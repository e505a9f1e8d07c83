// A prompt that hides what is typed, on a terminal of its own.
#include "ctl/login/secret_input.hpp"
#include "support/catch.hpp"

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
    Asking()
    {
        REQUIRE(openpty(&master_, &slave_, nullptr, nullptr, nullptr) == 0);
        before_ = modes();
        child_ = fork();
        if (child_ == 0) {
            setsid();
            ioctl(slave_, TIOCSCTTY, 0);
            dup2(slave_, STDIN_FILENO);
            dup2(slave_, STDERR_FILENO);
            const auto given = read_standard_input("secret: ");
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

}  // namespace
}  // namespace shelfd::ctl
