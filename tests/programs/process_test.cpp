// The means of these tests themselves.
#include "support/catch.hpp"
#include "support/process.hpp"

#include <array>

#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace shelfd;

TEST_CASE("a test program that is killed leaves none of its programs running")
{
    std::array<int, 2> held{};  // open for as long as anybody who inherited it lives
    REQUIRE(pipe(held.data()) == 0);
    const auto tester = fork();
    if (tester == 0) {
        close(held[0]);
        const Process left_behind({.argv = {"/bin/sleep", "600"}, .environment = {}});
        kill(getpid(), SIGKILL);
    }
    close(held[1]);
    REQUIRE(waitpid(tester, nullptr, 0) == tester);
    std::array<pollfd, 1> ended{{{held[0], POLLIN, 0}}};
    CHECK(poll(ended.data(), ended.size(), 30'000) == 1);
    close(held[0]);
}

TEST_CASE("a program that cannot be started says why")
{
    CHECK_THROWS_WITH(Process({.argv = {"/nowhere/shelfd"}, .environment = {}}),
                      "cannot start /nowhere/shelfd: No such file or directory");
}
