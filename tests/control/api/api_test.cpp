#include "control/api/api.hpp"

#include "control/recording_operations.hpp"
#include "support/catch.hpp"
#include "support/simulated_clock.hpp"

#include <boost/asio/io_context.hpp>
#include <fmt/format.h>

namespace shelfd::control {
namespace {

// The API alone, for root, without a socket.
struct ApiBench {
    asio::io_context loop;
    SimulatedClock clock{loop};
    Journal asked;
    Journal logged;
    RecordingOperations operations{clock, asked};
    Log log{[this](const LogRecord& record) {
        std::string text(record.message);
        for (const auto& field : record.fields) {
            text += fmt::format(" {}={}", field.key, field.value);
        }
        logged.note(std::move(text));
    }};
    Rights rights{500, gid_t(60), gid_t(61)};
    Api api{operations, clock, log, rights, {"readers", "admins"}};

    Reply post(const std::string& path, std::string body, Peer peer = {0, 7, {}})
    {
        Call call{"POST", path, "", Secret(std::move(body)), std::move(peer)};
        return clock.run(api.answer(std::move(call)));
    }
    std::vector<std::string> stream(const Reply& reply)
    {
        std::vector<std::string> lines;
        LineSink sink = [&lines](std::string line, Importance) { lines.push_back(std::move(line)); };
        clock.run(reply.stream(std::move(sink)));
        return lines;
    }
};

TEST_CASE("a bug names the journal in which its log is, that of a user for a daemon without root")
{
    ApiBench bench;
    const auto thrown = std::make_exception_ptr(std::out_of_range("vector::at"));
    CHECK(bench.api.bug(thrown).text().ends_with("send a bug report with its log (journalctl -u shelfd)"));
    const Api of_user{bench.operations,
                      bench.clock,
                      bench.log,
                      bench.rights,
                      {"readers", "admins"},
                      {},
                      "journalctl --user -u shelfd"};
    CHECK(of_user.bug(thrown).text().ends_with("send a bug report with its log (journalctl --user -u shelfd)"));
}

TEST_CASE("whoever acts is logged with what was done to which library, before it is done; who only looks is not")
{
    struct Row {
        const char* path;
        const char* body;
        const char* logged;  // "" = nothing
    };
    for (const auto& row : {
             Row{"/v1/auth/adopt", R"({"library":"antwerp"})",
                 "control: adoption of the token store requested library=antwerp user=root uid=0 pid=7 verb=auth "
                 "adopt"},
             Row{"/v1/retype", R"({"library":"antwerp","resource":"recipes","column":"price"})",
                 "control: retype of recipes.price requested library=antwerp user=root uid=0 pid=7 verb=retype"},
             Row{"/v1/held/decide", R"({"library":"antwerp","resource":"recipes","fate":"accept"})",
                 "control: held rows of recipes accepted as deleted library=antwerp user=root uid=0 pid=7 verb=held "
                 "decide"},
             Row{"/v1/get", R"({"library":"antwerp","path":"/x/?search=secret"})",
                 "control: requested from the service: /x/ library=antwerp user=root uid=0 pid=7 verb=get"},
             Row{"/v1/sync", R"({"library":"antwerp"})",
                 "control: sync requested library=antwerp user=root uid=0 pid=7 verb=sync"},
             Row{"/v1/reload", "", "control: reload requested user=root uid=0 pid=7 verb=reload"},
             Row{"/v1/library/forget", R"({"library":"no_longer_configured"})",
                 "control: removal of the library requested library=no_longer_configured user=root uid=0 pid=7 "
                 "verb=library forget"},
             Row{"/v1/sync", R"({"library":"antwerp","dry_run":true})", ""},
             Row{"/v1/held", R"({"library":"antwerp","resource":"recipes"})", ""},
             Row{"/v1/changes/acknowledge", R"({"library":"antwerp","consumer":"bi","position":"f:1"})", ""},
             Row{"/v1/changes/forget", R"({"library":"antwerp","consumer":"bi"})",
                 "control: consumer bi of the change feed to be forgotten library=antwerp user=root uid=0 pid=7 "
                 "verb=changes forget"},
         }) {
        INFO(row.path << " " << row.body);
        ApiBench bench;
        CHECK(bench.post(row.path, row.body).status == 200);
        const auto expected = *row.logged == '\0' ? std::vector<std::string>() : std::vector<std::string>{row.logged};
        CHECK(bench.logged.all() == expected);
    }
}

TEST_CASE("the log of a reload names the command that has written the configuration, and the library")
{
    struct Row {
        const char* query;
        const char* logged;
    };
    for (const auto& row : {
             Row{"verb=library+pause&library=antwerp",
                 "control: reload requested library=antwerp user=root uid=0 pid=7 verb=library pause"},
             Row{"before=true", "control: reload requested user=root uid=0 pid=7 verb=reload"},
         }) {
        ApiBench bench;
        Call call{"POST", "/v1/reload", row.query, Secret(std::string()), {0, 7, {}}};
        CHECK(bench.clock.run(bench.api.answer(std::move(call))).status == 200);
        CHECK(bench.logged.all() == std::vector<std::string>{row.logged});
        CHECK(bench.operations.acted.user == "root");
        CHECK(std::string(row.logged).ends_with("verb=" + bench.operations.acted.verb));
    }
    for (const auto* query : {"verb=a%0Ab", "library=Antwerp", "after=true", "before=false"}) {
        INFO(query);
        ApiBench bench;
        Call call{"POST", "/v1/reload", query, Secret(std::string()), {0, 7, {}}};
        CHECK(bench.clock.run(bench.api.answer(std::move(call))).status == 400);
        CHECK(bench.asked.all().empty());
    }
}

TEST_CASE("what a verb asks of the service by itself is logged, and recorded, as that verb")
{
    for (const auto& [query, verb] : {std::pair("verb=library+add", "library add"), std::pair("", "get"),
                                      std::pair("verb=a%0Ab", "get"), std::pair("x=1", "get")}) {
        INFO(query);
        ApiBench bench;
        Call call{"POST", "/v1/get", query, Secret(std::string(R"({"library":"antwerp","path":"/me/"})")), {0, 7, {}}};
        CHECK(bench.clock.run(bench.api.answer(std::move(call))).status == 200);
        CHECK(bench.logged.all() ==
              std::vector<std::string>{std::string("control: requested from the service: /me/ "
                                                   "library=antwerp user=root uid=0 pid=7 verb=") +
                                       verb});
    }
}

TEST_CASE("a refused act is logged with user, verb and library, and nothing that may be a secret is read for that")
{
    struct Row {
        const char* path;
        const char* query;
        const char* body;
        const char* logged;
    };
    for (const auto& row : {
             Row{"/v1/sync", "", R"({"library":"antwerp","resource":"recipes"})", "library=antwerp USER verb=sync"},
             Row{"/v1/sync", "", R"({"all":true})", "USER verb=sync"},
             Row{"/v1/sync", "", "nonsense", "USER verb=sync"},
             Row{"/v1/library/forget", "", R"({"library":"no name\n"})", "USER verb=library forget"},
             Row{"/v1/auth/import", "library=antwerp&sealing=no_seal", R"({"library":"ghent"})",
                 "library=antwerp USER verb=auth import"},
             Row{"/v1/auth/import", "", R"({"library":"ghent"})", "USER verb=auth import"},
             Row{"/v1/reload", "verb=library+pause&library=ghent", "", "library=ghent USER verb=library pause"},
             Row{"/v1/reload", "", "", "USER verb=reload"},
         }) {
        INFO(row.path << " " << row.query << " " << row.body);
        ApiBench bench;
        Call call{"POST", row.path, row.query, Secret(std::string(row.body)), {4'000'000'000U, 8, {60}}};
        CHECK(bench.clock.run(bench.api.answer(std::move(call))).status == 403);
        CHECK(bench.asked.all().empty());
        auto expected = "control: refused an action " + std::string(row.logged);
        expected.replace(expected.find("USER"), 4, "user=uid 4000000000 uid=4000000000 pid=8");
        CHECK(bench.logged.all() == std::vector<std::string>{expected});
    }
}

TEST_CASE("a pass is requested in the name of the user who asks for it")
{
    ApiBench bench;
    std::string asked_by;
    bench.operations.instead_of_sync = [&](SyncRequest request, ProgressSink) -> asio::awaitable<Result<void>> {
        asked_by = request.asked_by;
        co_return Result<void>();
    };
    const auto sync = [&](Peer peer) {
        const auto reply = bench.post("/v1/sync", R"({"library":"antwerp","background":true})", std::move(peer));
        REQUIRE(reply.status == 200);
        bench.stream(reply);
        return asked_by;
    };
    CHECK(sync({0, 7, {}}) == "root");
    CHECK(sync({4'000'000'000U, 8, {61}}) == "uid 4000000000");
    // Nobody says so in the request.
    CHECK(bench.post("/v1/sync", R"({"library":"antwerp","asked_by":"jan"})").status == 400);
}

TEST_CASE("a decision about held rows is taken in the name of the user who asks for it")
{
    ApiBench bench;
    const auto* body = R"({"library":"antwerp","resource":"recipes","fate":"accept"})";
    REQUIRE(bench.post("/v1/held/decide", body, {0, 7, {}}).status == 200);
    CHECK(bench.operations.decided_by == "root");
    REQUIRE(bench.post("/v1/held/decide", body, {4'000'000'000U, 8, {61}}).status == 200);
    CHECK(bench.operations.decided_by == "uid 4000000000");
}

TEST_CASE("an act is handed on with the user and the verb, for the runs of the library")
{
    ApiBench bench;
    REQUIRE(bench.post("/v1/snapshot", R"({"library":"antwerp"})", {0, 7, {}}).status == 200);
    CHECK(bench.operations.acted.user == "root");
    CHECK(bench.operations.acted.verb == "snapshot");
    Call call{
        "POST", "/v1/auth/import", "library=antwerp", Secret(std::string("access_token=x")), {4'000'000'000U, 8, {61}}};
    REQUIRE(bench.clock.run(bench.api.answer(std::move(call))).status == 200);
    CHECK(bench.operations.acted.user == "uid 4000000000");
    CHECK(bench.operations.acted.verb == "auth import");
}

TEST_CASE("a name that is not there is answered before anything is logged or begun, whatever the path")
{
    for (const auto* path : {"/v1/auth/adopt", "/v1/auth/forget", "/v1/auth/token", "/v1/auth/login", "/v1/snapshot"}) {
        INFO(path);
        ApiBench bench;
        const auto reply = bench.post(path, R"({"library":"gent"})");
        CHECK(reply.status == 404);
        CHECK(reply.body.reveal().find("ghent, antwerp") != std::string::npos);
        CHECK(bench.logged.all().empty());
        CHECK(bench.asked.all().empty());
    }
}

TEST_CASE("the configuration in effect is for admins, alone and beside what a reload changes")
{
    ApiBench bench;
    const auto get = [&bench](Peer peer) {
        Call call{"GET", "/v1/config", "", Secret(std::string()), std::move(peer)};
        return bench.clock.run(bench.api.answer(std::move(call)));
    };
    CHECK(get({0, 7, {}}).body.reveal() == "[library.antwerp]\npaused = false\n");
    CHECK(get({1000, 7, {60}}).status == 403);
    Call reload{"POST", "/v1/reload", "before=true", Secret(std::string()), {0, 7, {}}};
    const auto reply = bench.clock.run(bench.api.answer(std::move(reload)));
    CHECK(reply.body.reveal().find(R"("before":"[library.antwerp]\npaused = false\n")") != std::string::npos);
    CHECK(bench.post("/v1/reload", "").body.reveal().find("before") == std::string::npos);
}

TEST_CASE("a dry run of a reload asks for its warnings only, and is not logged as one")
{
    ApiBench bench;
    Call call{"POST", "/v1/reload", "before=true&dry_run=true", Secret(std::string()), {0, 7, {}}};
    const auto reply = bench.clock.run(bench.api.answer(std::move(call)));
    CHECK(reply.status == 200);
    CHECK(reply.body.reveal().find(R"("warnings":["ghent is no longer configured"])") != std::string::npos);
    CHECK(reply.body.reveal().find(R"("before":"[library.antwerp])") != std::string::npos);
    CHECK(bench.asked.all() == std::vector<std::string>{"rehearse reload"});
    CHECK(bench.logged.all().empty());
    Call by_reader{"POST", "/v1/reload", "dry_run=true", Secret(std::string()), {1000, 7, {60}}};
    CHECK(bench.clock.run(bench.api.answer(std::move(by_reader))).status == 403);
}

TEST_CASE("an error of an operation becomes the status of its kind, with its text")
{
    ApiBench bench;
    const auto reply = bench.post("/v1/auth/forget", R"({"library":"antwerp"})");
    CHECK(reply.status == 409);
    CHECK(reply.body.reveal().find("there is no set to forget") != std::string::npos);
}

TEST_CASE("a reader may look at what is held and may not decide on it")
{
    ApiBench bench;
    const Peer reader{501, 8, {60}};
    const std::string body = R"({"library":"antwerp","resource":"recipes"})";
    CHECK(bench.post("/v1/held", body, reader).status == 200);
    CHECK(bench.post("/v1/held/decide", body, reader).status == 403);
    CHECK(bench.asked.all() == std::vector<std::string>{"held antwerp recipes"});
}

TEST_CASE("who may read one library only, and asks about another, is answered that there is none, and is logged")
{
    ApiBench bench;
    bench.operations.of_single_libraries = {{"ghent", {{Account::Kind::user, 4'000'000'000U, "ada"}}}};
    const Peer reader{4'000'000'000U, 8, {}};
    CHECK(bench.post("/v1/held", R"({"library":"antwerp","resource":"recipes"})", reader).status == 404);
    CHECK(bench.post("/v1/held", R"({"library":"nowhere","resource":"recipes"})", reader).status == 404);
    CHECK(bench.asked.all().empty());
    CHECK(bench.logged.all() ==
          std::vector<std::string>{"control: refused: a library that this user may not read library=antwerp user=uid "
                                   "4000000000 uid=4000000000 pid=8 verb=held"});
}

TEST_CASE("what a sync did not do for a table is told however slowly the client reads")
{
    ApiBench bench;
    bench.operations.instead_of_sync = [&](SyncRequest, ProgressSink sink) -> asio::awaitable<Result<void>> {
        ProgressEvent event;
        sink(event);  // a place that the next one replaces
        event.young_as_of = bench.clock.now();
        sink(event);
        event.young_as_of.reset();
        event.planned.emplace();
        sink(event);
        co_return Result<void>();
    };
    std::vector<Importance> told;
    LineSink sink = [&told](const std::string&, Importance importance) { told.push_back(importance); };
    const auto sync = bench.post("/v1/sync", R"({"all":true,"dry_run":true})");
    REQUIRE(sync.stream);
    bench.clock.run(sync.stream(std::move(sink)));
    using enum Importance;
    CHECK(told == std::vector<Importance>{droppable, kept, kept, kept});
}

TEST_CASE("a stream gives a line for each item and ends with how the operation ended")
{
    ApiBench bench;
    const auto probe = bench.post("/v1/probe", R"({"library":"antwerp"})");
    REQUIRE(probe.stream);
    CHECK(bench.asked.all().empty());  // it begins when the client takes it
    const auto lines = bench.stream(probe);
    REQUIRE(lines.size() == 2);
    CHECK(lines[0].find(R"("event":"list")") != std::string::npos);
    CHECK(lines[1] == R"({"event":"done","ok":true})");
    CHECK(bench.stream(bench.post("/v1/verify", R"({"library":"antwerp","resource":"recipes","sample":1})")).size() ==
          2);
}

}  // namespace
}  // namespace shelfd::control
