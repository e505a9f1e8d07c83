#include "control/server/listening_socket.hpp"

#include "control/api/peer.hpp"
#include "control/running_server.hpp"
#include "control/socket_client.hpp"
#include "support/catch.hpp"
#include "support/temp_directory.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include <filesystem>
#include <map>
#include <optional>

namespace shelfd::control {
namespace {

TEST_CASE("a socket on which another program answers is left to it")
{
    const TempDirectory directory;
    const auto first = ListeningSocket::open(directory / "s");
    REQUIRE(first);
    const auto second = ListeningSocket::open(directory / "s");
    REQUIRE_FALSE(second);
    CHECK(second.error().kind() == ErrorKind::busy);
    CHECK(second.error().text().find("is in use") != std::string::npos);
    CHECK(std::filesystem::exists(directory / "s"));
}

TEST_CASE("a socket that a dead program left behind is replaced")
{
    const TempDirectory directory;
    {
        auto dead = ListeningSocket::open(directory / "old");
        REQUIRE(dead);
        std::filesystem::rename(directory / "old", directory / "s");  // so that its end does not remove it
    }
    REQUIRE(std::filesystem::exists(directory / "s"));
    CHECK(ListeningSocket::open(directory / "s"));
}

TEST_CASE("a socket is removed by its owner only")
{
    const TempDirectory directory;
    std::optional<Result<ListeningSocket>> mine(ListeningSocket::open(directory / "s"));
    REQUIRE(*mine);
    std::filesystem::rename(directory / "s", directory / "moved");
    const auto other = ListeningSocket::open(directory / "s");
    REQUIRE(other);
    mine.reset();
    CHECK(std::filesystem::exists(directory / "s"));
}

TEST_CASE("a place where no socket can be is a fault with a cure")
{
    const TempDirectory directory;
    write_file(directory / "file", "data");
    struct Row {
        const char* name;
        std::string path;
        ErrorKind kind;
        const char* part;
    };
    for (const auto& row : {Row{"too long for the kernel", directory / std::string(107, 'x'), ErrorKind::config,
                                "the kernel accepts 1 to 107"},
                            Row{"empty", "", ErrorKind::config, "has 0 bytes"},
                            Row{"no such directory", directory / "absent/s", ErrorKind::config, "create the directory"},
                            Row{"a file with data", directory / "file", ErrorKind::config, "is not a socket"},
                            Row{"below a file", directory / "file/s", ErrorKind::config, "Not a directory"}}) {
        INFO(row.name);
        const auto opened = ListeningSocket::open(row.path);
        REQUIRE_FALSE(opened);
        CHECK(opened.error().kind() == row.kind);
        CHECK(opened.error().text().find(row.part) != std::string::npos);
    }
    CHECK(read_file(directory / "file") == "data");
}

TEST_CASE("107 bytes are a path that works")
{
    const TempDirectory directory;
    const auto path = directory / std::string(107 - directory.path().size() - 1, 'x');
    REQUIRE(path.size() == 107);
    CHECK(ListeningSocket::open(path));
}

TEST_CASE("a group that is missing is nothing, not an error")
{
    const auto users = find_group("users");
    REQUIRE(users);
    CHECK(*users == gid_t(100));
    const auto none = find_group("shelfd-no-such-group");
    REQUIRE(none);
    CHECK_FALSE(none->has_value());
}

TEST_CASE("rights without groups are root's and the daemon's own")
{
    const Rights rights{500, std::nullopt, gid_t(60)};
    CHECK(rights.of({0, 1, {}}) == Right::act);
    CHECK(rights.of({500, 1, {}}) == Right::act);
    CHECK(rights.of({501, 1, {0, 1, 2}}) == Right::none);
    CHECK(rights.of({501, 1, {1, 60}}) == Right::act);
}

TEST_CASE("a missing group is a warning that says what to type")
{
    const TempDirectory directory;
    asio::io_context loop;
    SystemClock clock;
    const Log log([](const LogRecord&) {});
    const ServerSettings settings{directory / "s", "users", "shelfd-no-such-group"};
    Journal asked;
    RecordingOperations operations(clock, asked);
    const auto server = Server::open(loop.get_executor(), clock, log, settings, operations);
    REQUIRE(server);
    REQUIRE((*server)->warnings().size() == 1);
    CHECK((*server)->warnings()[0].find("no group shelfd-no-such-group") != std::string::npos);
    CHECK((*server)->warnings()[0].find("sudo addgroup --system shelfd-no-such-group") != std::string::npos);
    // Also for whoever cannot create a group.
    CHECK((*server)->warnings()[0].find("control.readers and control.admins") != std::string::npos);
}

TEST_CASE("groups that are looked up again have the rights of the members that they have now")
{
    const TempDirectory directory;
    asio::io_context loop;
    SystemClock clock;
    const Log log([](const LogRecord&) {});
    std::map<std::string, Result<std::optional<gid_t>>> groups;
    groups.insert_or_assign("look", std::optional<gid_t>());
    groups.insert_or_assign("act", std::optional<gid_t>(60));
    ServerSettings settings{directory / "s", "look", "act"};
    settings.find_group = [&groups](const std::string& name) { return groups.at(name); };
    Journal asked;
    RecordingOperations operations(clock, asked);
    const auto server = Server::open(loop.get_executor(), clock, log, settings, operations);
    REQUIRE(server);
    REQUIRE((*server)->warnings().size() == 1);
    const auto renew = [&] {
        std::vector<std::string> lines;
        auto work = [&]() -> asio::awaitable<void> { lines = co_await (*server)->renew_rights(); };
        auto working = work();
        asio::co_spawn(loop, std::move(working), asio::detached);
        loop.restart();
        loop.run();
        return lines;
    };
    CHECK(renew().empty());
    groups.insert_or_assign("look", std::optional<gid_t>(70));
    CHECK(renew() ==
          std::vector<std::string>{"control.readers: the members of the group look (70) have its rights now"});
    CHECK((*server)->warnings().empty());
    // A name service that does not answer takes no right away.
    groups.insert_or_assign("act", Error(ErrorKind::storage, "the name service is down"));
    CHECK(renew().empty());
    REQUIRE((*server)->warnings().size() == 1);
    CHECK((*server)->warnings()[0].find("the name service is down") == 0);
    CHECK((*server)->warnings()[0].find("shelfctl reload") != std::string::npos);
    groups.insert_or_assign("act", std::optional<gid_t>());
    CHECK(renew() ==
          std::vector<std::string>{"control.admins: there is no group act any more, so nobody has its rights"});
}

}  // namespace
}  // namespace shelfd::control
