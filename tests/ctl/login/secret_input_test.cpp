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

Result<Secret> read_set(const std::string& prompt)
{
    return read_standard_input(prompt, "no token set was given");
}

Result<Secret> read_answer(const std::string& prompt)
{
    return read_line(prompt, std::nullopt);
}

// A process that asks for a secret, seen from the other end of its terminal.
class Asking {
public:
    using Read = Result<Secret> (*)(const std::string& prompt);

    // Only a job of a shell can be stopped: the kernel stops no process that nobody would continue.
    enum class Job { alone, of_a_shell };

    explicit Asking(Read read = read_set, Job job = Job::alone)
    {
        REQUIRE(openpty(&master_, &slave_, nullptr, nullptr, nullptr) == 0);
        REQUIRE(pipe(heard_.data()) == 0);
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
            job == Job::alone ? ask(read) : run_as_shell(read);
        }
        if (job == Job::of_a_shell) {
            REQUIRE(::read(heard_[0], &asker_, sizeof(asker_)) == sizeof(asker_));
        } else {
            asker_ = child_;
        }
    }
    ~Asking()
    {
        if (!is_over_) {
            kill(child_, SIGKILL);
            wait();
        }
        close(heard_[0]);
        close(heard_[1]);
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
    void until_shown(const std::string& text) const
    {
        constexpr int patience = 60'000;
        std::string all;
        pollfd ready{master_, POLLIN, 0};
        std::array<char, 256> piece{};
        while (all.find(text) == std::string::npos && poll(&ready, 1, patience) == 1) {
            const auto size = read(master_, piece.data(), piece.size());
            REQUIRE(size > 0);
            all.append(piece.data(), static_cast<std::size_t>(size));
        }
        INFO(all);
        REQUIRE(all.find(text) != std::string::npos);
    }
    void signal(int number) const { kill(asker_, number); }
    // What the shell has seen: 's' = its job was stopped, 'e' = it ended with 0.
    char heard() const
    {
        char what = 0;
        REQUIRE(::read(heard_[0], &what, 1) == 1);
        return what;
    }
    int wait()
    {
        int status = 0;
        waitpid(child_, &status, 0);
        is_over_ = true;
        return status;
    }

private:
    [[noreturn]] static void ask(Read read)
    {
        struct sigaction caught {};
        caught.sa_handler = [](int) {};
        sigaction(SIGUSR1, &caught, nullptr);
        const auto given = read("secret: ");
        _exit(given && given->reveal() == "abc" ? 0 : 1);
    }
    [[noreturn]] void run_as_shell(Read read)
    {
        ::signal(SIGTTOU, SIG_IGN);
        const auto job = fork();
        if (job == 0) {
            setpgid(0, 0);
            tcsetpgrp(STDIN_FILENO, getpid());
            ::signal(SIGTTOU, SIG_DFL);
            ask(read);
        }
        tell(&job, sizeof(job));
        for (int status = 0; waitpid(job, &status, WUNTRACED) == job;) {
            const bool is_stopped = WIFSTOPPED(status);
            const char what = is_stopped ? 's' : WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 'e' : '?';
            tell(&what, 1);
            if (!is_stopped) {
                break;
            }
        }
        _exit(0);
    }
    void tell(const void* bytes, std::size_t size) const
    {
        if (write(heard_[1], bytes, size) != static_cast<ssize_t>(size)) {
            _exit(2);
        }
    }

    int master_ = -1;
    int slave_ = -1;
    tcflag_t before_ = 0;
    pid_t child_ = -1;
    pid_t asker_ = -1;
    std::array<int, 2> heard_{-1, -1};
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

TEST_CASE("at a hidden prompt the keys that edit a line work as at any password prompt")
{
    struct Row {
        const char* name;
        std::string keys;
    };
    const Row rows[] = {
        {"Backspace removes the last character", "abx\x7f"
                                                 "c\n"},
        {"also as Ctrl-H", "abx\bc\n"},
        {"a whole character of UTF-8", "ab\xe2\x82\xac\x7f"
                                       "c\n"},
        {"and nothing before the first one", "x\x7f\x7f\x7f"
                                             "abc\n"},
        {"Ctrl-U removes the line", "wrong\x15"
                                    "abc\n"},
        {"Ctrl-W removes a word", "abc wrong\x17\x7f\n"},
        {"one Ctrl-D in a line does not end it", "ab\x04"
                                                 "c\n"},
        {"a second one does", "abc\x04\x04"},
        {"Enter is CR", "abc\r"},
        {"and what is pasted may end in CR LF", "abc\r\n"},
    };
    for (const auto& row : rows) {
        for (const auto read : {Asking::Read(read_secret_line), Asking::Read(read_set)}) {
            INFO(row.name);
            Asking asking(read);
            asking.until_hidden();
            asking.type(row.keys);
            if (read == Asking::Read(read_set) && row.keys.back() != '\x04') {
                asking.type("\x04");  // the end in an empty line
            }
            const auto status = asking.wait();
            CHECK(WIFEXITED(status));
            CHECK(WEXITSTATUS(status) == 0);
            CHECK(asking.modes() == asking.before());
        }
    }
}

TEST_CASE("Ctrl-D at an empty hidden prompt ends it without an input")
{
    for (const auto read : {Asking::Read(read_secret_line), Asking::Read(read_set)}) {
        Asking asking(read);
        asking.until_hidden();
        asking.type("\x04");
        const auto status = asking.wait();
        CHECK(WIFEXITED(status));
        CHECK(WEXITSTATUS(status) == 1);
        CHECK(asking.modes() == asking.before());
    }
}

TEST_CASE("Enter alone at a hidden prompt asks again, also where many lines are pasted")
{
    for (const auto read : {Asking::Read(read_secret_line), Asking::Read(read_set)}) {
        for (const auto* enter : {"\r", "\n", "\r\r\r"}) {
            Asking asking(read);
            asking.until_hidden();
            asking.type(enter);
            asking.until_shown("nothing was given: paste it");
            asking.type("abc\r\r");
            const auto status = asking.wait();
            CHECK(WIFEXITED(status));
            CHECK(WEXITSTATUS(status) == 0);
        }
    }
}

TEST_CASE("Backspace takes back nothing of a line that is complete")
{
    Asking asking;
    asking.until_hidden();
    asking.type("abc\n\x7f\x04");
    const auto status = asking.wait();
    CHECK(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 0);
}

TEST_CASE("a signal that does not end a hidden prompt loses nothing of what was typed")
{
    Asking asking(read_secret_line);
    asking.until_hidden();
    asking.type("ab");
    asking.signal(SIGUSR1);  // caught, so that read(2) fails with EINTR
    asking.type("c\n");
    const auto status = asking.wait();
    CHECK(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 0);
    CHECK(asking.modes() == asking.before());
}

TEST_CASE("while a hidden prompt is stopped the terminal is as it was, and hidden again once it continues")
{
    Asking asking(read_secret_line, Asking::Job::of_a_shell);
    asking.until_hidden();
    asking.type("ab");
    asking.signal(SIGTSTP);
    CHECK(asking.heard() == 's');
    CHECK(asking.modes() == asking.before());
    asking.signal(SIGCONT);
    asking.until_hidden();
    asking.type("c\n");
    CHECK(asking.heard() == 'e');
    CHECK(asking.modes() == asking.before());
}

TEST_CASE("a text whose lines end in CR LF is pasted whole at a hidden prompt")
{
    static constexpr auto read = [](const std::string& prompt) {
        auto pasted = read_set(prompt);
        return pasted && pasted->reveal() == "{\n\"a\": 1\n}" ? Result<Secret>(Secret(std::string("abc")))
                                                              : Error(ErrorKind::usage, "other text");
    };
    for (const std::string end : {"\r\n", "\r", "\n"}) {
        CAPTURE(end);
        Asking asking(Asking::Read{read});
        asking.until_hidden();
        asking.type("{" + end + "\"a\": 1" + end + "}" + end + end);
        CHECK(WEXITSTATUS(asking.wait()) == 0);
    }
}

TEST_CASE("Enter alone is an answer to a question")
{
    static constexpr auto read = [](const std::string& prompt) {
        const auto first = read_answer(prompt);
        return first && first->empty() ? read_answer(prompt) : Result<Secret>(Error(ErrorKind::usage, "no answer"));
    };
    Asking asking(Asking::Read{read});
    asking.type("\nabc\n");
    CHECK(WEXITSTATUS(asking.wait()) == 0);
}

TEST_CASE("a line that is not complete in time is not waited for")
{
    static constexpr auto read = [](const std::string& prompt) {
        const auto given = read_line(prompt, std::chrono::milliseconds(100));
        return !given && given.error().kind() == ErrorKind::timeout ? Result<Secret>(Secret(std::string("abc")))
                                                                    : Error(ErrorKind::usage, "something else");
    };
    for (const auto* begun : {"", "ab"}) {
        Asking asking(Asking::Read{read});
        asking.type(begun);
        CHECK(WEXITSTATUS(asking.wait()) == 0);
    }
}

TEST_CASE("a signal that comes before a prompt reads ends the prompt, too")
{
    for (const auto inner : {Asking::Read(read_secret_line), Asking::Read(read_set), Asking::Read(read_answer)}) {
        static Asking::Read asks;
        asks = inner;
        Asking asking([](const std::string& prompt) {
            const EndingSignals caught;
            ::raise(SIGINT);
            return asks(prompt);
        });
        const auto status = asking.wait();
        CHECK(WIFEXITED(status));
        CHECK(WEXITSTATUS(status) == 1);
        CHECK(asking.modes() == asking.before());
    }
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
                                   return read_set(prompt);
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
