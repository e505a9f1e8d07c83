// A change of the configuration is put into effect, or taken back.
#include "ctl/library/apply.hpp"

#include "ctl/library/library_verbs.hpp"
#include "ctl/library/own_comments.hpp"
#include "ctl/served_verb.hpp"
#include "ctl/steps_while_asleep.hpp"
#include "support/catch.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <fmt/format.h>

#include <filesystem>
#include <map>

namespace shelfd::ctl {
namespace {

constexpr const char* configured = R"([service]
base_url = "https://api.example.com"

[resource.recipes]
path  = "/api/v2/library/recipes/"
every = "15m"

[application.shop]
client_id     = "abc"
client_secret = { command = ["/bin/true"] }
redirect_uri  = "https://app.example.com/auth-code/"
scopes        = ["library"]

[library.antwerp]
application = "shop"
)";

bool holds(const std::string& text, const std::string& part)
{
    return text.find(part) != std::string::npos;
}

struct LibraryVerb : ServedVerb {
    LibraryVerb()
    {
        write_file(command.config_file, configured);
        command.library = "antwerp";
    }
    std::string configuration() const { return read_file(command.config_file); }
    std::string added(const std::string& library) const
    {
        return read_file(directory / ("conf.d/" + library + ".toml"));
    }
};

const auto reloaded = http_answer(200, R"({"ok":true,"changes":[],"warnings":[],"absent":[]})");

std::string refusal(int status, const std::string& kind, const std::string& text)
{
    return http_answer(status, R"({"error":{"kind":")" + kind + R"(","text":")" + text + R"("}})");
}

// The daemon's status of ghent, whose token set has that state.
std::string status_of_ghent(const std::string& state)
{
    return http_answer(200, R"({"format_version":1,"absent":[],"libraries":[{"name":"ghent","state":"filling",)"
                            R"("token":{"state":")" +
                                state + R"("}}]})");
}

TEST_CASE("a change that the daemon refuses is taken back, and the daemon reads what is on the disk again")
{
    LibraryVerb bench;
    const auto code = bench.run(run_library_pause, {refusal(422, "config", "storage.mirrors cannot change"), reloaded});
    CHECK(code == ExitCode::config);
    CHECK(bench.configuration() == configured);
    REQUIRE(bench.requests.size() == 2);
    for (const auto& request : bench.requests) {
        CHECK(holds(request, "POST /v1/reload HTTP/1.1"));
    }
    CHECK(holds(bench.captured.err, "the daemon refuses the change: storage.mirrors cannot change; the configuration "
                                    "is as it was\n"));

    LibraryVerb twice;
    const auto again = refusal(503, "stopped", "the daemon is stopping");
    CHECK(twice.run(run_library_pause, {again, again}) == ExitCode::busy);
    CHECK(twice.configuration() == configured);
    CHECK(holds(twice.captured.err, "as it was, but the daemon did not read it again: the daemon is stopping"));
}

TEST_CASE("only a daemon that is not there leaves a change for later; other errors are told as what they are")
{
    LibraryVerb nobody;
    CHECK(run_library_pause(nobody.context()) == ExitCode::done);
    CHECK(holds(nobody.captured.out, "no daemon answers, so it takes effect when one starts"));
    CHECK(holds(nobody.configuration(), "paused = true"));

    // A socket that cannot be reached, for a reason that is not the daemon's: nothing was sent.
    LibraryVerb unreachable;
    unreachable.environment["SHELFD_SOCKET"] = unreachable.directory / std::string(300, 'x');
    CHECK(run_library_pause(unreachable.context()) == ExitCode::permission);
    CHECK(unreachable.configuration() == configured);
    CHECK(holds(unreachable.captured.err, "you may not connect to the socket"));
    CHECK(holds(unreachable.captured.err, "the configuration is as it was"));
    CHECK(unreachable.captured.out.empty());

    // A daemon that goes away meanwhile may have read the change.
    LibraryVerb lost;
    CHECK(lost.run(run_library_pause, {""}) == ExitCode::busy);
    CHECK(holds(lost.configuration(), "paused = true"));
    CHECK(holds(lost.captured.err, "the configuration is changed, and perhaps not in effect: shelfctl reload"));
    CHECK(lost.captured.out.empty());
}

TEST_CASE("a verb whose library does not run after the reload ends with 2 and the reason")
{
    const auto absent = http_answer(200, R"({"ok":true,"changes":[],"warnings":["antwerp is not running: a disk"],)"
                                         R"("absent":[{"library":"antwerp","why":"a disk"}]})");
    for (const auto verb : {run_library_pause, run_library_resume}) {
        for (const auto output : {Output::text, Output::json}) {
            LibraryVerb bench;
            bench.command.output = output;
            CHECK(bench.run(verb, {absent}) == ExitCode::needs_person);
            CHECK(bench.captured.out.empty());
            CHECK(holds(bench.captured.err, "the configuration is changed, but antwerp is not running: a disk"));
        }
    }
    // Of a rename, the new name counts.
    LibraryVerb renamed;
    renamed.command.life.new_name = "antwerpen";
    const auto other = http_answer(200, R"({"ok":true,"changes":[],"warnings":[],)"
                                        R"("absent":[{"library":"antwerpen","why":"no room"}]})");
    CHECK(renamed.run(run_library_rename, {other}) == ExitCode::needs_person);
    CHECK(holds(renamed.captured.err, "antwerpen is not running: no room"));
    // Another library is told about, and no error.
    LibraryVerb beside;
    CHECK(beside.run(run_library_pause, {other}) == ExitCode::done);
}

TEST_CASE("an added library has the id that was given, as a number only if TOML reads the same digits")
{
    struct Row {
        const char* id;
        const char* toml;
    };
    const Row rows[] = {
        {"42", "library_id = 42\n"},       {"0", "library_id = 0\n"},
        {"007", "library_id = \"007\"\n"}, {"00", "library_id = \"00\"\n"},
        {"b-7", "library_id = \"b-7\"\n"}, {"1234567890123456789", "library_id = \"1234567890123456789\"\n"},
    };
    for (const auto& row : rows) {
        INFO(row.id);
        LibraryVerb bench;
        bench.command.library = "ghent";
        bench.command.life.library_id = row.id;
        bench.command.life.without_set = true;
        CHECK(run_library_add(bench.context()) == ExitCode::done);
        CHECK(holds(bench.added("ghent"), row.toml));
        const auto loaded = config::load(bench.command.config_file, bench.environment);
        REQUIRE(loaded.configuration);
        CHECK(loaded.configuration->find_library("ghent")->library_id == row.id);
    }
}

TEST_CASE("a resumed library that waited for its confirmation refuses sets of other libraries from then on")
{
    std::string text = configured;
    text.replace(0, std::string_view("[service]\n").size(),
                 "[service]\nidentity = { path = \"/me/\", field = \"id\" }\n");
    const std::string waiting = "# Nothing is fetched until somebody has confirmed whose data it is: shelfctl library "
                                "resume\npaused = true\n";
    const auto page = http_answer(200, "{\"status\":200}\n{\"id\":61,\"name\":\"Brasserie\"}");

    LibraryVerb bench;
    write_file(bench.command.config_file, text + waiting);
    CHECK(bench.run(run_library_resume, {page, reloaded}) == ExitCode::done);
    CHECK(holds(bench.configuration(), "library_id = 61\n"));
    CHECK_FALSE(holds(bench.configuration(), "paused"));
    CHECK(holds(bench.captured.out, "antwerp is not paused; it is being filled with the data of 61 'Brasserie'"));

    // Nobody confirms what nobody knows.
    LibraryVerb unknown;
    write_file(unknown.command.config_file, text + waiting);
    CHECK(unknown.run(run_library_resume, {http_answer(200, "{\"status\":503}\n")}) != ExitCode::done);
    CHECK(unknown.configuration() == text + waiting);
    CHECK(holds(unknown.captured.err, "antwerp stays paused, because the library of its token set is not known"));

    // A pause of a person's own needs no confirmation.
    LibraryVerb paused;
    write_file(paused.command.config_file, text + "paused = true\n");
    CHECK(paused.run(run_library_resume, {reloaded}) == ExitCode::done);
    CHECK(paused.configuration() == text);

    LibraryVerb known;
    write_file(known.command.config_file, text + "library_id = 7\n" + waiting);
    CHECK(known.run(run_library_resume, {reloaded}) == ExitCode::done);
    CHECK(known.configuration() == text + "library_id = 7\n");
}

TEST_CASE("a library that is just opened again is asked again, not given up")
{
    LibraryVerb bench;
    std::string text = configured;
    text.replace(0, std::string_view("[service]\n").size(),
                 "[service]\nidentity = { path = \"/me/\", field = \"id\" }\n");
    write_file(bench.command.config_file,
               text + "# Nothing is fetched until somebody has confirmed whose data it is: shelfctl library resume\n"
                      "paused = true\n");
    int sleeps = 0;
    const auto step = [&sleeps] { ++sleeps; };
    StepsWhileAsleep clock({step, step});
    const auto given = bench.context();
    const Context patient{given.command, given.environment, given.terminal, clock, given.read_input};
    const auto busy = refusal(409, "busy", "library antwerp is being opened again: try again in a moment");
    const auto page = http_answer(200, "{\"status\":200}\n{\"id\":61,\"name\":\"Brasserie\"}");
    CHECK(bench.run(run_library_resume, patient, {busy, busy, page, reloaded}) == ExitCode::done);
    INFO(bench.captured.err);
    CHECK(sleeps == 2);
    CHECK(holds(bench.configuration(), "library_id = 61\n"));
}

TEST_CASE("a library that was added already is told what is left to do")
{
    LibraryVerb bench;
    CHECK(run_library_add(bench.context()) == ExitCode::usage);
    CHECK(holds(bench.captured.err, "antwerp is configured already"));
    CHECK(holds(bench.captured.err, "; for its token set: shelfctl auth import antwerp\n"));

    LibraryVerb waiting;
    write_file(waiting.command.config_file, configured + std::string(waiting_comment) + "\npaused = true\n");
    CHECK(run_library_add(waiting.context()) == ExitCode::usage);
    CHECK(holds(waiting.captured.err, "opens: shelfctl library resume antwerp (without a token set yet: shelfctl auth "
                                      "import antwerp, then that)\n"));
}

TEST_CASE("of many applications, the error of a misspelt one names the nearest, and not all")
{
    LibraryVerb bench;
    std::string text = configured;
    for (int i = 0; i < 40; ++i) {
        text += fmt::format("[application.other{}]\nclient_id = \"abc\"\nclient_secret = {{ command = "
                            "[\"/bin/true\"] }}\n",
                            i);
    }
    write_file(bench.command.config_file, text);
    bench.command.library = "ghent";
    bench.command.life.application = "shopp";
    CHECK(run_library_add(bench.context()) == ExitCode::usage);
    CHECK(holds(bench.captured.err, "there is no [application.shopp] (known: shop, "));
    CHECK(holds(bench.captured.err, " and 29 more)"));
    CHECK_FALSE(holds(bench.captured.err, "other39"));
}

TEST_CASE("an import without library_id says how to refuse sets of other libraries, and who has the same data")
{
    LibraryVerb bench;
    write_file(bench.command.config_file, configured + std::string("[library.ghent]\napplication = \"shop\"\n"));
    bench.input = "access_token=x";
    const auto taken = http_answer(200, R"({"ok":true,"library_id":"42","text":"accepted; it belongs to library 42"})");
    const auto status = http_answer(200, R"({"format_version":1,"absent":[],"libraries":[{"name":"ghent",)"
                                         R"("state":"filling","library_id":"42","token":{"state":"good"}}]})");
    CHECK(bench.run(run_auth_import, {taken, status}) == ExitCode::done);
    INFO(bench.captured.out << bench.captured.err);
    CHECK(holds(bench.captured.out,
                "accepted; it belongs to library 42\nto refuse sets of other libraries from now on, "
                "write library_id = \"42\" in [library.antwerp] ("));
    CHECK(holds(bench.captured.err, "warning: ghent has the data of library 42 of the service already, and antwerp "
                                    "would fetch them once more"));

    LibraryVerb known;
    write_file(known.command.config_file, configured + std::string("library_id = 42\n"));
    known.input = "access_token=x";
    CHECK(known.run(run_auth_import, {taken}) == ExitCode::done);
    CHECK_FALSE(holds(known.captured.out, "to refuse sets"));
}

TEST_CASE("a question of another verb to the service is not the verb get in log and runs")
{
    LibraryVerb bench;
    std::string text = configured;
    text.replace(0, std::string_view("[service]\n").size(),
                 "[service]\nidentity = { path = \"/me/\", field = \"id\" }\n");
    write_file(bench.command.config_file,
               text + "# Nothing is fetched until somebody has confirmed whose data it is: shelfctl library resume\n"
                      "paused = true\n");
    bench.command.verb = Verb::library_resume;
    const auto page = http_answer(200, "{\"status\":200}\n{\"id\":61}");
    CHECK(bench.run(run_library_resume, {page, reloaded}) == ExitCode::done);
    REQUIRE_FALSE(bench.requests.empty());
    CHECK(holds(bench.requests[0], "POST /v1/get?verb=library+resume HTTP/1.1\r\n"));
}

TEST_CASE("an addition that ended before its set was taken is continued by the same command")
{
    const std::string file = "# Added by shelfctl library add on 2026-01-06; what can be written here: shelfd.toml(5)\n"
                             "[library.ghent]\napplication = \"shop\"\n";
    const auto taken = http_answer(200, R"({"ok":true,"text":"the set is stored"})");
    const auto prepare = [&](LibraryVerb& bench, const std::string& text) {
        bench.command.library = "ghent";
        bench.input = "access_token=a";
        std::filesystem::create_directories(bench.directory / "conf.d");
        write_file(bench.directory / "conf.d/ghent.toml", text);
    };
    LibraryVerb bench;
    prepare(bench, file);
    CHECK(bench.run(run_library_add, {reloaded, status_of_ghent("none"), taken}) == ExitCode::done);
    INFO(bench.captured.out << bench.captured.err);
    CHECK(holds(bench.captured.out, "ghent.toml by an earlier command; its token set is missing\n"));
    CHECK(holds(bench.captured.out, "the set is stored\nghent is being filled"));
    REQUIRE(bench.requests.size() == 3);
    CHECK(holds(bench.requests[2], "POST /v1/auth/import?library=ghent"));
    CHECK(bench.added("ghent") == file);

    // With what the repeated command says about it.
    LibraryVerb noted;
    prepare(noted, file);
    noted.command.life.note = "Ask Lies";
    CHECK(noted.run(run_library_add, {reloaded, status_of_ghent("none"), taken}) == ExitCode::done);
    CHECK(holds(noted.added("ghent"), "note = \"Ask Lies\"\n"));

    // What a person wrote, another application or id, and a library with a set are no unfinished additions.
    LibraryVerb complete;
    prepare(complete, file);
    CHECK(complete.run(run_library_add, {reloaded, status_of_ghent("good")}) == ExitCode::usage);
    CHECK(holds(complete.captured.err, "ghent is configured already"));
    for (const auto* change : {"own", "id", "no set"}) {
        INFO(change);
        LibraryVerb other;
        const std::string which = change;
        prepare(other, which == "own" ? file.substr(file.find('\n') + 1) : file);
        other.command.life.library_id = which == "id" ? "42" : "";
        other.command.life.without_set = which == "no set";
        CHECK(run_library_add(other.context()) == ExitCode::usage);
        CHECK(holds(other.captured.err, "ghent is configured already"));
    }
}

TEST_CASE("an addition whose answer was lost says whether the set is here, or that nobody knows")
{
    struct Row {
        std::string text;  // of the configuration
        std::string status;
        const char* said;
    };
    const std::string with_page =
        std::string(configured).replace(0, 10, "[service]\nidentity = { path = \"/me/\", field = \"id\" }\n");
    const Row rows[] = {
        {configured, status_of_ghent("none"),
         "no token set was taken, and ghent stays configured without one; to try again: shelfctl auth import"},
        {configured, status_of_ghent("good"), "ghent did receive its token set: shelfctl auth status ghent\n"},
        {configured, "",
         "ghent stays configured; whether it has its token set is not known, because no daemon says so: once one runs: "
         "shelfctl auth status ghent\n"},
        {with_page, status_of_ghent("good"),
         "ghent did receive its token set, and stays paused; if it is the right one: shelfctl library resume "
         "ghent; if not: shelfctl library forget ghent\n"},
        {with_page, "", "ghent stays configured, and paused until: shelfctl library resume ghent; whether it has its"},
    };
    for (const auto& row : rows) {
        LibraryVerb bench;
        write_file(bench.command.config_file, row.text);
        bench.command.library = "ghent";
        bench.input = "access_token=a";
        // After a lost answer the client looks whether anybody is there.
        CHECK(bench.run(run_library_add, {reloaded, status_of_ghent("none"), "", "", row.status}) != ExitCode::done);
        REQUIRE(bench.requests.size() == 5);
        CHECK(holds(bench.requests[2], "POST /v1/auth/import?library=ghent"));
        CHECK(holds(bench.requests[4], "GET /v1/status"));
        INFO(bench.captured.err);
        CHECK(holds(bench.captured.err, row.said));
    }
}

TEST_CASE("without a daemon, an addition says that its set was not read, and a rename that nothing was moved")
{
    LibraryVerb added;
    added.command.library = "ghent";
    added.input = "access_token=a";
    CHECK(run_library_add(added.context()) == ExitCode::done);
    CHECK(holds(added.captured.out, "its token set is missing, because no daemon could take it and standard input was "
                                    "not read; give it again once one runs: shelfctl auth import ghent"));
    LibraryVerb without;
    without.command.library = "ghent";
    without.command.life.without_set = true;
    CHECK(run_library_add(without.context()) == ExitCode::done);
    CHECK(holds(without.captured.out, "its token set is missing: shelfctl auth import ghent"));

    LibraryVerb renamed;
    renamed.command.life.new_name = "antwerpen";
    const auto storage = "[storage]\nmirrors = \"" + (renamed.directory / "mirrors") + "\"\ntokens = \"" +
                         (renamed.directory / "tokens") + "\"\n";
    write_file(renamed.command.config_file, storage + configured);
    std::filesystem::create_directories(renamed.directory / "mirrors/antwerp");
    std::filesystem::create_directories(renamed.directory / "tokens/antwerp");
    CHECK(run_library_rename(renamed.context()) == ExitCode::done);
    CHECK(renamed.captured.out ==
          "antwerp is antwerpen in the configuration now; the daemon has not moved anything yet; no daemon answers, "
          "so it takes effect when one starts\n");
    LibraryVerb moved;
    moved.command.life.new_name = "antwerpen";
    write_file(moved.command.config_file, storage + configured);
    CHECK(moved.run(run_library_rename, {reloaded}) == ExitCode::done);
    CHECK(holds(moved.captured.out,
                "antwerp was renamed to antwerpen, with its token journals and its mirror; nothing was refreshed"));
}

TEST_CASE("a library that is written inline is not forgotten, and the error says how to write it so that it can be")
{
    LibraryVerb bench;
    const auto text = configured + std::string("[library]\nghent = { application = \"shop\" }\n");
    const auto inline_only = text.substr(0, text.find("[library.antwerp]")) + text.substr(text.find("[library]"));
    write_file(bench.command.config_file, inline_only);
    bench.command.library = "ghent";
    bench.command.force = true;
    CHECK(run_library_forget(bench.context()) == ExitCode::config);
    INFO(bench.captured.err);
    CHECK(bench.configuration() == inline_only);
    CHECK(holds(bench.captured.err, "nothing was removed: "));
    CHECK(holds(bench.captured.err, "write it as a table of its own, [library.ghent] with a line for each key; then: "
                                    "shelfctl reload, and repeat: shelfctl library forget ghent\n"));
}

TEST_CASE("the list of libraries has words for people, and those of programs in JSON")
{
    const auto status = http_answer(200, R"({"format_version":1,"absent":[],"libraries":[{"name":"antwerp",)"
                                         R"("state":"needs_person","token":{"state":"in_doubt"},"resources":[)"
                                         R"({"name":"recipes","state":"needs_person"}]}]})");
    LibraryVerb people;
    CHECK(people.run(run_library_list, {status}) == ExitCode::done);
    CHECK(holds(people.captured.out, "needs a person"));
    CHECK(holds(people.captured.out, "in doubt"));
    CHECK_FALSE(holds(people.captured.out, "_"));
    LibraryVerb programs;
    programs.command.output = Output::json;
    CHECK(programs.run(run_library_list, {status}) == ExitCode::done);
    CHECK(holds(programs.captured.out, R"("state":"needs_person")"));
}

TEST_CASE("without identity an added library says that nobody checks whose data it is")
{
    const std::string with_page =
        std::string(configured).replace(0, 10, "[service]\nidentity = { path = \"/me/\", field = \"id\" }\n");
    struct Row {
        const char* name;
        std::string text;
        const char* id;
        const char* note;  // "" = none
    };
    const Row rows[] = {
        {"no id", configured, "",
         "; nobody checks which library the token set belongs to: set identity in [service] to a page that names it"},
        {"an id", configured, "93",
         "; nobody checks which library the token set belongs to, and --id is not checked: set identity in [service]"},
        {"a page", with_page, "93", ""},
    };
    for (const auto& row : rows) {
        INFO(row.name);
        LibraryVerb bench;
        write_file(bench.command.config_file, row.text);
        bench.command.library = "ghent";
        bench.command.life.library_id = row.id;
        bench.input = "access_token=a";
        const auto taken = http_answer(200, R"({"ok":true,"text":"the set is stored"})");
        CHECK(bench.run(run_library_add, {reloaded, status_of_ghent("none"), taken}) == ExitCode::done);
        INFO(bench.captured.out << bench.captured.err);
        CHECK(holds(bench.captured.out, "ghent is being filled"));
        CHECK(holds(bench.captured.out, row.note));
        CHECK(holds(bench.captured.out, "nobody checks") == (*row.note != '\0'));
    }
    LibraryVerb without;
    write_file(without.command.config_file, with_page);
    without.command.library = "ghent";
    without.command.life.without_set = true;
    CHECK(run_library_add(without.context()) == ExitCode::done);
    CHECK(holds(without.captured.out, "its token set is missing: shelfctl auth import ghent; without --id a set of "
                                      "any library is accepted, and auth import says whose it is"));
}

TEST_CASE("a library that is forgotten leaves the hooks that name it, unless one is for it alone")
{
    const std::string other = "[library.ghent]\napplication = \"shop\"\n";
    const auto hook = [](const std::string& libraries) {
        return "[hooks.mail]\ncommand = [\"/bin/true\"]\nlibraries = " + libraries + "  # mail\n";
    };
    const auto receipt = http_answer(200, R"({"library":"antwerp","removed":[],"revoked":true,"is_configured":false})");
    struct Row {
        const char* before;
        const char* after;
    };
    const Row rows[] = {
        {"[\"antwerp\", \"ghent\"]", "[\"ghent\"]"},
        {"[ \"ghent\", 'antwerp' ]", "[ \"ghent\" ]"},
        {"[\n  \"antwerp\",\n  \"ghent\",\n]", "[\n  \n  \"ghent\",\n]"},
    };
    for (const auto& row : rows) {
        INFO(row.before);
        LibraryVerb bench;
        bench.command.force = true;
        write_file(bench.command.config_file, hook(row.before) + configured + other);
        CHECK(bench.run(run_library_forget, {receipt, reloaded}) == ExitCode::done);
        INFO(bench.captured.err);
        CHECK(bench.configuration().find(hook(row.after)) == 0);
        CHECK_FALSE(holds(bench.configuration(), "[library.antwerp]"));
    }
    LibraryVerb alone;
    alone.command.force = true;
    write_file(alone.command.config_file, hook("[\"antwerp\"]") + configured + other);
    CHECK(run_library_forget(alone.context()) == ExitCode::config);
    CHECK(holds(alone.captured.err, "nothing was removed: "));
    CHECK(holds(alone.captured.err, "shelfd.toml:3:14: hook mail is for antwerp alone: remove [hooks.mail], or name "
                                    "other libraries there; then repeat: shelfctl library forget antwerp"));
}

TEST_CASE("a library that is not configured, and of which nothing is stored, is not forgotten but unknown")
{
    LibraryVerb bench;
    const auto storage = "[storage]\nmirrors = \"" + (bench.directory / "mirrors") + "\"\ntokens = \"" +
                         (bench.directory / "tokens") + "\"\n";
    write_file(bench.command.config_file, storage + configured);
    bench.command.library = "antwerpp";
    CHECK(run_library_forget(bench.context()) == ExitCode::usage);
    CHECK(holds(bench.captured.err, "there is no library antwerpp (known: antwerp), and no data of one is stored; all "
                                    "of them: shelfctl library list"));
    std::filesystem::create_directories(bench.directory / "tokens/antwerpp");
    CHECK(run_library_forget(bench.context()) == ExitCode::usage);
    CHECK(holds(bench.captured.err, "without a terminal, confirm with --force"));
}

TEST_CASE("a library of which the daemon does not tell this user is unknown, not stopped")
{
    const std::string others = "[library.bruges]\napplication = \"shop\"\n[library.ghent]\napplication = \"shop\"\n";
    LibraryVerb bench;
    write_file(bench.command.config_file, configured + others);
    bench.command.output = Output::json;
    const auto status = http_answer(
        200, R"({"format_version":1,"absent":["bruges"],"libraries":[{"name":"antwerp","state":"paused"}]})");
    CHECK(bench.run(run_library_list, {status}) == ExitCode::done);
    INFO(bench.captured.out << bench.captured.err);
    boost::system::error_code broken;
    const auto document = boost::json::parse(bench.captured.out, broken);
    REQUIRE_FALSE(broken);
    std::map<std::string, std::string> states;
    for (const auto& row : document.as_object().at("libraries").as_array()) {
        states[std::string(row.as_object().at("library").as_string())] = row.as_object().at("state").as_string();
    }
    CHECK(states["bruges"] == "not running");
    CHECK(states["ghent"] == "unknown");
    CHECK(states["antwerp"] != "unknown");

    LibraryVerb read;
    write_file(read.command.config_file, configured + others);
    CHECK(read.run(run_library_list, {status}) == ExitCode::done);
    CHECK(holds(read.captured.err, "unknown: you may not read that library, or the daemon has not read"));
    // Whoever only looks needs no right to write beside the configuration.
    CHECK_FALSE(std::filesystem::exists(read.directory / ".shelfd.toml.lock"));
}

TEST_CASE("an addition with a login prints one JSON document")
{
    LibraryVerb bench;
    bench.command.library = "ghent";
    bench.command.life.library_id = "42";
    bench.command.life.login = true;
    bench.command.output = Output::json;
    bench.input = "abc";
    const auto place = http_answer(200, R"({"ok":true,"authorize_url":"https://app.example.com/oauth/authorize/",)"
                                        R"("client_id":"abc","redirect_uri":"https://app.example.com/auth-code/",)"
                                        R"("scopes":["library"],"identity":true})");
    const auto taken = http_answer(200, R"({"ok":true,"text":"the set is in force"})");
    CHECK(bench.run(run_library_add, {reloaded, status_of_ghent("none"), place, taken}) == ExitCode::done);
    boost::system::error_code broken;
    const auto document = boost::json::parse(bench.captured.out, broken);
    INFO(bench.captured.out);
    REQUIRE_FALSE(broken);
    CHECK(document.as_object().at("library").as_string() == "ghent");
    CHECK(document.as_object().at("in_effect").as_bool());
    REQUIRE(bench.requests.size() == 4);
    CHECK(holds(bench.requests[3], "code=abc\n"));

    LibraryVerb read;
    read.command.library = "ghent";
    read.command.life.library_id = "42";
    read.command.life.login = true;
    read.input = "abc";
    CHECK(read.run(run_library_add, {reloaded, status_of_ghent("none"), place, taken}) == ExitCode::done);
    CHECK(holds(read.captured.out,
                "the set is in force\nghent is being filled; nobody checks which library the token set belongs to"));
}

TEST_CASE("a library that is added or resumed in quiet hours says what it waits for")
{
    // Quiet now, and for half an hour at least.
    const auto minutes = SystemClock().now().seconds() / 60 % (24 * 60);
    const auto time = [&](std::int64_t away) {
        const auto at = (minutes + away + 24 * 60) % (24 * 60);
        return fmt::format("{:02}:{:02}", at / 60, at % 60);
    };
    std::string text = configured;
    text.replace(0, std::string_view("[service]\n").size(),
                 fmt::format("[service]\nquiet = [\"{}-{}\"]\n", time(-30), time(30)));
    LibraryVerb bench;
    write_file(bench.command.config_file, text);
    CHECK(bench.run(run_library_resume, {reloaded}) == ExitCode::done);
    INFO(bench.captured.out << bench.captured.err);
    CHECK(holds(bench.captured.out, "antwerp was not paused; it waits for the end of the quiet hours at "));
    CHECK(holds(bench.captured.out, "; to sync now: shelfctl sync antwerp\n"));

    LibraryVerb added;
    write_file(added.command.config_file, text);
    added.command.library = "ghent";
    added.command.life.library_id = "42";
    added.command.life.login = true;
    added.input = "abc";
    const auto place = http_answer(200, R"({"ok":true,"authorize_url":"https://app.example.com/oauth/authorize/",)"
                                        R"("client_id":"abc","redirect_uri":"https://app.example.com/auth-code/",)"
                                        R"("scopes":["library"],"identity":true})");
    const auto taken = http_answer(200, R"({"ok":true,"text":"the set is in force"})");
    CHECK(added.run(run_library_add, {reloaded, status_of_ghent("none"), place, taken}) == ExitCode::done);
    CHECK(holds(added.captured.out, "ghent is being filled; it waits for the end of the quiet hours at "));
}

}  // namespace
}  // namespace shelfd::ctl
