#include "ctl/login/ask_letter.hpp"

#include "ctl/login/english_letter.hpp"
#include "ctl/verb_bench.hpp"
#include "support/catch.hpp"

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <vector>

namespace shelfd::ctl {
namespace {

const Instant now = Instant::from_seconds(1704520800);

config::Library sample()
{
    config::Library library;
    library.name = "antwerp";
    library.service.auth_url = "https://app.example.com";
    library.application.name = "partner";
    library.application.client_id = "id-of-the-client";
    library.application.scopes = {"accounts"};
    for (const auto* needs : {"library", "sales", "library", ""}) {
        config::Resource resource;
        resource.needs = needs;
        library.resources.own().push_back(resource);
    }
    return library;
}

LetterTemplate english()
{
    auto letter = LetterTemplate::parse(english_letter);
    REQUIRE(letter);
    return std::move(*letter);
}

bool holds(const std::string& text, const std::string& part)
{
    return text.find(part) != std::string::npos;
}

std::string shipped_letter(const std::string& language)
{
    return read_file(std::string(SHELFD_SOURCE_DIR) + "/config/letters/" + language + ".txt");
}

TEST_CASE("the letter says where to click, for whom, which kind and which scopes, each once")
{
    const auto letter = ask_letter(english(), sample(), std::nullopt, now);
    for (const auto* part : {"https://app.example.com", "Library Settings, API Settings, Connected Applications",
                             "Manage tokens", "id-of-the-client (partner)", "Service Account Token",
                             "Scopes:  accounts, library, sales\n", "shelfctl auth import antwerp", "Not by mail"}) {
        INFO(part);
        CHECK(holds(letter, part));
    }
    auto personal = sample();
    personal.application.token_kind = config::TokenKind::personal;
    personal.service.contact = "ops@example.com";
    CHECK(holds(ask_letter(english(), personal, std::nullopt, now), "a Personal Token"));
    CHECK(holds(ask_letter(english(), personal, std::nullopt, now), "Questions go to ops@example.com."));
}

TEST_CASE("the letter says by when, and why, as the daemon knows it")
{
    control::TokenStatus token;
    token.state = TokenState::foreign;
    token.needs_person = true;
    token.access_usable = true;
    token.deadline = now + std::chrono::hours(75);
    const auto dying = ask_letter(english(), sample(), PresentAccess{token, {}}, now);
    CHECK(holds(dying, "Before 2024-01-09T09:00:00Z: the present access works until then"));
    CHECK(holds(dying, "The reason: the service no longer accepts the refresh token"));
    token.deadline.reset();
    token.since = now - std::chrono::hours(1);
    CHECK(holds(ask_letter(english(), sample(), PresentAccess{token, {}}, now),
                "is no longer updated since 2024-01-06T05:00:00Z"));
    token = {};
    token.state = TokenState::none;
    CHECK(holds(ask_letter(english(), sample(), PresentAccess{token, {}}, now), "no token set yet"));
    token.state = TokenState::good;
    CHECK(holds(ask_letter(english(), sample(), PresentAccess{token, {}}, now), "no hurry"));
}

TEST_CASE("an owner whose set lacks a scope is written to, and reads which one it lacks, in each language")
{
    control::LibraryStatus library;
    library.token.state = TokenState::good;
    library.resources.resize(3);
    CHECK_FALSE(needs_owner(access_of(library)));
    library.resources[0].missing_scope = "sales";
    library.resources[2].missing_scope = "haccp";
    const auto access = access_of(library);
    CHECK(needs_owner(access));
    for (const auto* language : {"en", "nl", "fr", "de"}) {
        INFO(language);
        const auto letter = LetterTemplate::parse(shipped_letter(language));
        REQUIRE(letter);
        const auto text = ask_letter(*letter, sample(), access, now);
        CHECK(holds(text, "haccp, sales"));
        CHECK_FALSE(holds(text, letter->sentence("when_any")));
        CHECK(text.find_first_of("{}") == std::string::npos);
    }
    // A template of an earlier version.
    auto old = shipped_letter("en");
    old.replace(old.find("\nwhen_lacking ="), std::string("\nwhen_lacking").size(), "\nsomething");
    CHECK(holds(ask_letter(*LetterTemplate::parse(old), sample(), access, now), "no hurry"));
}

TEST_CASE("the letter is written without a daemon, for a library that is configured")
{
    VerbBench bench;
    bench.command.library = "antwerp";
    write_file(bench.command.config_file, configuration_of_antwerp);
    CHECK(run_auth_ask(bench.context()) == ExitCode::done);
    CHECK(holds(bench.captured.out, "Scopes:  library\n"));
    CHECK(holds(bench.captured.err, "no daemon reports"));
    bench.command.library = "ghent";
    CHECK(run_auth_ask(bench.context()) == ExitCode::usage);
    CHECK(holds(bench.captured.err, "there is no library ghent"));
}

const char* const two_libraries = R"([service]
base_url = "https://api.example.com"
language = "nl"

[resource.recipes]
path  = "/api/v2/library/recipes/"
every = "15m"

[library.antwerp]
client_id     = "abc"
client_secret = { command = ["/bin/true"] }

[library.mons]
client_id     = "def"
client_secret = { command = ["/bin/true"] }
language      = "fr"
)";

TEST_CASE("every shipped letter is complete and says the same things; the English one is built in")
{
    CHECK(shipped_letter("en") == english_letter);
    control::TokenStatus dying;
    dying.state = TokenState::foreign;
    dying.needs_person = true;
    dying.deadline = now + std::chrono::hours(75);
    auto library = sample();
    library.service.contact = "ops@example.com";
    for (const auto* language : {"en", "nl", "fr", "de"}) {
        INFO(language);
        const auto letter = LetterTemplate::parse(shipped_letter(language));
        REQUIRE(letter);
        const auto text = ask_letter(*letter, library, PresentAccess{dying, {}}, now);
        for (const auto* part : {"https://app.example.com", "Library Settings, API Settings, Connected Applications",
                                 "id-of-the-client (partner)", "Service Account Token", "accounts, library, sales",
                                 "shelfctl auth import antwerp", "2024-01-09T09:00:00Z", "ops@example.com"}) {
            INFO(part);
            CHECK(holds(text, part));
        }
        CHECK(text.find_first_of("{}") == std::string::npos);
        library.service.contact = "";
        CHECK(ask_letter(*letter, library, PresentAccess{dying, {}}, now).ends_with(".\n"));
        library.service.contact = "ops@example.com";
    }
}

// The names of its sentences, in their order.
std::vector<std::string> sentences_of(const std::string& letter)
{
    std::vector<std::string> names;
    std::istringstream lines(letter);
    for (std::string line; std::getline(lines, line) && line != "---";) {
        if (const auto equals = line.find(" = "); !line.starts_with('#') && equals != std::string::npos) {
            names.push_back(line.substr(0, equals));
        }
    }
    return names;
}

std::vector<TokenState> all_states()
{
    std::vector<TokenState> states;
    for (auto i = 0; i <= static_cast<int>(TokenState::good); ++i) {
        states.push_back(static_cast<TokenState>(i));
    }
    return states;
}

const char* const sentence_of_status = "used or revoked by somebody else (HTTP 400, invalid_grant)";

// One that needs a person and works until a deadline, or no longer.
control::TokenStatus needy(TokenState state, bool works)
{
    control::TokenStatus token;
    token.state = state;
    token.needs_person = true;
    token.access_usable = works;
    token.reason = sentence_of_status;
    token.since = now - std::chrono::hours(1);
    token.deadline = works ? std::optional(now + std::chrono::hours(75)) : std::nullopt;
    return token;
}

TEST_CASE("every shipped letter has the same sentences, one for each state that needs a person and a general one")
{
    const auto names = sentences_of(english_letter);
    for (const auto* language : {"en", "nl", "fr", "de"}) {
        INFO(language);
        CHECK(sentences_of(shipped_letter(language)) == names);
    }
    for (const auto state : all_states()) {
        INFO(to_string(state));
        const auto name = std::string("reason_") + to_string(state);
        CHECK((!needs_person(state) || state == TokenState::none ||
               std::find(names.begin(), names.end(), name) != names.end()));
    }
    CHECK(std::find(names.begin(), names.end(), "reason_any") != names.end());
}

TEST_CASE("a letter names the reason in its own language, never as the status does, and gives no time left in English")
{
    for (const auto* language : {"en", "nl", "fr", "de"}) {
        const auto letter = LetterTemplate::parse(shipped_letter(language));
        REQUIRE(letter);
        for (const auto state : all_states()) {
            for (const bool works : {true, false}) {
                INFO(language << " " << to_string(state) << " " << works);
                const auto text = ask_letter(*letter, sample(), PresentAccess{needy(state, works), {}}, now);
                CHECK_FALSE(holds(text, "used or revoked"));
                CHECK_FALSE(holds(text, "HTTP 400"));
                CHECK_FALSE(holds(text, "in 3 d"));
                CHECK((state == TokenState::none || holds(text, letter->reason(state).value() + ".\n")));
                CHECK((std::string(language) == "en" || !holds(text, english().reason(state).value())));
            }
        }
    }
}

TEST_CASE("a letter of one's own without sentences for states goes on with the reason of the status and the time left")
{
    auto text = shipped_letter("nl");
    for (auto at = text.find("\nreason_"); at != std::string::npos; at = text.find("\nreason_")) {
        text.erase(at, text.find('\n', at + 1) - at);
    }
    text.replace(text.find("{deadline}"), 10, "{deadline} ({ahead})");
    const auto letter = LetterTemplate::parse(text);
    REQUIRE(letter);
    const auto dying = ask_letter(*letter, sample(), PresentAccess{needy(TokenState::foreign, true), {}}, now);
    CHECK(holds(dying, "Voor 2024-01-09T09:00:00Z (in 3 d): tot dan"));
    CHECK(holds(dying, std::string("De reden: ") + sentence_of_status + "."));
}

TEST_CASE("a letter of one's own replaces the shipped one, and what is wrong in it is named")
{
    VerbBench bench;
    bench.command.library = "antwerp";
    write_file(bench.command.config_file, two_libraries);
    std::filesystem::create_directory(bench.directory / "letters");
    for (const auto* language : {"nl", "fr"}) {
        write_file(bench.directory / "letters/" + language + ".txt", shipped_letter(language));
    }
    CHECK(run_auth_ask(bench.context()) == ExitCode::done);
    CHECK(holds(bench.captured.out, "Onderwerp: een tokenset voor de bibliotheek antwerp"));

    bench.captured.out.clear();
    bench.command.auth.language = "en";
    CHECK(run_auth_ask(bench.context()) == ExitCode::done);
    CHECK(holds(bench.captured.out, "Subject: a token set"));

    // All of them, each in its own language, in files.
    bench.command.auth.language = "";
    bench.command.library = "";
    bench.command.all = true;
    bench.command.auth.folder = bench.directory.path();
    CHECK(run_auth_ask(bench.context()) == ExitCode::done);
    CHECK(holds(read_file(bench.directory / "antwerp.txt"), "Onderwerp"));
    CHECK(holds(read_file(bench.directory / "mons.txt"), "Objet : un jeu de jetons"));

    bench.command.auth.language = "tlh";
    CHECK(run_auth_ask(bench.context()) != ExitCode::done);
    CHECK(holds(bench.captured.err, "there is no letter in the language \"tlh\""));
    auto wrong = shipped_letter("nl");
    wrong.replace(wrong.find("{auth_url}"), 10, "{url}");
    write_file(bench.directory / "letters/nl.txt", wrong);
    bench.command.auth.language = "nl";
    CHECK(run_auth_ask(bench.context()) == ExitCode::config);
    CHECK(holds(bench.captured.err, "letters/nl.txt: {url} has no meaning in a letter"));
}

}  // namespace
}  // namespace shelfd::ctl
