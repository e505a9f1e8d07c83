#include "ctl/line/command_line.hpp"

#include "support/catch.hpp"

#include <algorithm>
#include <functional>

namespace shelfd::ctl {
namespace {

std::variant<Command, NoCommand> parse(std::vector<const char*> words)
{
    words.insert(words.begin(), "shelfctl");
    return parse_command_line(static_cast<int>(words.size()), words.data());
}

TEST_CASE("help --json names the verbs that its words begin, with their arguments and options")
{
    const auto text_of = [](std::vector<const char*> words) {
        words.insert(words.begin(), "shelfctl");
        const auto parsed = parse_command_line(static_cast<int>(words.size()), words.data());
        const auto* nothing = std::get_if<NoCommand>(&parsed);
        REQUIRE(nothing != nullptr);
        CHECK(nothing->exit_code == ExitCode::done);
        return nothing->text;
    };
    const auto one = text_of({"help", "--json", "auth", "import"});
    CHECK(one.starts_with("{\"usage\":\""));
    CHECK(one.find("\"verbs\":[{\"verb\":\"auth import\"") != std::string::npos);
    CHECK(one.find("\"option\":\"--no-seal\"") != std::string::npos);
    CHECK(one.find("\"verb\":\"auth login\"") == std::string::npos);
    CHECK(text_of({"help", "auth", "--json"}).find("\"verb\":\"auth login\"") != std::string::npos);
    CHECK(text_of({"help", "--json"}).find("\"verb\":\"status\"") != std::string::npos);
    CHECK_FALSE(text_of({"help", "auth", "import"}).starts_with('{'));
}

TEST_CASE("what was typed becomes a command")
{
    struct Row {
        std::vector<const char*> words;
        std::function<bool(const Command&)> holds;
    };
    const std::vector<Row> rows = {
        {{"try", "https://api.example.com", "--path", "/r/", "--token-file", "t", "--directory", "d", "--json"},
         [](auto& c) {
             return c.verb == Verb::try_list && c.start.url == "https://api.example.com" &&
                    c.inquiry.paths == std::vector<std::string>{"/r/"} && c.start.token_file == "t" &&
                    c.start.directory == "d" && c.output == Output::json;
         }},
        {{"init"}, [](auto& c) { return c.verb == Verb::init && !c.start.non_interactive && c.start.url.empty(); }},
        {{"init", "https://api.example.com", "--non-interactive", "--client-id", "i", "--client-secret-file", "s",
          "--library", "antwerp", "--path", "/r/", "--path", "/s/", "--scope", "library", "--allow-unsafe"},
         [](auto& c) {
             return c.start.non_interactive && c.start.client_id == "i" && c.start.client_secret_file == "s" &&
                    c.library == "antwerp" && c.inquiry.paths.size() == 2 && c.start.scopes.size() == 1 &&
                    c.start.allow_unsafe;
         }},
        {{"probe", "antwerp"}, [](auto& c) { return c.verb == Verb::probe && !c.all && !c.inquiry.configured; }},
        {{"probe", "antwerp", "--all"}, [](auto& c) { return c.all; }},
        {{"probe", "antwerp", "--configured"}, [](auto& c) { return c.inquiry.configured; }},
        {{"status"}, [](auto& c) { return c.verb == Verb::status && c.library.empty() && !c.all; }},
        {{"status", "antwerp", "--json"}, [](auto& c) { return c.library == "antwerp" && c.output == Output::json; }},
        {{"status", "--all", "--watch"}, [](auto& c) { return c.all && c.status.watch; }},
        {{"sync", "antwerp"}, [](auto& c) { return c.verb == Verb::sync && c.resource.empty() && !c.sync.full; }},
        {{"sync", "antwerp", "recipes", "--full", "--background"},
         [](auto& c) { return c.resource == "recipes" && c.sync.full && c.sync.background; }},
        {{"sync", "antwerp", "sales", "--window", "2026-01-01..2026-01-31"},
         [](auto& c) {
             return c.sync.window_from == "2026-01-01" && c.sync.window_to == "2026-01-31" && !c.sync.full;
         }},
        {{"sync", "antwerp", "sales", "--window", "2026-01-05"},
         [](auto& c) { return c.sync.window_from == "2026-01-05" && c.sync.window_to == "2026-01-05"; }},
        {{"sync", "status", "sync"}, [](auto& c) { return c.library == "status" && c.resource == "sync"; }},
        {{"sync", "sync"}, [](auto& c) { return c.verb == Verb::sync && c.library == "sync"; }},
        {{"sql", "freshness", "SELECT 1"},
         [](auto& c) { return c.library == "freshness" && c.read.sql == "SELECT 1"; }},
        {{"auth", "import", "login"}, [](auto& c) { return c.verb == Verb::auth_import && c.library == "login"; }},
        {{"library", "forget", "add"}, [](auto& c) { return c.verb == Verb::library_forget && c.library == "add"; }},
        {{"library", "rename", "list", "library"},
         [](auto& c) { return c.verb == Verb::library_rename && c.library == "list"; }},
        {{"wait", "ghent", "sales"}, [](auto& c) { return c.library == "ghent" && c.resource == "sales"; }},
        {{"wait"}, [](auto& c) { return !c.wait.fresh && c.timeout == std::chrono::minutes(10); }},
        {{"wait", "ghent", "--fresh", "15m", "--timeout", "1h30m"},
         [](auto& c) {
             return c.library == "ghent" && c.wait.fresh == Duration(std::chrono::minutes(15)) &&
                    c.timeout == std::chrono::minutes(90);
         }},
        {{"sql", "antwerp", "SELECT 1"},
         [](auto& c) { return c.verb == Verb::sql && c.read.sql == "SELECT 1" && c.output == Output::text; }},
        {{"sql", "antwerp", "--csv", "SELECT -1"},
         [](auto& c) { return c.read.sql == "SELECT -1" && c.output == Output::csv; }},
        {{"sql", "antwerp", "--config", "x.toml", "SELECT 1"},
         [](auto& c) { return c.config_file == "x.toml" && c.read.sql == "SELECT 1"; }},
        {{"changes", "antwerp"},
         [](auto& c) { return c.verb == Verb::changes && c.read.since.empty() && !c.read.follow; }},
        {{"changes", "antwerp", "--since", "65f1:12", "--follow", "--resource", "recipes", "--json"},
         [](auto& c) {
             return c.read.since == "65f1:12" && c.read.follow && c.resource == "recipes" && c.output == Output::json;
         }},
        {{"doctor", "--fix"}, [](auto& c) { return c.verb == Verb::doctor && c.care.fix && !c.all; }},
        {{"bugreport", "x.txt", "--hosts"},
         [](auto& c) { return c.verb == Verb::bugreport && c.care.report_file == "x.txt" && c.care.with_hosts; }},
        {{"log", "antwerp"},
         [](auto& c) { return c.verb == Verb::log && c.library == "antwerp" && !c.care.since && !c.care.events; }},
        {{"log", "antwerp", "recipes", "--since", "2h", "-n", "5", "--follow"},
         [](auto& c) {
             return c.resource == "recipes" && c.care.since == Duration(std::chrono::hours(2)) && c.care.events == 5 &&
                    c.read.follow;
         }},
        {{"changes", "antwerp", "--since", "now"}, [](auto& c) { return c.read.since == "now"; }},
        {{"schema", "antwerp", "recipes"}, [](auto& c) { return c.verb == Verb::schema && c.resource == "recipes"; }},
        {{"schema", "antwerp", "--retype", "recipes.price"}, [](auto& c) { return c.read.retype == "recipes.price"; }},
        {{"held", "antwerp", "recipes"},
         [](auto& c) { return c.verb == Verb::held && c.resource == "recipes" && c.fate == HeldFate::look; }},
        {{"held", "antwerp", "recipes", "7", "abc", "--accept"},
         [](auto& c) {
             return c.keys == std::vector<std::string>{"7", "abc"} && c.fate == HeldFate::accept;
         }},
        {{"held", "antwerp", "recipes", "--keep"}, [](auto& c) { return c.keys.empty() && c.fate == HeldFate::keep; }},
        {{"verify", "antwerp", "stock", R"([7,"a"])", "[8,9]"},
         [](auto& c) {
             return c.keys == std::vector<std::string>{R"([7,"a"])", "[8,9]"};
         }},
        {{"held", "antwerp", "stock", "--keep", "[8,9]"},
         [](auto& c) { return c.keys == std::vector<std::string>{"[8,9]"}; }},
        {{"explain", "antwerp", "stock", "[8,9]"}, [](auto& c) { return c.key == "[8,9]"; }},
        {{"explain", "antwerp", "recipes", "7"}, [](auto& c) { return c.verb == Verb::explain && c.key == "7"; }},
        {{"sync", "antwerp", "--if-older", "15m", "--dry-run"},
         [](auto& c) { return c.sync.if_older == std::chrono::minutes(15) && c.sync.dry_run; }},
        {{"plan", "antwerp", "--json"},
         [](auto& c) { return c.verb == Verb::plan && c.library == "antwerp" && c.output == Output::json; }},
        {{"verify", "antwerp", "recipes", "7", "abc"},
         [](auto& c) {
             return c.verb == Verb::verify && c.keys == std::vector<std::string>{"7", "abc"};
         }},
        {{"verify", "antwerp", "recipes", "--sample", "20", "--json"},
         [](auto& c) { return c.inquiry.sample == 20 && c.output == Output::json; }},
        {{"get", "antwerp", "/x/", "--json"}, [](auto& c) { return c.output == Output::json && !c.inquiry.raw; }},
        {{"get", "antwerp", "/api/v2/x/?a=1", "--raw"},
         [](auto& c) { return c.verb == Verb::get && c.inquiry.paths.front() == "/api/v2/x/?a=1" && c.inquiry.raw; }},
        {{"probe", "antwerp"}, [](auto& c) { return c.verb == Verb::probe && c.inquiry.paths.empty(); }},
        {{"probe", "antwerp", "/a/", "/b/", "--json"},
         [](auto& c) { return c.inquiry.paths.size() == 2 && c.output == Output::json; }},
        {{"snapshot", "antwerp"}, [](auto& c) { return c.verb == Verb::snapshot && c.library == "antwerp"; }},
        {{"sql", "antwerp", "-"}, [](auto& c) { return c.read.sql == "-"; }},
        {{"--config", "x.toml", "--socket", "s", "--no-color", "status"},
         [](auto& c) { return c.config_file == "x.toml" && c.socket == "s" && c.no_color; }},
        {{"auth", "import", "antwerp"},
         [](auto& c) { return c.verb == Verb::auth_import && c.auth.sealing == Sealing::seal; }},
        {{"auth", "import", "antwerp", "--no-seal"}, [](auto& c) { return c.auth.sealing == Sealing::no_seal; }},
        {{"auth", "import", "antwerp", "--access-only"},
         [](auto& c) { return c.auth.sealing == Sealing::access_only; }},
        {{"auth", "import", "antwerp", "--access-only", "--force"}, [](auto& c) { return c.force; }},
        {{"auth", "status"}, [](auto& c) { return c.verb == Verb::auth_status; }},
        {{"auth", "status", "antwerp", "--json", "--config", "x"},
         [](auto& c) { return c.library == "antwerp" && c.output == Output::json && c.config_file == "x"; }},
        {{"auth", "token", "antwerp"}, [](auto& c) { return c.verb == Verb::auth_token; }},
        {{"auth", "adopt", "antwerp"}, [](auto& c) { return c.verb == Verb::auth_adopt; }},
        {{"auth", "adopt", "antwerp", "--json"}, [](auto& c) { return c.output == Output::json; }},
        {{"auth", "import", "antwerp", "--json"}, [](auto& c) { return c.output == Output::json; }},
        {{"auth", "login", "antwerp", "--json"}, [](auto& c) { return c.output == Output::json; }},
        {{"auth", "ask", "antwerp", "--json"}, [](auto& c) { return c.output == Output::json; }},
        {{"auth", "token", "antwerp", "--json"}, [](auto& c) { return c.output == Output::json; }},
        {{"auth", "move-in", "antwerp", "--json"}, [](auto& c) { return c.output == Output::json; }},
        {{"auth", "move-in", "--all"}, [](auto& c) { return c.verb == Verb::auth_move_in && c.all; }},
        {{"auth", "move-out", "--all", "--to", "shelf2"},
         [](auto& c) { return c.all && c.library.empty() && c.auth.destination == "shelf2"; }},
        {{"wait", "--json"}, [](auto& c) { return c.verb == Verb::wait && c.output == Output::json; }},
        {{"explain", "antwerp", "recipes", "--json"}, [](auto& c) { return c.output == Output::json; }},
        {{"config", "check", "--json"}, [](auto& c) { return c.output == Output::json; }},
        {{"config", "show", "--json", "--origin"}, [](auto& c) { return c.output == Output::json; }},
        {{"auth", "forget", "antwerp", "--json"}, [](auto& c) { return c.output == Output::json; }},
        {{"auth", "forget", "antwerp"}, [](auto& c) { return c.verb == Verb::auth_forget && !c.force; }},
        {{"auth", "forget", "antwerp", "--force"}, [](auto& c) { return c.force; }},
        {{"config", "check"}, [](auto& c) { return c.verb == Verb::config_check; }},
        {{"config", "show", "--origin"}, [](auto& c) { return c.verb == Verb::config_show && c.print.origin; }},
        {{"reload"}, [](auto& c) { return c.verb == Verb::reload; }},
        {{"completion", "zsh"}, [](auto& c) { return c.verb == Verb::completion && c.help.shell == "zsh"; }},
        {{"completion", "zsh", "--json"}, [](auto& c) { return c.output == Output::json; }},
        {{"version", "--json"}, [](auto& c) { return c.verb == Verb::version && c.output == Output::json; }},
        {{"completion", "tables", "antwerp"},
         [](auto& c) { return c.help.shell == "tables" && c.library == "antwerp"; }},
        {{"sync", "--all", "--timeout", "5m"},
         [](auto& c) {
             return c.sync.all_libraries && c.library.empty() && c.sync.timeout == std::chrono::minutes(5);
         }},
        {{"wait", "antwerp", "--as-of", "now"}, [](auto& c) { return c.wait.as_of == "now" && !c.wait.fresh; }},
        {{"sql", "antwerp", "SELECT 1", "--vertical"}, [](auto& c) { return c.output == Output::vertical; }},
        {{"version"}, [](auto& c) { return c.verb == Verb::version; }},
    };
    for (const auto& row : rows) {
        std::string line;
        for (const auto* word : row.words) {
            line += std::string(" ") + word;
        }
        INFO("shelfctl" << line);
        const auto parsed = parse(row.words);
        REQUIRE(std::holds_alternative<Command>(parsed));
        CHECK(row.holds(std::get<Command>(parsed)));
    }
}

TEST_CASE("a command line that cannot be meant says what may be typed, and exits 64")
{
    struct Row {
        std::vector<const char*> words;
        const char* part;
    };
    const std::vector<Row> rows = {
        {{}, "a verb is missing; there are: shelfctl try | init | status | wait"},
        {{"stauts"}, "unknown verb \"stauts\"; did you mean: shelfctl status"},
        {{"frobnicate"}, "unknown verb \"frobnicate\"; there are: shelfctl try | init | status | wait"},
        {{"stauss"}, "unknown verb \"stauss\"; did you mean: shelfctl status"},
        {{"--frob"}, "unknown option \"--frob\"; a verb is missing; there are: shelfctl try"},
        {{"--confg=a"},
         "unknown option \"--confg\"; did you mean: --config; a verb is missing; there are: shelfctl try"},
        {{"auth", "--json"}, "unknown option \"--json\"; a verb is missing; there are: shelfctl auth import"},
        {{"--", "status"}, "write the verb before \"--\": shelfctl status\nTry: shelfctl --help"},
        {{"--config", "sync", "halp"}, "unknown verb \"halp\"; did you mean: shelfctl help"},
        {{"hel"}, "unknown verb \"hel\"; did you mean: shelfctl help"},
        {{"hooks", "test"}, "NAME is required; the hooks are listed by: shelfctl hooks list"},
        {{"get", "lib01"}, "PATH is required; the lists of the service are found by: shelfctl probe lib01"},
        {{"changes", "lib01", "recipe"}, "recipe; a table is named with: --resource recipe"},
        {{"--config", "sync"}, "a verb is missing"},
        {{"import", "antwerp"}, "unknown verb \"import\"; did you mean: shelfctl auth import"},
        {{"pause", "antwerp"}, "unknown verb \"pause\"; did you mean: shelfctl library pause"},
        {{"help", "frob"}, "unknown verb \"frob\"; there are: shelfctl try | init | status | wait"},
        {{"verify", "antwerp", "--sample", "3"}, "the tables are listed by: shelfctl status antwerp"},
        {{"auth", "frobnicate"}, "unknown verb \"frobnicate\"; there are: shelfctl auth import"},
        {{"help", "frobnicate"}, "unknown verb \"frobnicate\""},
        {{"help", "auth", "improt"}, "did you mean: shelfctl help auth import\nTry: shelfctl auth --help"},
        {{"help", "stats"}, "did you mean: shelfctl help status\n"},
        {{"help", "sync", "now"}, "shelfctl sync has no verbs of its own\nTry: shelfctl sync --help"},
        {{"sync", "antwerp", "--ful"}, "did you mean: --full\nTry: shelfctl sync --help"},
        {{"auth", "import", "antwerp", "--no-sael"}, "did you mean: --no-seal\nTry: shelfctl auth import --help"},
        {{"sync", "antwerp", "--all"}, "--all"},
        {{"sync", "--all", "antwerp"}, "--all"},
        {{"wait", "--as-of", "yesterday"}, "\"yesterday\" is not an instant: write 2026-01-31T14:00:00+01:00, or now"},
        {{"wait", "--as-of", "now", "--fresh", "15m"}, "--fresh"},
        {{"status", "--all", "--vertical"}, "Try: shelfctl status --help"},
        {{"sql", "antwerp", "SELECT 1", "--vertical", "--json"}, "--vertical"},
        {{"auth"}, "a verb is missing; there are: shelfctl auth import | login | ask | status"},
        {{"auth", "improt", "antwerp"}, "did you mean: shelfctl auth import"},
        {{"sync"},
         "LIB is missing, or --all for every library; the libraries are listed by: shelfctl status\n"
         "Try: shelfctl sync --help"},
        {{"snapshot"}, "LIB is required; the libraries are listed by: shelfctl status\nTry: shelfctl snapshot --help"},
        {{"explain", "antwerp"}, "RESOURCE is required; the tables are listed by: shelfctl status antwerp"},
        {{"sync", "antwerp", "sales", "--window", "2026-01"},
         "\"2026-01\" is not a window: write 2026-01-01..2026-01-31"},
        {{"sync", "antwerp", "sales", "--window", "2026-01-01..soon"}, "is not a window"},
        {{"sync", "antwerp", "sales", "--window", "2026-01-01", "--full"}, "--full"},
        {{"sql", "antwerp"}, "SQL is required"},
        {{"status", "--jsn"}, "--jsn"},
        {{"status", "a", "b"}, "b"},
        {{"wait", "--fresh", "15"}, "\"15\" is not a duration: write 90s, 15m, 1h30m or 2d"},
        {{"wait", "--timeout", "soon"}, "is not a duration"},
        {{"sql", "antwerp", "SELECT 1", "--csv", "--json"}, "--csv"},
        {{"auth", "import", "antwerp", "--no-seal", "--access-only"}, "--no-seal"},
        {{"auth", "import", "antwerp", "--force"}, "--access-only"},
        {{"changes", "antwerp", "--since", "12"}, "\"12\" is not a position: write now, or FEED:SEQ"},
        {{"changes", "antwerp", "--since", "65f1:-3"}, "is not a position"},
        {{"changes", "antwerp", "--since", "position 65f1:3"},
         "\"position 65f1:3\" is not a position: write only 65f1:3"},
        {{"changes", "antwerp", "--consumer", "bi", "--ack-to", "position 65f1:3.1"},
         "\"position 65f1:3.1\" is not a position: write only 65f1:3.1"},
        {{"changes", "antwerp", "--consumer", "bi", "--ack-to", "now"},
         "\"now\" is not a position: write FEED:SEQ as an earlier call printed it"},
        {{"changes", "antwerp", "--consumer", "bi", "--ack-to", " 65f1:3"}, "write only 65f1:3"},
        {{"schema", "antwerp", "--retype", "price"}, "\"price\" names no column: write RESOURCE.COLUMN"},
        {{"held", "antwerp"}, "RESOURCE"},
        {{"auth", "move-out"}, "LIB is missing, or --all for every library"},
        {{"auth", "move-in"}, "LIB is missing, or --all for every library"},
        {{"auth", "move-out", "antwerp", "--all"}, "--all"},
        {{"held", "antwerp", "recipes", "--accept", "--keep"}, "--accept"},
        {{"verify", "antwerp", "recipes", "7", "--sample", "3"}, "--sample"},
        {{"verify", "antwerp", "recipes", "--sample", "0"}, "0"},
        {{"get", "antwerp"}, "PATH"},
        {{"get", "antwerp", "/x/", "--json", "--raw"}, "excludes"},
        {{"status", "--nagios", "--json"}, "excludes"},
        {{"status", "--html", "page.html", "--json"}, "excludes"},
        {{"completion", "tcsh"}, "tcsh"},
        {{"config", "check", "--origin"}, "--origin"},
    };
    for (const auto& row : rows) {
        INFO(row.part);
        const auto parsed = parse(row.words);
        REQUIRE(std::holds_alternative<NoCommand>(parsed));
        CHECK(std::get<NoCommand>(parsed).exit_code == ExitCode::usage);
        CHECK(std::get<NoCommand>(parsed).text.find(row.part) != std::string::npos);
    }
}

TEST_CASE("help and version are answers, not complaints")
{
    for (const std::vector<const char*>& words :
         {std::vector<const char*>{"--help"}, {"--version"}, {"sync", "--help"}, {"auth", "import", "-h"}}) {
        const auto parsed = parse(words);
        REQUIRE(std::holds_alternative<NoCommand>(parsed));
        CHECK(std::get<NoCommand>(parsed).exit_code == ExitCode::done);
    }
    const auto help = std::get<NoCommand>(parse({"auth", "import", "--help"})).text;
    CHECK(help.find("--no-seal") != std::string::npos);
    CHECK(help.find("shelfctl auth import [OPTIONS] LIB") != std::string::npos);
}

TEST_CASE("help of a verb is what the verb prints with --help")
{
    const auto text_of = [](const std::vector<const char*>& words) {
        const auto parsed = parse(words);
        REQUIRE(std::holds_alternative<NoCommand>(parsed));
        CHECK(std::get<NoCommand>(parsed).exit_code == ExitCode::done);
        return std::get<NoCommand>(parsed).text;
    };
    CHECK(text_of({"help"}) == text_of({"--help"}));
    CHECK(text_of({"help", "sync"}) == text_of({"sync", "--help"}));
    CHECK(text_of({"help", "auth"}) == text_of({"auth", "--help"}));
    CHECK(text_of({"help", "auth", "import"}) == text_of({"auth", "import", "--help"}));
    CHECK(text_of({"help", "help"}) == text_of({"help", "--help"}));
}

TEST_CASE("every verb and option has a meaning")
{
    const auto verbs = known_verbs();
    CHECK(verbs.size() == 44);
    for (const auto& verb : verbs) {
        INFO(verb.name);
        CHECK_FALSE(verb.meaning.empty());
        for (const auto& option : verb.options) {
            INFO(option.name);
            CHECK(option.name.starts_with("--"));
            CHECK_FALSE(option.meaning.empty());
        }
    }
    const auto sync = std::find_if(verbs.begin(), verbs.end(), [](const auto& verb) { return verb.name == "sync"; });
    REQUIRE(sync != verbs.end());
    CHECK(sync->arguments == std::vector<std::string>{"[LIB]", "[RESOURCE]"});
}

}  // namespace
}  // namespace shelfd::ctl
