#include "control/running_server.hpp"
#include "control/socket_client.hpp"
#include "support/catch.hpp"

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <fmt/format.h>

#include <filesystem>
#include <fstream>

#include <sys/stat.h>
#include <unistd.h>

namespace shelfd::control {
namespace {

constexpr gid_t users_group = 100;  // base-passwd fixes these numbers
constexpr gid_t games_group = 60;
constexpr gid_t nobody_group = 65534;

int status_of(const std::string& answer)
{
    return answer.starts_with("HTTP/1.1 ") ? std::stoi(answer.substr(9, 3)) : 0;
}

bool holds(const std::string& text, const std::string& part)
{
    return text.find(part) != std::string::npos;
}

TEST_CASE("the socket's file is open to all, because the peer decides")
{
    const RunningServer server;
    struct stat found {};
    REQUIRE(::lstat(server.socket().c_str(), &found) == 0);
    CHECK(S_ISSOCK(found.st_mode));
    CHECK((found.st_mode & 0777) == 0666);
    CHECK(server.warnings().empty());
}

TEST_CASE("rights go by who is at the other end")
{
    if (::geteuid() != 0) {
        WARN("needs root, to become other users");
        return;
    }
    struct Row {
        const char* name;
        User user;
        int look;
        int act;
        const char* sentence;
    };
    const std::vector<Row> rows = {
        {"root", {0, 0, {}}, 200, 200, ""},
        {"an admin by a supplementary group", {12345, nobody_group, {1, games_group, 2}}, 200, 200, ""},
        {"an admin by the primary group", {12345, games_group, {}}, 200, 200, ""},
        {"a reader by a supplementary group",
         {12345, nobody_group, {users_group}},
         200,
         403,
         "but not change anything"},
        {"a reader by the primary group", {12345, users_group, {}}, 200, 403, "join the group games"},
        {"a member of forty groups", {12345, nobody_group, {}}, 403, 403, "join the group users"},
        {"a stranger", {12345, nobody_group, {}}, 403, 403, "uid 12345 may not use this daemon"},
    };
    RunningServer server;
    for (auto row : rows) {
        INFO(row.name);
        if (std::string(row.name).find("forty") != std::string::npos) {
            for (gid_t group = 2000; group < 2040; ++group) {
                row.user.groups.push_back(group);
            }
        }
        const auto look = exchange_as(row.user, server.socket(), get("/v1/status"));
        CHECK(status_of(look) == row.look);
        CHECK(holds(look, "format_version") == (row.look == 200));
        const auto act = exchange_as(row.user, server.socket(), post("/v1/reload", ""));
        CHECK(status_of(act) == row.act);
        CHECK(holds(act, row.sentence));
    }
    CHECK(server.asked.all().size() == 3);
    CHECK(server.logged.contains("control: reload requested"));
    CHECK(server.logged.contains("uid=12345"));
    CHECK(server.logged.contains("control: refused an action user=uid 12345 uid=12345"));
}

TEST_CASE("a reader of one library looks at that library alone, and changes nothing")
{
    if (::geteuid() != 0) {
        WARN("needs root, to become other users");
        return;
    }
    constexpr gid_t staff = 64'201;
    constexpr uid_t erik = 64'202;
    RunningServer server([](RecordingOperations& operations) {
        operations.of_single_libraries = {
            {"ghent", {{Account::Kind::group, staff, "staff"}, {Account::Kind::user, erik, "erik"}}}};
        operations.status_now = [] {
            auto status = fresh_status();
            status.libraries[1].budget.group = "ghent";
            return status;
        };
    });
    struct Row {
        const char* name;
        User user;
        bool sees_ghent;
        bool sees_antwerp;
    };
    for (const auto& row : {
             Row{"by a group", {12345, nobody_group, {staff}}, true, false},
             Row{"by the name", {erik, nobody_group, {}}, true, false},
             Row{"of all libraries", {12345, nobody_group, {users_group, staff}}, true, true},
             Row{"a stranger", {12346, nobody_group, {}}, false, false},
         }) {
        INFO(row.name);
        const auto as = [&](const std::string& request) { return exchange_as(row.user, server.socket(), request); };
        for (const auto* path : {"/v1/status", "/v1/metrics", "/v1/metrics?detail=all", "/metrics?detail=antwerp"}) {
            INFO(path);
            const auto answer = as(get(path));
            CHECK(holds(answer, "ghent") == row.sees_ghent);
            CHECK(holds(answer, "antwerp") == row.sees_antwerp);
        }
        const int ghent = row.sees_ghent ? 200 : 403;
        const int antwerp = row.sees_antwerp ? 200 : row.sees_ghent ? 404 : 403;
        CHECK(status_of(as(post("/v1/wait", R"({"library":"ghent"})"))) == ghent);
        CHECK(status_of(as(post("/v1/wait", R"({"library":"antwerp"})"))) == antwerp);
        CHECK(status_of(as(post("/v1/held", R"({"library":"ghent","resource":"recipes"})"))) == ghent);
        const auto held = as(post("/v1/held", R"({"library":"antwerp","resource":"recipes"})"));
        CHECK(status_of(held) == antwerp);
        CHECK(holds(held, "(known: ghent)") == (antwerp == 404));
        CHECK(status_of(as(get("/v1/alerts"))) == ghent);
        CHECK(status_of(as(post("/v1/sync", R"({"library":"ghent"})"))) == 403);
        CHECK(status_of(as(get("/v1/config"))) == 403);
    }
}

TEST_CASE("every request has its answer")
{
    struct Row {
        const char* name;
        std::string request;
        int status;
        const char* part;
        const char* asked;
    };
    const std::vector<Row> rows = {
        {"health", get("/healthz"), 200, "ok\n", ""},
        {"status", get("/v1/status"), 200, "\"format_version\":1", ""},
        {"metrics", get("/v1/metrics"), 200, "# TYPE shelfd_library_state gauge", ""},
        {"metrics of each table", get("/v1/metrics?detail=ghent"), 200,
         "shelfd_resource_rows{library=\"ghent\",resource=\"recipes\"} 1200", ""},
        {"metrics of a misspelt scope", get("/v1/metrics?details=ghent"), 400, "write detail=LIBRARY", ""},
        {"a sync, streamed", post("/v1/sync", R"({"library":"antwerp"})"), 200, R"({"event":"done","ok":true})",
         "sync antwerp "},
        {"a sync of one table", post("/v1/sync", R"({"library":"antwerp","resource":"stock","full":true})"), 200,
         "\"state\":\"ended\"", "sync antwerp stock full"},
        {"a window of one table",
         post("/v1/sync", R"({"library":"antwerp","resource":"stock","from":"2026-01-01","to":"2026-01-31"})"), 200,
         "\"state\":\"ended\"", "sync antwerp stock 2026-01-01..2026-01-31"},
        {"a window of no table", post("/v1/sync", R"({"library":"antwerp","from":"2026-01-01","to":"2026-01-31"})"),
         400, "name the resource", ""},
        {"half a window", post("/v1/sync", R"({"library":"antwerp","resource":"stock","from":"2026-01-01"})"), 400,
         "must be given together", ""},
        {"a sync nobody waits for", post("/v1/sync", R"({"library":"antwerp","background":true})"), 200, "done",
         "sync antwerp  background"},
        {"a sync of what is old, only told of",
         post("/v1/sync", R"({"library":"antwerp","if_older_seconds":900,"dry_run":true})"), 200,
         R"("state":"planned","plan":{"mode":"full","why":"because","target":"/r/","tries_filter":false,"asks_identity":true,"requests":null})",
         "sync antwerp  older 900 dry"},
        {"a sync of what is not there", post("/v1/sync", R"({"library":"gent"})"), 404, "ghent, antwerp", ""},
        {"a sync without a library", post("/v1/sync", "{}"), 400, "\\\"library\\\" is missing", ""},
        {"a misspelt member", post("/v1/sync", R"({"library":"antwerp","ful":true})"), 400,
         "unknown member \\\"ful\\\"", ""},
        {"a member of another type", post("/v1/sync", R"({"library":"antwerp","full":"yes"})"), 400,
         "must be true or false", ""},
        {"a nested member", post("/v1/sync", R"({"library":{}})"), 400, "is not a text, a number", ""},
        {"a body that is no JSON", post("/v1/sync", "library=antwerp"), 400, "not a JSON object", ""},
        {"a wait", post("/v1/wait", R"({"library":"antwerp","timeout_seconds":1})"), 200, R"("ok":true)", ""},
        {"a wait of negative length", post("/v1/wait", R"({"timeout_seconds":-1})"), 400, "between 0 and", ""},
        {"a reload", post("/v1/reload", ""), 200, "library ghent added", "reload"},
        {"an import", post("/v1/auth/import?library=antwerp", "access_token=abc"), 200, "answers as 42",
         "import antwerp 16 bytes"},
        {"an import without refresh", post("/v1/auth/import?library=antwerp&sealing=access_only", "x"), 200, "42",
         "import antwerp 1 bytes access_only"},
        {"an import that may destroy", post("/v1/auth/import?library=antwerp&sealing=access_only&force=true", "x"), 200,
         "42", "import antwerp 1 bytes access_only force"},
        {"an import of nothing", post("/v1/auth/import?library=antwerp", ""), 400, "no token set was given", ""},
        {"an import to nowhere", post("/v1/auth/import?library=gent", "x"), 404, "no library gent", ""},
        {"an import with a misspelt option", post("/v1/auth/import?library=antwerp&seal=no", "x"), 400,
         "unknown member \\\"seal\\\"", ""},
        {"a login", post("/v1/auth/login", R"({"library":"antwerp"})"), 200,
         R"("authorize_url":"https://app.example.com/oauth/authorize/")", "login antwerp"},
        {"a login that is nobody's", post("/v1/auth/login", R"({"library":"gent"})"), 404, "no library gent", ""},
        {"a code", post("/v1/auth/code?library=antwerp", "code=abc\ncode_verifier=def\nredirect_uri=http://x/?a=b"),
         200, "answers as 42", "code antwerp http://x/?a=b"},
        {"a code without its verifier", post("/v1/auth/code?library=antwerp", "code=abc\nredirect_uri=x"), 400,
         "one of code, code_verifier and redirect_uri is missing", ""},
        {"a code with more", post("/v1/auth/code?library=antwerp", "code=abc\nmore=x"), 400, "the lines code=", ""},
        {"a code for no library", post("/v1/auth/code", "code=abc"), 400, "is missing", ""},
        {"a move out", post("/v1/auth/move-out", R"({"library":"antwerp","to":"shelf2"})"), 200, "the-set-of-antwerp",
         "move out antwerp shelf2"},
        {"a move of nothing", post("/v1/auth/move-out", R"({"library":"gent"})"), 404, "no library gent", ""},
        {"a move in", post("/v1/auth/move-in?library=antwerp", "abc"), 200, "answers as 42", "move in antwerp 3 bytes"},
        {"a move to nowhere", post("/v1/auth/move-in", "abc"), 400, "is missing", ""},
        {"an adoption", post("/v1/auth/adopt", R"({"library":"antwerp"})"), 200, "true", "adopt antwerp"},
        {"an operation that fails", post("/v1/auth/forget", R"({"library":"antwerp"})"), 409,
         R"({"error":{"kind":"needs_person","text":"there is no set to forget"}})", "forget antwerp"},
        {"a token", post("/v1/auth/token", R"({"library":"antwerp"})"), 200, "access-token-of-antwerp",
         "token antwerp"},
        {"a snapshot", post("/v1/snapshot", R"({"library":"antwerp"})"), 200,
         R"({"ok":true,"path":"/m/antwerp/antwerp.snapshot.db","tables":2,"bytes":32768})", "snapshot antwerp"},
        {"a snapshot of nothing", post("/v1/snapshot", R"({"library":"gent"})"), 404, "no library gent", ""},
        {"a retype", post("/v1/retype", R"({"library":"antwerp","resource":"recipes","column":"price"})"), 200,
         R"({"ok":true,"before":"integer","after":"text","rows":3})", "retype antwerp recipes price"},
        {"a retype of no column", post("/v1/retype", R"({"library":"antwerp","resource":"recipes"})"), 400,
         "\\\"column\\\" is missing", ""},
        {"a retype of a table that is not there",
         post("/v1/retype", R"({"library":"antwerp","resource":"sales","column":"price"})"), 404, "sales", ""},
        {"held rows", post("/v1/held", R"({"library":"antwerp","resource":"recipes"})"), 200,
         R"({"ok":true,"waiting":2,"kept":1,"rows":[{"key":"\"a\"","since":"1970-01-01T00:00:00.000000Z","kept":true,"why":"because"}]})",
         "held antwerp recipes"},
        {"held rows of a table that is not there", post("/v1/held", R"({"library":"antwerp","resource":"sales"})"), 404,
         "sales", ""},
        {"held rows accepted", post("/v1/held/decide", R"({"library":"antwerp","resource":"recipes","fate":"accept"})"),
         200, R"({"ok":true,"rows":3,"left":1})", "decide antwerp recipes accept"},
        {"two held rows kept",
         post("/v1/held/decide", R"({"library":"antwerp","resource":"recipes","fate":"keep","keys":["7","\"a\""]})"),
         200, R"({"ok":true,"rows":3,"left":1})", "decide antwerp recipes keep 7 \"a\""},
        {"a decision that is none",
         post("/v1/held/decide", R"({"library":"antwerp","resource":"recipes","fate":"both"})"), 400,
         "must be accept or keep", ""},
        {"keys that are no texts",
         post("/v1/held/decide", R"({"library":"antwerp","resource":"recipes","fate":"keep","keys":[7]})"), 400,
         "or a list of texts", ""},
        {"a key that is no list",
         post("/v1/held/decide", R"({"library":"antwerp","resource":"recipes","fate":"keep","keys":"7"})"), 400,
         "\\\"keys\\\" must be a list of texts", ""},
        {"an address of the service", post("/v1/get", R"({"library":"antwerp","path":"/x/?a=1"})"), 200,
         "{\"status\":404,\"content_type\":\"text/html\",\"bytes\":5,\"headers\":{\"Retry-After\":\"7\"}}\n"
         "<p>no",
         "get antwerp /x/?a=1"},
        {"an address of nobody", post("/v1/get", R"({"library":"gent","path":"/x/"})"), 404, "no library gent", ""},
        {"no address", post("/v1/get", R"({"library":"antwerp"})"), 400, "\\\"path\\\" is missing", ""},
        {"a comparison of rows",
         post("/v1/verify", R"({"library":"antwerp","resource":"recipes","keys":["7","\"a\""]})"), 200,
         R"({"event":"row","key":"7","verdict":"differs","why":"","address":"/r/7/","differences":[{"member":"\"a\"","mirror":"1","service":null}],"as_of":null,"modified":null,"changed_since":false})",
         "verify antwerp recipes 7 \"a\""},
        {"a comparison by chance", post("/v1/verify", R"({"library":"antwerp","resource":"recipes","sample":5})"), 200,
         R"({"event":"done","ok":true})", "verify antwerp recipes sample 5"},
        {"a comparison of nothing", post("/v1/verify", R"({"library":"antwerp","resource":"recipes"})"), 400,
         "give either", ""},
        {"a comparison of half a row", post("/v1/verify", R"({"library":"antwerp","resource":"recipes","sample":0.5})"),
         400, "a whole number", ""},
        {"a look at lists", post("/v1/probe", R"({"library":"antwerp","paths":["/r/"]})"), 200,
         R"x({"event":"list","path":"/r/","readable":true,"forbidden":false,"lines":["key: id"],"toml":"[resource.r]\n","envelope":"counted","count":3,"key":"id","needs_key":false,"key_candidates":[],"newest_first":null,"filter":null,"window_field":"date","full_requests":null,"refuses_wrong_token":true,"personal":["email"],"detail_members":[],"texts":[{"member":"price","holds":"decimals","compare_with":"CAST(price AS REAL)"}],"requests":6})x",
         "probe antwerp /r/"},
        {"a search for lists", post("/v1/probe", R"({"library":"antwerp","extent":"survey"})"), 200,
         R"({"event":"found","path":"/r/","source":"OpenAPI 3.0.2 at /openapi.json","title":"R","verdict":"list","why":null,"resource":null,"envelope":"counted","count":3,"page_rows":3,"more":false,"explore_requests":16})",
         "probe antwerp "},
        {"what a search says of identity", post("/v1/probe", R"({"library":"antwerp","extent":"survey"})"), 200,
         R"({"event":"identity","path":"/me/","field":"id","user_field":"user.id","configured":true})",
         "probe antwerp "},
        {"a search in paths", post("/v1/probe", R"({"library":"antwerp","extent":"survey","paths":["/r/"]})"), 400,
         "exclude each other", ""},
        {"a search of an unknown kind", post("/v1/probe", R"({"library":"antwerp","extent":"all"})"), 400, "must be",
         ""},
        {"alerts", get("/v1/alerts"), 200, R"("target":"/bin/mail","on":["page"],"waiting":2)", ""},
        {"calls that wait", get("/v1/alerts"), 200,
         R"("called":["mail"],"waiting":[{"hook":"chat","since":"2024-01-06T06:00:00.000000Z"}],"dropped":["desk"])",
         ""},
        {"a test of a hook", post("/v1/hooks/test", R"({"hook":"mail"})"), 200, R"({"ok":true})", "test mail"},
        {"a test of no hook", post("/v1/hooks/test", R"({"hook":"chat"})"), 404, "there is no hook chat", "test chat"},
        {"a silence", post("/v1/silence", R"({"library":"antwerp","seconds":7200})"), 200,
         R"({"until":"2024-01-06T06:00:00.000000Z","longer":0})", "silence antwerp 7200"},
        {"the end of a silence", post("/v1/silence", R"({"library":"antwerp"})"), 200, R"({"until":null,"longer":0})",
         "silence antwerp 0"},
        {"a look at lists of nobody", post("/v1/probe", R"({"library":"gent"})"), 404, "no library gent", ""},
        {"a path that is none", get("/v2/status"), 404, "nothing at /v2/status", ""},
        {"another method", get("/v1/sync"), 405, "/v1/sync accepts only POST", ""},
        {"no HTTP", "hello\r\n\r\n", 400, "not an HTTP/1.1 request", ""},
        {"a header without end", "GET /" + std::string(20'000, 'x'), 400, "not an HTTP/1.1 request", ""},
    };
    for (const auto& row : rows) {
        INFO(row.name);
        RunningServer server;
        const auto answer = exchange(server.socket(), row.request);
        CHECK(status_of(answer) == row.status);
        CHECK(holds(answer, row.part));
        const auto asked = server.asked.all();
        CHECK((asked.empty() ? "" : asked.front()) == std::string(row.asked));
    }
}

TEST_CASE("ten megabytes are refused with a sentence, announced or not")
{
    RunningServer server;
    const auto body = std::string(10'000'000, 'x');
    const auto at_once = exchange(server.socket(), post("/v1/auth/import?library=antwerp", body));
    CHECK(status_of(at_once) == 413);
    CHECK(holds(at_once, "larger than 1 MiB"));
    const auto chunked = exchange(server.socket(), "POST /v1/auth/import?library=antwerp HTTP/1.1\r\nHost: x\r\n"
                                                   "Transfer-Encoding: chunked\r\n\r\n989680\r\n" +
                                                       body + "\r\n0\r\n\r\n");
    CHECK(status_of(chunked) == 413);
    CHECK(server.asked.all().empty());
}

TEST_CASE("a client that asks first is told to go on")
{
    RunningServer server;
    OpenClient client(server.socket());
    client.send("POST /v1/auth/import?library=antwerp HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\n"
                "Content-Length: 4\r\nConnection: close\r\n\r\n");
    CHECK(holds(client.read_until("\r\n\r\n"), "HTTP/1.1 100 Continue"));
    client.send("abcd");
    CHECK(holds(client.read_to_end(), "HTTP/1.1 200 OK"));
}

TEST_CASE("one connection carries several requests")
{
    RunningServer server;
    OpenClient client(server.socket());
    for (int i = 0; i < 3; ++i) {
        client.send("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n");
    }
    client.send(get("/v1/nothing"));
    const auto answers = client.read_to_end();
    CHECK(holds(answers, "404"));
    std::size_t count = 0;
    for (auto at = answers.find("ok\n"); at != std::string::npos; at = answers.find("ok\n", at + 1)) {
        ++count;
    }
    CHECK(count == 3);
}

// Runs until it is cancelled, and notes that.
asio::awaitable<Result<void>> endless(Journal& journal, ProgressSink progress, std::promise<void>& ended)
{
    struct Note {
        Journal& journal;
        std::promise<void>& ended;
        ~Note()
        {
            journal.note("ended");
            ended.set_value();
        }
    };
    const Note note{journal, ended};
    ProgressEvent event;
    event.resource = "recipes";
    progress(event);
    asio::steady_timer timer(co_await asio::this_coro::executor, std::chrono::hours(1));
    co_await timer.async_wait(asio::use_awaitable);
    co_return Result<void>();
}

TEST_CASE("a client that goes away in a stream takes its operation with it, and nothing else")
{
    Journal journal;
    std::promise<void> ended;
    RunningServer server([&](RecordingOperations& operations) {
        operations.instead_of_sync = [&](SyncRequest, ProgressSink progress) {
            return endless(journal, std::move(progress), ended);
        };
    });
    {
        OpenClient client(server.socket());
        client.send(post("/v1/sync", R"({"library":"antwerp"})"));
        CHECK(holds(client.read_until("queued"), "\"state\":\"queued\""));
        CHECK(journal.all().empty());
    }
    ended.get_future().wait();
    CHECK(status_of(exchange(server.socket(), get("/healthz"))) == 200);
}

TEST_CASE("stopping ends every connection and removes the file")
{
    Journal journal;
    std::promise<void> ended;
    RunningServer server([&](RecordingOperations& operations) {
        operations.instead_of_sync = [&](SyncRequest, ProgressSink progress) {
            return endless(journal, std::move(progress), ended);
        };
    });
    OpenClient idle(server.socket());
    idle.send("GET /heal");
    OpenClient streaming(server.socket());
    streaming.send(post("/v1/sync", R"({"library":"antwerp"})"));
    streaming.read_until("queued");
    const auto path = server.socket();
    server.stop();
    CHECK(journal.all() == std::vector<std::string>{"ended"});
    CHECK(idle.read_to_end().empty());
    CHECK_FALSE(holds(streaming.read_to_end(), "done"));
    CHECK_FALSE(std::filesystem::exists(path));
}

TEST_CASE("who holds as many streams as one may is told so at the next, and still gets short answers")
{
    RunningServer server([](RecordingOperations& operations) {
        operations.instead_of_sync = [](SyncRequest, ProgressSink) -> asio::awaitable<Result<void>> {
            asio::steady_timer never(co_await asio::this_coro::executor, std::chrono::hours(1));
            co_await never.async_wait(asio::use_awaitable);
            co_return Result<void>();
        };
    });
    const auto sync = post("/v1/sync", R"({"library":"antwerp"})");
    std::vector<std::unique_ptr<OpenClient>> streams;
    for (int i = 0; i < 32; ++i) {
        streams.push_back(std::make_unique<OpenClient>(server.socket()));
        streams.back()->send(sync);
        streams.back()->read_until("200 OK");
    }
    for (int again = 0; again < 2; ++again) {
        const auto refused = exchange(server.socket(), sync);
        CHECK(status_of(refused) == 429);
        CHECK(holds(refused, fmt::format("32 connections of uid {} to the daemon are open", ::geteuid())));
        CHECK(status_of(exchange(server.socket(), get("/healthz"))) == 200);
    }
    std::size_t lines = 0;
    for (const auto& line : server.logged.all()) {
        lines += holds(line, "control: refused: 32 connections") ? 1 : 0;
    }
    CHECK(lines == 1);
    streams.pop_back();
    bool admitted = false;
    for (int attempt = 0; attempt < 10'000 && !admitted; ++attempt) {  // the server has to see first that one left
        OpenClient next(server.socket());
        next.send(sync);
        admitted = holds(next.read_until("\r\n"), "200 OK");
    }
    CHECK(admitted);
    server.stop();
}

TEST_CASE("one user's connections do not shut the others out")
{
    if (::geteuid() != 0) {
        WARN("needs root, to become another user");
        return;
    }
    RunningServer server;
    std::vector<std::unique_ptr<OpenClient>> clients;
    // More than are told why they are refused at the same time.
    for (int i = 0; i < 180; ++i) {
        clients.push_back(std::make_unique<OpenClient>(server.socket()));
        clients.back()->send("GET /heal");
    }
    const auto refused = clients.back()->read_to_end();
    CHECK(status_of(refused) == 429);
    CHECK(holds(refused, "64 connections of uid 0 to the daemon are open, the limit for one user"));
    CHECK(server.logged.contains("32 connections of uid 0 to the daemon are open"));
    const User admin{12345, games_group, {}};
    CHECK(status_of(exchange_as(admin, server.socket(), get("/healthz"))) == 200);
}

TEST_CASE("users without rights take no place of those who have, however many they are and whatever they send")
{
    if (::geteuid() != 0) {
        WARN("needs root, to become other users");
        return;
    }
    RunningServer server;
    std::vector<std::unique_ptr<CrowdOfStrangers>> crowds;
    for (uid_t uid = 12340; uid < 12346; ++uid) {
        crowds.push_back(std::make_unique<CrowdOfStrangers>(User{uid, nobody_group, {}}, server.socket(), 80));
    }
    const User reader{12350, users_group, {}};
    const User admin{12351, games_group, {}};
    const User stranger{12340, nobody_group, {}};
    for (int again = 0; again < 3; ++again) {
        CHECK(status_of(exchange_as(reader, server.socket(), get("/v1/status"))) == 200);
        CHECK(status_of(exchange_as(admin, server.socket(), post("/v1/reload", ""))) == 200);
    }
    crowds.clear();
    std::string answer;
    for (int attempt = 0; attempt < 10'000 && answer.empty();
         ++attempt) {  // the server has to see first that they left
        answer = exchange_as(stranger, server.socket(), get("/v1/status"));
    }
    CHECK(status_of(answer) == 403);
    CHECK(holds(answer, "uid 12340 may not use this daemon: use root, or join the group users"));
    CHECK(server.logged.contains("control: refused: a user without rights user=uid 12340 uid=12340 pid="));
    CHECK(server.logged.contains("verb=status"));
}

TEST_CASE("what users without rights ask is logged with user, verb and library, each call")
{
    if (::geteuid() != 0) {
        WARN("needs root, to become other users");
        return;
    }
    RunningServer server;
    const User stranger{12340, nobody_group, {}};
    for (int again = 0; again < 2; ++again) {
        for (const auto& request :
             {post("/v1/sync", R"({"library":"antwerp"})"), post("/v1/library/forget", R"({"library":"ghent"})"),
              post("/v1/auth/import?library=antwerp", "access_token=hidden"), get("/no/such/place"),
              get("/v1/status")}) {
            CHECK(status_of(exchange_as(stranger, server.socket(), request)) == 403);
        }
    }
    CHECK(server.asked.all().empty());
    std::vector<std::string> lines;
    for (auto line : server.logged.all()) {
        const auto pid = line.find(" pid=");
        if (line.starts_with("control: refused") && pid != std::string::npos) {
            line.erase(pid, line.find(' ', pid + 1) - pid);
        }
        if (line.starts_with("control: refused")) {
            lines.push_back(line);
        }
    }
    const std::string who = "user=uid 12340 uid=12340";
    const std::vector<std::string> once = {
        "control: refused: a user without rights library=antwerp " + who + " verb=sync",
        "control: refused: a user without rights library=ghent " + who + " verb=library forget",
        "control: refused: a user without rights library=antwerp " + who + " verb=auth import",
        "control: refused: a user without rights, who asked for an unknown address " + who,
        "control: refused: a user without rights " + who + " verb=status",
    };
    auto both = once;
    both.insert(both.end(), once.begin(), once.end());
    CHECK(lines == both);
}

TEST_CASE("a user without rights hears of readers only where a library has some of its own")
{
    if (::geteuid() != 0) {
        WARN("needs root, to become other users");
        return;
    }
    const User stranger{12340, nobody_group, {}};
    const auto* advice = "for a library that has readers of its own, an admin adds your name to readers of";
    RunningServer plain;
    CHECK_FALSE(holds(exchange_as(stranger, plain.socket(), get("/v1/status")), advice));
    RunningServer server([](RecordingOperations& operations) {
        operations.of_single_libraries = {{"ghent", {{Account::Kind::group, 64'201, "staff"}}}};
    });
    const auto answer = exchange_as(stranger, server.socket(), get("/v1/status"));
    CHECK(holds(answer, advice));
    CHECK_FALSE(holds(answer, "ghent"));
}

TEST_CASE("an operation that throws is told as a bug to who asked, and the server goes on")
{
    RunningServer server([](RecordingOperations& operations) {
        operations.instead_of_reload = []() -> asio::awaitable<Result<ReloadReport>> {
            throw std::out_of_range("planted");
            co_return ReloadReport();
        };
        operations.instead_of_sync = [](SyncRequest, ProgressSink) -> asio::awaitable<Result<void>> {
            throw std::out_of_range("planted");
            co_return Result<void>();
        };
    });
    const auto reload = exchange(server.socket(), post("/v1/reload", ""));
    CHECK(status_of(reload) == 502);
    CHECK(holds(reload, "bug in shelfd: planted"));
    const auto sync = exchange(server.socket(), post("/v1/sync", R"({"library":"antwerp"})"));
    CHECK(holds(sync, "bug in shelfd: planted"));
    CHECK(server.logged.contains("please send a bug report"));
    CHECK(status_of(exchange(server.socket(), get("/healthz"))) == 200);
}

}  // namespace
}  // namespace shelfd::control
