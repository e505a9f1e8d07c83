#include "ctl/socket_server.hpp"
#include "ctl/verb/verbs.hpp"
#include "ctl/verb_bench.hpp"
#include "support/catch.hpp"

#include <unistd.h>

namespace shelfd::ctl {
namespace {

struct InquiryBench : VerbBench {
    std::string request;

    InquiryBench() { command.library = "antwerp"; }
    ExitCode run(ExitCode (*verb)(const Context&), int status, const std::string& answer)
    {
        ::unlink(environment["SHELFD_SOCKET"].c_str());  // of the call before
        SocketServer server(environment["SHELFD_SOCKET"], {http_answer(status, answer)});
        captured.out.clear();
        captured.err.clear();
        const auto code = verb(context());
        request = server.requests().front();
        return code;
    }
    bool asked(const std::string& part) const { return request.find(part) != std::string::npos; }
    bool says(const std::string& part) const { return captured.out.find(part) != std::string::npos; }
};

constexpr auto equal = R"({"event":"row","key":"42","verdict":"equal","why":"","address":"/r/42/","differences":[]})";
constexpr auto done = R"({"event":"done","ok":true})";

std::string differing(const std::string& since)
{
    return R"({"event":"row","key":"7","verdict":"differs","address":"/r/7/","as_of":"2024-01-06T06:00:00.000000Z",)"
           R"("differences":[{"member":"\"name\"","mirror":"\"Soup\"","service":"\"Bisque\""},)"
           R"({"member":"\"note\"","mirror":"null","service":null}],)" +
           since + "}";
}

TEST_CASE("a comparison without keys names the table that is not there, or what to type")
{
    constexpr auto status = R"({"format_version":1,"pid":1,"now":"2024-01-06T06:00:00Z","libraries":[)"
                            R"({"name":"antwerp","state":"fresh","resources":[{"name":"recipes","state":"fresh"}]}]})";
    InquiryBench bench;
    bench.command.resource = "nope";
    CHECK(bench.run(run_verify, 200, status) == ExitCode::usage);
    CHECK(bench.captured.err.find("library antwerp has no table nope (it has: recipes)") != std::string::npos);
    bench.command.resource = "recipes";
    CHECK(bench.run(run_verify, 200, status) == ExitCode::usage);
    CHECK(bench.captured.err.find("shelfctl verify antwerp recipes --sample 10") != std::string::npos);
}

TEST_CASE("a service that does not answer a get is looked up in the status")
{
    InquiryBench bench;
    bench.command.inquiry.paths = {"/x/"};
    bench.run(run_get, 502, R"({"error":{"kind":"network","text":"Connection refused"}})");
    CHECK(bench.captured.err.find("Connection refused; what the daemon knows of it: shelfctl status antwerp") !=
          std::string::npos);
}

TEST_CASE("rows that are equal are one line each, and exit 0")
{
    InquiryBench bench;
    bench.command.resource = "recipes";
    bench.command.keys = {"42"};
    CHECK(bench.run(run_verify, 200, std::string(equal) + "\n" + done + "\n") == ExitCode::done);
    CHECK(bench.asked("POST /v1/verify HTTP/1.1"));
    CHECK(bench.asked(R"({"library":"antwerp","resource":"recipes","keys":["42"]})"));
    CHECK(bench.captured.out == "42: equal\n1 row compared: 1 equal, 0 not\n");
    bench.command.keys.clear();
    bench.command.inquiry.sample = 20;
    CHECK(bench.run(run_verify, 200, std::string(equal) + "\n" + done + "\n") == ExitCode::done);
    CHECK(bench.asked(R"("sample":20)"));
}

TEST_CASE("a difference shows both values, and whether a newer change explains it; exit 1")
{
    InquiryBench bench;
    bench.command.resource = "recipes";
    bench.command.keys = {"7"};
    const auto newer = differing(R"("modified":"2024-01-06T06:05:00.000000Z","changed_since":true)");
    CHECK(bench.run(run_verify, 200, newer + "\n" + done + "\n") == ExitCode::failed);
    CHECK(bench.captured.out == "7: differs\n"
                                "  \"name\"\n"
                                "    mirror   \"Soup\"\n"
                                "    service  \"Bisque\"\n"
                                "  \"note\"\n"
                                "    mirror   null\n"
                                "    service  (not there)\n"
                                "  the table is as of 2024-01-06T06:00:00Z, the service says the item was modified "
                                "2024-01-06T06:05:00Z: changed since, the next pass fetches it\n"
                                "1 row compared: 0 equal, 1 not\n");
    const auto older = differing(R"("modified":"2024-01-06T05:05:00.000000Z","changed_since":false)");
    CHECK(bench.run(run_verify, 200, older + "\n" + done + "\n") == ExitCode::failed);
    CHECK(bench.says("not changed since, so the row is wrong"));
    const auto unknown = differing(R"("modified":null,"changed_since":false)");
    CHECK(bench.run(run_verify, 200, unknown + "\n" + done + "\n") == ExitCode::failed);
    CHECK(bench.says("does not say when"));
}

TEST_CASE("rows that could not be compared say why, and how the command ends says it, too")
{
    InquiryBench bench;
    bench.command.resource = "recipes";
    bench.command.keys = {"7"};
    const auto row = [](const std::string& verdict) {
        return R"({"event":"row","key":"7","verdict":")" + verdict + R"(","why":"because","address":"/r/7/"})" + "\n";
    };
    CHECK(bench.run(run_verify, 200, row("not_here") + done + "\n") == ExitCode::usage);
    CHECK(bench.says("7: because\n"));
    CHECK(bench.run(run_verify, 200, row("gone") + done + "\n") == ExitCode::failed);
    CHECK(bench.says("requested at /r/7/; the table was never filled completely"));
    const std::string as_of =
        R"({"event":"row","key":"7","verdict":"gone","as_of":"2024-01-06T06:00:00Z","address":"/r/7/"})";
    CHECK(bench.run(run_verify, 200, as_of + "\n" + done + "\n") == ExitCode::failed);
    CHECK(
        bench.says("the table is as of 2024-01-06T06:00:00Z: if the item was deleted after that, a full pass deletes"));
    CHECK(bench.run(run_verify, 200, row("missing") + done + "\n") == ExitCode::failed);
    CHECK(bench.says("the table is not complete yet"));
    const auto missing = [](const std::string& since) {
        return R"({"event":"row","key":"7","verdict":"missing","why":"because","address":"/r/7/",)"
               R"("as_of":"2024-01-06T06:00:00.000000Z",)" +
               since + "}\n" + done + "\n";
    };
    const auto newer = missing(R"("modified":"2024-01-06T06:05:00.000000Z","changed_since":true)");
    CHECK(bench.run(run_verify, 200, newer) == ExitCode::failed);
    CHECK(bench.says("modified 2024-01-06T06:05:00Z: the next pass fetches it\n"));
    CHECK(bench.run(run_verify, 200, missing(R"("modified":null,"changed_since":false)")) == ExitCode::failed);
    CHECK(bench.says("requested at /r/7/; the table is as of 2024-01-06T06:00:00Z: unless the list omits it"));
    CHECK(bench.run(run_verify, 200, row("not_compared") + done + "\n") == ExitCode::failed);
    const std::string refused =
        R"({"event":"done","ok":false,"error":{"kind":"needs_person","text":"a scope is missing"}})";
    CHECK(bench.run(run_verify, 200, refused + "\n") == ExitCode::needs_person);
    CHECK(bench.captured.err == "shelfctl: a scope is missing; what the daemon knows of it: shelfctl status antwerp\n");
    CHECK(bench.run(run_verify, 200, std::string(equal) + "\n") == ExitCode::busy);
    CHECK(bench.run(run_verify, 404, R"({"error":{"kind":"not_found","text":"no library gent"}})") == ExitCode::usage);
}

TEST_CASE("a comparison of no rows is refused before anything is asked")
{
    InquiryBench bench;
    bench.command.resource = "recipes";
    CHECK(run_verify(bench.context()) == ExitCode::usage);
    CHECK(bench.captured.err.find("--sample 10") != std::string::npos);
}

TEST_CASE("a comparison as JSON is the lines of the daemon, signs of life left out")
{
    InquiryBench bench;
    bench.command.resource = "recipes";
    bench.command.inquiry.sample = 1;
    bench.command.output = Output::json;
    CHECK(bench.run(run_verify, 200, std::string("{\"event\":\"alive\"}\n") + equal + "\n" + done + "\n") ==
          ExitCode::done);
    CHECK(bench.captured.out == std::string(equal) + "\n" + done + "\n");
}

TEST_CASE("what was found of lists is printed as comments above the block to paste")
{
    InquiryBench bench;
    bench.command.inquiry.paths = {"/r/", "/s/"};
    const auto list = [](const std::string& path, const std::string& rest) {
        return R"({"event":"list","path":")" + path + R"(","requests":6,"lines":["key: id","a b"],)" + rest + "}\n";
    };
    const auto good = list("/r/", R"("readable":true,"toml":"[resource.r]\npath = \"/r/\"\n")");
    CHECK(bench.run(run_probe, 200, good + done + "\n") == ExitCode::done);
    CHECK(bench.asked(R"({"library":"antwerp","paths":["/r/","/s/"]})"));
    CHECK(bench.captured.out == "# /r/ (6 requests)\n"
                                "#   key: id\n"
                                "#   a b\n"
                                "# paste this into the configuration, then: shelfctl config check, shelfctl reload\n"
                                "[resource.r]\n"
                                "path = \"/r/\"\n");
    const auto bad = list("/s/", R"("readable":false,"toml":"")");
    CHECK(bench.run(run_probe, 200, bad + done + "\n") == ExitCode::failed);
    const auto hidden = list("/t/", R"("readable":false,"forbidden":true,"toml":"")");
    CHECK(bench.run(run_probe, 200, good + hidden + done + "\n") == ExitCode::needs_person);
    CHECK(
        bench.captured.err.find("the service refuses /t/ (403): a scope or a permission is missing; what the token set "
                                "may do: shelfctl auth status antwerp") != std::string::npos);
    const std::string refused = R"({"event":"done","ok":false,"error":{"kind":"usage","text":"no path"}})";
    CHECK(bench.run(run_probe, 200, refused + "\n") == ExitCode::usage);
    bench.command.output = Output::json;
    CHECK(bench.run(run_probe, 200, good + done + "\n") == ExitCode::done);
    CHECK(bench.captured.out == good + done + "\n");
}

TEST_CASE("a search for lists shows each address, and what to type next")
{
    InquiryBench bench;
    const std::string plan = R"({"event":"plan","purpose":"to find the lists","requests":20})"
                             "\n"
                             R"({"event":"plan","purpose":"to try each address that was found","requests":3})"
                             "\n";
    const std::string list =
        R"({"event":"found","path":"/r/","source":"API root /","title":"Recipes","verdict":"list",)"
        R"("resource":"recipes","envelope":"counted","count":450,"page_rows":10,"more":true,"explore_requests":16})"
        "\n";
    const std::string silent = R"({"event":"found","path":"/s/","source":"API root /","title":null,"verdict":"list",)"
                               R"("envelope":"array","count":null,"page_rows":10,"more":true,"explore_requests":16})"
                               "\n";
    const std::string refused = R"({"event":"found","path":"/t/","source":"API root /","verdict":"forbidden",)"
                                R"("why":"HTTP 403"})"
                                "\n";
    const std::string guess = R"({"event":"found","path":"/u/","source":"usual path","verdict":"missing","why":"404"})"
                              "\n";
    CHECK(bench.run(run_probe, 200, plan + list + silent + refused + guess + done + "\n") == ExitCode::done);
    CHECK(bench.asked(R"({"library":"antwerp","paths":[],"extent":"survey"})"));
    CHECK(bench.captured.out == "# at most 20 requests to find the lists\n"
                                "# at most 3 requests to try each address that was found\n"
                                "# ADDRESS         ROWS  ANSWER     NAMED BY    ABOUT\n"
                                "# /r/              450  counted    API root /  mirrored as recipes: Recipes\n"
                                "# /s/      10 and more  array      API root /\n"
                                "# /t/                   forbidden  API root /  HTTP 403\n"
                                "# explore a list: shelfctl probe antwerp PATH; all of them, with at most 32 requests: "
                                "shelfctl probe antwerp --all\n");
    CHECK(bench.run(run_probe, 200, plan + refused + guess + done + "\n") == ExitCode::failed);
    CHECK(bench.captured.err.find("no list was found: name one") != std::string::npos);
}

TEST_CASE("a search that ends early shows what it had found, and why it ended")
{
    InquiryBench bench;
    const std::string plans = R"({"event":"plan","purpose":"x","requests":20})"
                              "\n"
                              R"({"event":"plan","purpose":"y","requests":2})"
                              "\n";
    const std::string found =
        R"({"event":"found","path":"/a/","source":"s","verdict":"list","count":1,"explore_requests":16})"
        "\n";
    const std::string left = R"({"event":"found","path":"/b/","source":"s","verdict":"untried","why":"not known"})"
                             "\n";
    const std::string ended =
        R"({"event":"done","ok":false,"error":{"kind":"network","text":"the search ended early: no answer"}})"
        "\n";
    const auto code = bench.run(run_probe, 200, plans + found + left + ended);
    CHECK(code != ExitCode::done);
    CHECK(bench.says("# /a/         1"));
    CHECK(bench.says("# /b/"));
    CHECK_FALSE(bench.says("# explore a list"));
    CHECK(bench.captured.err.find("the search ended early: no answer") != std::string::npos);
    bench.captured.err.clear();
    CHECK(bench.run(run_probe, 200, plans + left + ended) == code);
    CHECK(bench.captured.err.find("no list was found") == std::string::npos);
}

TEST_CASE("exploring all lists ends with a table of them and the configuration for all")
{
    InquiryBench bench;
    bench.command.all = true;
    const std::string texts =
        R"x("texts":[{"member":"price","holds":"decimals","compare_with":"CAST(price AS REAL)"},)x"
        R"({"member":"day","holds":"dates","compare_with":null}])";
    const auto list = [](const std::string& name, const std::string& rest) {
        return R"({"event":"list","path":"/)" + name + R"(/","readable":true,"lines":[],"toml":"[resource.)" + name +
               R"(]\n","key":"id",)" + rest + "}\n";
    };
    const std::string plans = R"({"event":"plan","purpose":"x","requests":20})"
                              "\n"
                              R"({"event":"plan","purpose":"y","requests":2})"
                              "\n";
    const std::string found = R"({"event":"found","path":"/a/","source":"s","verdict":"list","count":1})"
                              "\n";
    CHECK(bench.run(run_probe, 200,
                    plans + found + list("a", R"("count":7,"newest_first":true,"filter":"m__gt","full_requests":1)") +
                        list("b", R"("window_field":"date",)" + texts) + done + "\n") == ExitCode::done);
    CHECK(bench.asked(R"("extent":"thorough")"));
    CHECK(bench.says("# LIST  ROWS  KEY  ORDER         FILTER  WINDOWS  REQUESTS  TROUBLE\n"
                     "# /a/      7  id   newest first  m__gt                   1\n"
                     "# /b/         id                         by date\n"
                     "# /b/: price holds decimals, and compares letter by letter in SQL: write CAST(price AS REAL)\n"
                     "# /b/: day holds dates, and compares letter by letter in SQL\n"));
    CHECK(bench.says("# paste this into the configuration, then: shelfctl config check, shelfctl reload\n"
                     "[resource.a]\n\n[resource.b]\n"));
    // What is to be pasted is not broken between words where a person reads it.
    CapturedTerminal narrow({.is_terminal = true, .width = 20});
    const auto given = bench.context();
    const Context on_terminal{given.command, given.environment, narrow.terminal, given.clock, given.read_input};
    ::unlink(bench.environment["SHELFD_SOCKET"].c_str());
    SocketServer server(bench.environment["SHELFD_SOCKET"],
                        {http_answer(200, plans + found + list("a", R"("count":7)") + done + "\n")});
    CHECK(run_probe(on_terminal) == ExitCode::done);
    CHECK(narrow.out.find("# paste this into the configuration, then: shelfctl config check, shelfctl reload\n") !=
          std::string::npos);
    bench.command.all = false;
    bench.command.inquiry.configured = true;
    CHECK(bench.run(run_probe, 200, list("a", R"("count":7)") + done + "\n") == ExitCode::done);
    CHECK_FALSE(bench.asked("extent"));
}

TEST_CASE("a search proposes the settings of identity that a page gives reason for, as a comment")
{
    const std::string found = R"({"event":"found","path":"/a/","source":"s","verdict":"list","count":1})"
                              "\n";
    const auto page = [](const std::string& rest) {
        return R"({"event":"identity","path":"/me/","field":"library.id",)" + rest + "}\n";
    };
    struct Row {
        std::string page;
        const char* text;
    };
    const Row rows[] = {
        {page(R"("user_field":"user.id","configured":true)"),
         "# /me/ names the library of a token and its user: change it to identity = { path = \"/me/\", field = "
         "\"library.id\", user_field = \"user.id\" }; libraries of one user then share one limit by themselves\n"},
        {page(R"("user_field":null,"configured":false)"),
         "# /me/ names the library of a token: in [service] write identity = { path = \"/me/\", field = "
         "\"library.id\" }\n"},
    };
    InquiryBench bench;
    for (const auto& row : rows) {
        CHECK(bench.run(run_probe, 200, found + row.page + done + "\n") == ExitCode::done);
        CHECK(bench.says(row.text));
    }
    CHECK(bench.run(run_probe, 200, found + done + "\n") == ExitCode::done);
    CHECK_FALSE(bench.says("identity"));
}

TEST_CASE("an answer as one object has status, headers, and the body as sent if it is JSON, else as text")
{
    InquiryBench bench;
    bench.command.inquiry.paths = {"/x/"};
    bench.command.output = Output::json;
    const std::string head = R"({"status":200,"content_type":"application/json","bytes":9,"headers":{"ETag":"\"7\""}})";
    const std::string shown = R"({"library":"antwerp","path":"/x/","status":200,"content_type":"application/json",)"
                              R"("bytes":9,"headers":{"ETag":"\"7\""},"ask_again":null,"body_is":)";
    CHECK(bench.run(run_get, 200, head + "\n{\"a\":1.000000000000000000001}") == ExitCode::done);
    CHECK(bench.captured.out == shown + "\"json\",\"body\":{\"a\":1.000000000000000000001}}\n");
    CHECK(bench.run(run_get, 200, head + "\n{\"a\":1") == ExitCode::done);
    CHECK(bench.captured.out == shown + R"("text","body":"{\"a\":1"})" + "\n");
    CHECK(bench.run(run_get, 200, head + "\n\xff<p>") == ExitCode::done);
    CHECK(bench.captured.out == shown + "\"text\",\"body\":\"\\ufffd<p>\"}\n");
    CHECK(bench.run(run_get, 200, "{\"status\":403,\"ask_again\":\"2024-01-06T06:00:00Z\"}\n") == ExitCode::busy);
    CHECK(bench.captured.out == R"({"library":"antwerp","path":"/x/","status":403,"ask_again":"2024-01-06T06:00:00Z",)"
                                R"("body_is":"text","body":""})"
                                "\n");
    CHECK(bench.captured.err.find("rate limited by the service until 2024-01-06T06:00:00Z") != std::string::npos);
}

TEST_CASE("an address is shown indented, or as it came")
{
    InquiryBench bench;
    bench.command.inquiry.paths = {"/api/v2/x/?page=2"};
    const std::string answer = "{\"status\":200,\"content_type\":\"application/json\",\"bytes\":9}\n{\"a\":1.0}";
    CHECK(bench.run(run_get, 200, answer) == ExitCode::done);
    CHECK(bench.asked(R"({"library":"antwerp","path":"/api/v2/x/?page=2"})"));
    CHECK(bench.captured.out == "{\n  \"a\": 1.0\n}\n");
    bench.command.inquiry.raw = true;
    CHECK(bench.run(run_get, 200, answer) == ExitCode::done);
    CHECK(bench.captured.out == "{\"a\":1.0}");
}

TEST_CASE("an address that is refused shows what the service said, why, and ends accordingly")
{
    struct Row {
        const char* status;
        ExitCode code;
        const char* hint;
    };
    for (const auto& row :
         {Row{"404", ExitCode::failed, "the lists of the service are found by: shelfctl probe antwerp"},
          Row{"403", ExitCode::needs_person, "what the token set may do: shelfctl auth status antwerp"},
          Row{"401", ExitCode::needs_person, "what is known about it: shelfctl auth status antwerp"},
          Row{"429", ExitCode::busy, "try again"}, Row{"301", ExitCode::failed, "a slash"},
          Row{"422", ExitCode::failed, "the answer says why; the lists of the service are found by: shelfctl probe"},
          Row{"500", ExitCode::failed,
              "answered 500: what the daemon knows of the service: shelfctl status antwerp"}}) {
        InquiryBench bench;
        bench.command.inquiry.paths = {"/x/"};
        INFO(row.status);
        CHECK(bench.run(run_get, 200, std::string("{\"status\":") + row.status + "}\n<p>no") == row.code);
        CHECK(bench.captured.out == "<p>no\n");
        CHECK(bench.captured.err.find(row.hint) != std::string::npos);
    }
    InquiryBench bench;
    bench.command.inquiry.paths = {"/x/"};
    CHECK(bench.run(run_get, 200, "{\"status\":403,\"ask_again\":\"2024-01-06T06:00:00Z\"}\nno") == ExitCode::busy);
    CHECK(bench.captured.err.find("rate limited by the service until 2024-01-06T06:00:00Z") != std::string::npos);
    CHECK(bench.run(run_get, 200, "hello") == ExitCode::failed);
    CHECK(bench.run(run_get, 400, R"({"error":{"kind":"usage","text":"no path"}})") == ExitCode::usage);
}

}  // namespace
}  // namespace shelfd::ctl
