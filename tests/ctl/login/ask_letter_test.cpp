#include "ctl/login/ask_letter.hpp"

#include "ctl/verb_bench.hpp"
#include "support/catch.hpp"

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

bool holds(const std::string& text, const std::string& part)
{
    return text.find(part) != std::string::npos;
}

TEST_CASE("the letter says where to click, for whom, which kind and which scopes, each once")
{
    const auto letter = ask_letter(sample(), std::nullopt, now);
    for (const auto* part : {"https://app.example.com", "Library Settings, API Settings, Connected Applications",
                             "Manage tokens", "id-of-the-client (partner)", "Service Account Token",
                             "Scopes:  accounts, library, sales\n", "shelfctl auth import antwerp", "Not by mail"}) {
        INFO(part);
        CHECK(holds(letter, part));
    }
    auto personal = sample();
    personal.application.token_kind = config::TokenKind::personal;
    personal.service.contact = "ops@example.com";
    CHECK(holds(ask_letter(personal, std::nullopt, now), "a Personal Token"));
    CHECK(holds(ask_letter(personal, std::nullopt, now), "Questions go to ops@example.com."));
}

TEST_CASE("the letter says by when, and why, as the daemon knows it")
{
    control::TokenStatus token;
    token.state = TokenState::foreign;
    token.needs_person = true;
    token.access_usable = true;
    token.reason = "the refresh token was used by somebody else";
    token.deadline = now + std::chrono::hours(75);
    const auto dying = ask_letter(sample(), token, now);
    CHECK(holds(dying, "Before 2024-01-09T09:00:00Z (in 3 d)"));
    CHECK(holds(dying, "used by somebody else"));
    token.deadline.reset();
    token.since = now - std::chrono::hours(1);
    CHECK(holds(ask_letter(sample(), token, now), "is no longer updated since 2024-01-06T05:00:00Z"));
    token = {};
    token.state = TokenState::none;
    CHECK(holds(ask_letter(sample(), token, now), "no token set yet"));
    token.state = TokenState::good;
    CHECK(holds(ask_letter(sample(), token, now), "no hurry"));
}

TEST_CASE("the letter is written without a daemon, for a library that is configured")
{
    VerbBench bench;
    bench.command.library = "antwerp";
    write_file(bench.command.config_file, R"([service]
base_url = "https://api.example.com"

[resource.recipes]
path  = "/api/v2/library/recipes/"
needs = "library"
every = "15m"

[library.antwerp]
client_id     = "abc"
client_secret = { command = ["/bin/true"] }
)");
    CHECK(run_auth_ask(bench.context()) == ExitCode::done);
    CHECK(holds(bench.captured.out, "Scopes:  library\n"));
    CHECK(holds(bench.captured.err, "no daemon reports"));
    bench.command.library = "ghent";
    CHECK(run_auth_ask(bench.context()) == ExitCode::usage);
    CHECK(holds(bench.captured.err, "there is no library ghent"));
}

}  // namespace
}  // namespace shelfd::ctl
