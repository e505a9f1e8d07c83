#include "house/manual_rules.hpp"
#include "house/paper_rules.hpp"
#include "house/rules.hpp"
#include "support/catch.hpp"
#include "support/temp_directory.hpp"

#include <functional>

using namespace shelfd::house;
using shelfd::TempDirectory;

namespace {

struct Plant {
    std::string name;
    std::function<std::vector<Finding>(const std::filesystem::path&)> rule;
    std::string file;
    std::string text;
    std::size_t line;      // where the finding must point; 0 = the file
    std::string fragment;  // of the finding's text
};

std::string lines(std::size_t count)
{
    std::string text;
    for (std::size_t i = 0; i < count; ++i) {
        text += "int line;\n";
    }
    return text;
}

void plant(const TempDirectory& tree, const std::string& path, const std::string& text)
{
    const std::filesystem::path file = tree / path;
    std::filesystem::create_directories(file.parent_path());
    shelfd::write_file(file.string(), text);
}

const std::string opening = "// Says what it is for.\n#pragma once\n";

const std::string where = "## Where is what\n\n| question | file: function |\n|---|---|\n";

const std::vector<Plant>& plants()
{
    static const std::vector<Plant> table = {
        {"a floor that looks up", include_findings, "daemon/base/result.hpp", opening + "#include \"sync/pass.hpp\"\n",
         3, "base/ may not include sync/"},
        {"a neighbour on the same floor", include_findings, "daemon/http/client.cpp",
         "#include \"http/client.hpp\"\n#include \"budget/limiter.hpp\"\n", 2, "http/ may not include budget/"},
        {"the command line reaching into the daemon", include_findings, "daemon/ctl/status.cpp",
         "# include  \"control/api/api.hpp\"\n", 1, "ctl/ may not include control/"},
        {"the daemon reaching into the command line", include_findings, "daemon/app/main.cpp",
         "#include \"ctl/screen/table.hpp\"\n", 1, "app/ may not include ctl/"},
        {"an include without an address", include_findings, "daemon/oauth/keeper.cpp", "#include \"keeper.hpp\"\n", 1,
         "is no address"},
        {"an include by a relative path", include_findings, "daemon/oauth/keeper.cpp",
         "#include \"../sync/pass.hpp\"\n", 1, "is no address"},
        {"a folder that is no floor", include_findings, "daemon/util/strings.cpp", "int x;\n", 0, "on no floor"},
        {"a file beside the floors", include_findings, "daemon/strings.cpp", "int x;\n", 0, "on no floor"},
        {"an outside library on the wrong floor", include_findings, "daemon/sync/pass.cpp", "#include <curl/curl.h>\n",
         1, "sync/ may not use libcurl"},
        {"a heavy library in a header", include_findings, "daemon/control/server/server.hpp",
         opening + "#include <boost/beast/http.hpp>\n", 3, "belongs into a .cpp file"},
        {"Asio on the ground floor", include_findings, "daemon/base/backoff.cpp",
         "#include <boost/asio/awaitable.hpp>\n", 1, "knows no Asio"},
        {"a floor that does not use a permission", permission_findings, "daemon/schedule/windows.hpp",
         opening + "#include <date/tz.h>\n#include \"schedule/schedule.hpp\"\n", 0,
         "schedule/ may include, and does not, \"base\""},
        {"a library that a floor does not use", permission_findings, "daemon/schedule/windows.hpp",
         opening + "#include \"base/instant.hpp\"\n// #include <date/tz.h>\n", 0,
         "schedule/ may use, and does not, \"date\""},
        {"a room that looks up", room_findings, "daemon/sync/plan/rhythm.cpp",
         "int x;\n#include \"sync/worker/idle_rest.hpp\"\n", 2, "sync/plan may not include sync/worker"},
        {"a room that includes what lies above all rooms", room_findings, "daemon/mirror/json/text.cpp",
         "#include \"mirror/mirror.hpp\"\n", 1, "mirror/json may not include mirror/"},
        {"a file in a room that is none", room_findings, "daemon/oauth/misc/words.cpp", "int x;\n", 0,
         "oauth/ has no room \"misc\""},
        {"a file in no room of a floor that has some", room_findings, "daemon/sync/words.cpp", "int x;\n", 0,
         "sync/ has no room \"\""},
        {"a file of 351 lines", length_findings, "daemon/mirror/mirror.cpp", lines(max_file + 1), 0, "351 lines"},
        {"a function of 61 lines", function_findings, "daemon/mirror/mirror.cpp",
         "int f()\n{\n" + lines(max_function + 1) + "}\n", 2, "61 lines"},
        {"a header that does not say what it is for", header_findings, "daemon/http/client.hpp", "#pragma once\n", 1,
         "opens with one sentence"},
        {"a header without a guard", header_findings, "daemon/http/client.hpp", "// Sends one request.\n", 0,
         "#pragma once"},
        {"a file name in camel case", header_findings, "daemon/http/CurlClient.cpp", "int x;\n", 0, "snake_case"},
        {"a coroutine without an owner", owner_findings, "daemon/sync/pass.cpp",
         "int x;\nco_spawn(executor, run(), asio::detached);\n", 2, "owner"},
        {"a choice between awaits", choice_findings, "daemon/sync/pass.cpp",
         "int x;\nconst auto y = x ? co_await load() : Result<void>();\n", 2, "write an if"},
        {"an await as the second choice", choice_findings, "daemon/sync/pass.cpp",
         "auto y = x ? Result<void>()\n           : co_await load();\n", 2, "write an if"},
        {"a lambda inside an awaited call", lambda_findings, "daemon/sync/pass.cpp",
         "co_await lane.run([this, &key] { return find(key); });\n", 1, "give it a name first"},
        {"a lambda inside an awaited call, on a line of its own", lambda_findings, "daemon/sync/pass.cpp",
         "co_await with_deadline(clock,\n    [=]() -> asio::awaitable<int> { co_return 1; });\n", 2,
         "give it a name first"},
        {"getenv below app/", environment_findings, "daemon/ctl/verbs.cpp", "auto x = std::getenv(\"HOME\");\n", 1,
         "handed down"},
        {"a second reader of the clock", clock_findings, "daemon/oauth/keeper.cpp",
         "auto now = std::chrono::system_clock::now();\n", 1, "only Clock"},
        {"a reader of a timer's clock", clock_findings, "daemon/oauth/keeper.cpp",
         "auto now = asio::steady_timer::clock_type::now();\n", 1, "only Clock"},
        {"a sleep in the daemon", clock_findings, "daemon/oauth/keeper.cpp", "std::this_thread::sleep_for(wait);\n", 1,
         "only Clock"},
        {"a file that is read as it comes", opening_findings, "daemon/oauth/journal/store.cpp",
         "int x;\nconst int file = ::open(path, O_RDONLY);\n", 2, "waits for nobody"},
        {"a file that is read as a stream", opening_findings, "daemon/app/host/machine_id.cpp",
         "std::ifstream file(path);\n", 1, "waits for nobody"},
        {"a way around the terminal", output_findings, "daemon/ctl/verb/get.cpp",
         "std::fprintf(stderr, \"%s\", body.c_str());\n", 1, "makes it safe"},
        {"a sleeping test", sleep_findings, "tests/sync/pass.cpp",
         "std::this_thread::sleep_for(std::chrono::seconds(1));\n", 1, "no test sleeps"},
        {"a test that sleeps in C", sleep_findings, "tests/sync/pass.cpp", "int x;\n  sleep(1);\n", 2,
         "no test sleeps"},
        {"unfinished work in a comment", word_findings, "daemon/sync/pass.cpp",
         "// TO"
         "DO: finish\n",
         1, "issue"},
        {"unfinished work in a script", word_findings, "contrib/demo",
         "# FIX"
         "ME\n",
         1, "issue"},
        {"a path of one machine", word_findings, "README.md",
         "see /ho"
         "me/ada/notes\n",
         1, "one machine"},
        {"a room of its own", top_level_findings, "scripts/run", "\n", 0, "no room"},
        {"a README of 201 lines", paper_length_findings, "README.md", lines(201), 0, "201 lines"},
        {"a daemon/README.md of 391 lines", paper_length_findings, "daemon/README.md", lines(391), 0, "391 lines"},
        {"a line of 121 characters", paper_length_findings, "README.md",
         "# shelfd\n" + std::string(119, 'x') + "\u2026x\n", 2, "121 characters"},
        {"a paper that names a file that is gone", named_file_findings, "README.md", "See `config/minimal.toml`.\n", 1,
         "no config/minimal.toml"},
        {"a page of the code that names a source that is gone", named_file_findings, "daemon/README.md",
         "\nSee `sync/pass/proof.cpp` and `build/`.\n", 2, "no sync/pass/proof.cpp"},
        {"a question whose file is gone", where_findings, "daemon/README.md",
         where + "| Where? | `sync/pass/proof.cpp`: `prove` |\n", 5, "no file daemon/sync/pass/proof.cpp"},
        {"a question without a file", where_findings, "daemon/README.md", where + "| Where? | `prove` |\n", 5,
         "no file stands before prove"},
        {"a message that nobody says", message_findings, "contrib/man/shelfd-troubles.7",
         ".Sh DIAGNOSTICS\n.It Li \"all is well with ...\"\n.Sh SEE ALSO\n", 2, "nothing says \"all is well with"},
        {"a table that no mirror has", mirror_page_findings, "contrib/man/shelfd-mirror.7",
         ".Sh TABLES ABOUT THE MIRROR\n.It Li _weather\n", 2, "no table _weather"},
        {"a state that no table has", mirror_page_findings, "contrib/man/shelfd-mirror.7",
         ".Sh FRESHNESS\n.It Li sunny\n", 2, "in the state sunny"},
        {"a sentence that is cut off", sentence_findings, "contrib/man/shelfd.8",
         ".Sh DESCRIPTION\nProblems are shown by\n.Bl -tag\n", 2, "has no end: Problems are shown by"},
        {"a sentence that is cut off after a name", sentence_findings, "contrib/man/shelfd.8",
         ".Sh DESCRIPTION\nSee\n.Xr shelfctl 1\n.Pp\n", 3, "has no end: .Xr shelfctl 1"},
        {"a request that the daemon does not answer", request_findings, "contrib/man/shelfd.8",
         ".Ss Requests of readers\n.It Li \"GET /v1/weather?day=1\"\n", 2, "does not answer GET /v1/weather"},
    };
    return table;
}

}  // namespace

TEST_CASE("each rule of the house finds what is planted against it")
{
    for (const auto& row : plants()) {
        DYNAMIC_SECTION(row.name)
        {
            const TempDirectory tree;
            plant(tree, row.file, row.text);
            const auto findings = row.rule(tree.path());
            INFO(to_text(findings));
            REQUIRE(findings.size() == 1);
            CHECK(row.file.starts_with(findings[0].file));
            CHECK(findings[0].line == row.line);
            CHECK_THAT(findings[0].text, Catch::Matchers::Contains(row.fragment));
        }
    }
}

TEST_CASE("a room that a floor lists must hold a file")
{
    const TempDirectory tree;
    plant(tree, "daemon/storage/sqlite.cpp",
          "#include \"base/result.hpp\"\n#include <sqlite3.h>\n#include <sys/acl.h>\n");
    const auto findings = permission_findings(tree.path());
    INFO(to_text(findings));
    REQUIRE(findings.size() == 1);
    CHECK(findings[0].text == "storage/ has no file in its room \"access\": remove it");
    plant(tree, "daemon/storage/access/access_list.cpp", "int x;\n");
    CHECK(permission_findings(tree.path()).empty());
}

TEST_CASE("a function that is not in its file, or only in a comment, is found")
{
    const TempDirectory tree;
    plant(tree, "daemon/sync/pass/proof.cpp", "// as prove does\nProof Walk::prove_all()\n{\n}\nProof kept()\n{\n}\n");
    plant(tree, "daemon/README.md",
          where + "| A | `sync/pass/proof.cpp`: `kept`, `Walk::prove_all` |\n"
                  "| B | `sync/pass/proof.cpp`: `prove` |\n"
                  "| C | `sync/pass/proof.cpp`: `prove_all` |\n"
                  "| D | `sync/pass/proof.cpp` |\n");
    const auto findings = where_findings(tree.path());
    INFO(to_text(findings));
    REQUIRE(findings.size() == 3);
    CHECK(findings[0].line == 6);
    CHECK(findings[1].line == 7);
    CHECK(findings[2].line == 8);
}

TEST_CASE("a page about mirrors is held against each table, column and state of the schema")
{
    const TempDirectory tree;
    plant(tree, "daemon/mirror/file/schema.cpp",
          "CREATE TABLE _runs (\n    run_id TEXT NOT NULL,\n    \"key\" TEXT,  -- of it\n    PRIMARY KEY (run_id)\n);\n"
          "CREATE TABLE IF NOT EXISTS _held (\n    why TEXT\n);\n");
    plant(tree, "daemon/mirror/file/freshness_view.hpp",
          "SELECT resource, CASE WHEN late THEN 'late' ELSE 'fresh' END AS state, as_of FROM x\n");
    const std::string page = ".Sh FRESHNESS\n.It Va as_of\n.It Li late\n.It Li fresh\n.Sh TABLES ABOUT THE MIRROR\n"
                             ".It Li _runs\n.Va run_id , key .\n";
    plant(tree, "contrib/man/shelfd-mirror.7", page + ".It Li _held\n.Va why .\n");
    CHECK(to_text(mirror_page_findings(tree.path())) == "");
    plant(tree, "contrib/man/shelfd-mirror.7", page + ".Va rows\n.Sh SEE ALSO\n");
    const auto findings = mirror_page_findings(tree.path());
    INFO(to_text(findings));
    REQUIRE(findings.size() == 2);
    CHECK(findings[0].line == 8);
    CHECK_THAT(findings[0].text, Catch::Matchers::Contains("_runs has no column rows"));
    CHECK_THAT(findings[1].text, Catch::Matchers::Contains("nothing of the table _held"));
}

TEST_CASE("a request that shelfd(8) lists under another right, or not at all, is found")
{
    const TempDirectory tree;
    plant(tree, "daemon/control/api/api.cpp",
          "{\"GET\", \"/v1/status\", Right::look, &Api::get_status},\n"
          "{\"GET\", \"/v1/config\", Right::act,\n[] {}},\n");
    const std::string page = ".Ss Requests of readers\n.It Li \"GET /v1/status\"\n";
    plant(tree, "contrib/man/shelfd.8", page + ".Ss Requests of admins\n.It Li \"GET /v1/config?a=b\"\n");
    CHECK(to_text(request_findings(tree.path())) == "");
    plant(tree, "contrib/man/shelfd.8", page + ".It Li \"GET /v1/config\"\n");
    auto findings = request_findings(tree.path());
    REQUIRE(findings.size() == 1);
    CHECK(findings[0].line == 3);
    CHECK(findings[0].text == "GET /v1/config is a request of admins");
    plant(tree, "contrib/man/shelfd.8", page);
    findings = request_findings(tree.path());
    REQUIRE(findings.size() == 1);
    CHECK(findings[0].line == 2);
    CHECK(findings[0].text == "shelfd(8) does not list GET /v1/config");
}

TEST_CASE("a folder of 25 files is found, one of 24 is not")
{
    const TempDirectory tree;
    for (std::size_t i = 0; i < fullest_folder; ++i) {
        plant(tree, "daemon/base/file" + std::to_string(i) + ".cpp", "int x;\n");
    }
    CHECK(folder_findings(tree.path()).empty());
    plant(tree, "daemon/base/one_more.cpp", "int x;\n");
    const auto findings = folder_findings(tree.path());
    REQUIRE(findings.size() == 1);
    CHECK(findings[0].file == "daemon/base");
    CHECK_THAT(findings[0].text, Catch::Matchers::Contains("25 files"));
}

TEST_CASE("the rules pass what looks like a violation and is none")
{
    const TempDirectory tree;
    plant(tree, "daemon/oauth/keeper/keeper.hpp",
          opening + "#include \"oauth/set/token_set.hpp\"\n#include \"http/client.hpp\"\n"
                    "#include <boost/asio/awaitable.hpp>\n#include <vector>\n");
    plant(tree, "daemon/oauth/keeper/keeper.cpp",
          "// never asio::detached, never getenv\n"
          "auto text = \"asio::detached system_clock::now\";\n"
          "auto raw = R\"(getenv \" detached)\"; /* usleep\n detached */\n"
          "auto number = 1'000'000; co_await clock.sleep_for(std::chrono::seconds(1));\n"
          "const int code = co_await run() ? 0 : 1;\nfor (auto x : co_await list()) {}\n"
          "auto work = [this] { return 1; };\nco_await lane.run(work);\nconst auto x = co_await at(list[index], 1);\n");
    plant(tree, "daemon/app/main.cpp",
          "auto home = getenv(\"SHELFD_SOCKET\");\n" + lines(max_file - max_function - 4) + "int f()\n{\n" +
              lines(max_function) + "}\n");
    plant(tree, "tests/oauth/keeper.cpp",
          "co_await clock.sleep_for(std::chrono::seconds(1));\nco_await sleep(clock, time);\n"
          "char name[] = \"/tmp/shelfd-XXXXXX\";\n");
    plant(tree, "daemon/README.md",
          "# Inside\n\nSee `oauth/keeper/keeper.hpp`, `tests/oauth/` and `contrib`.\n" + where +
              "| Who keeps it? | `oauth/keeper/keeper.cpp`: `number` |\n");
    plant(tree, "README.md", std::string(119, 'x') + "\u2026\n");
    plant(tree, "contrib/man/shelfd-troubles.7",
          ".Sh DIAGNOSTICS\n.It Li \"getenv \\(dq detached\"\n.Sh SEE ALSO\n.It Li \"no message\"\n");
    plant(tree, "contrib/man/shelfd.8",
          ".Sh DESCRIPTION\nSee\n.Xr shelfctl 1 :\n.Bd -literal\ncurl\n.Pp\n.Ed\n.Pp\nOr (as it is.)\n.Bl -tag\n"
          ".It a\nb\n.El\n.Pp\n");
    for (const auto rule :
         {include_findings,    room_findings,  folder_findings,  length_findings,      function_findings,
          header_findings,     owner_findings, choice_findings,  lambda_findings,      environment_findings,
          clock_findings,      sleep_findings, word_findings,    top_level_findings,   paper_length_findings,
          named_file_findings, where_findings, message_findings, mirror_page_findings, sentence_findings,
          request_findings}) {
        const auto findings = rule(tree.path());
        INFO(to_text(findings));
        CHECK(findings.empty());
    }
}
