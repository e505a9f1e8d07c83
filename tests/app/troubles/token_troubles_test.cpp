// What can happen to a token set, as an operator meets it.
#include "app/troubles/staged_trouble.hpp"
#include "control/causes/cause_finder.hpp"
#include "support/catch.hpp"

#include <filesystem>

using namespace shelfd;
using namespace std::chrono_literals;
using control::CauseKind;
using control::Severity;

namespace {

constexpr auto with_deadline = StagedTrouble::Deadline::set;

DaemonOptions day_tokens()
{
    DaemonOptions options;
    options.world.tokens.expires_in = 24h;
    return options;
}

sim::TokenSet& newest_set(sim::World& world, const std::string& library = "lib01")
{
    const auto number = world.tokens.count_of_sets(world.number_of(world.library(library))) - 1;
    return world.set(library, number);
}

void take_new_set(DaemonBench& bench)
{
    const auto imported = bench.import_set();
    INFO((imported ? "" : imported.error().text()));
    REQUIRE(imported);
}

// Faults of the token endpoint, until they are forgotten.
sim::Fault at_token_endpoint()
{
    sim::Fault fault;
    fault.path = "/oauth/token/";
    fault.times = std::nullopt;
    fault.acts = false;
    return fault;
}

void forget_faults(DaemonBench& bench)
{
    bench.world()->faults.clear();
}

void restart(DaemonBench& bench, const std::function<void()>& meanwhile)
{
    bench.stop();
    meanwhile();
    bench.start();
}

void spoil(const std::string& file)
{
    write_file(file, std::string(std::filesystem::file_size(file), '\x5a'));
}

}  // namespace

TEST_CASE("staged trouble: no token set")
{
    check_trouble(
        {.name = "forgotten",
         .cause = CauseKind::token_lost,
         .severity = Severity::ticket,
         .why = "its token set was deleted with auth forget",
         .cure = "shelfctl auth import antwerp",
         .stage = [](DaemonBench& bench) { REQUIRE(bench.clock.run(bench.operations().forget({"antwerp"}))); },
         .mend = take_new_set});
}

TEST_CASE(
    "from the moment at which a set is imported no table needs a person, nor is its configuration to be corrected")
{
    DaemonOptions options;
    options.more = "[hooks.now]\npost = \"https://pager.test/now\"\nafter = \"0s\"\n";
    DaemonBench bench(options);
    bench.pass_time(5min);
    REQUIRE(bench.clock.run(bench.operations().forget({"antwerp"})));
    bench.pass_time(20min);
    REQUIRE(bench.status().libraries.front().resources.front().state == control::State::needs_person);
    const auto called = bench.calls.size();
    take_new_set(bench);
    const auto status = bench.status();
    for (const auto& table : status.libraries.front().resources) {
        INFO(table.name << ": " << table.why);
        CHECK(table.state == control::State::fresh);
        CHECK(table.trouble == sync::Trouble::none);
        CHECK(table.do_this.empty());
    }
    CHECK(control::find_causes(status).empty());
    bench.pass_time(20min);
    for (std::size_t i = called; i < bench.calls.size(); ++i) {
        CHECK(bench.calls[i].text("cause") == "token_lost");
    }
}

TEST_CASE("staged trouble: the owner revokes the set")
{
    check_trouble({.name = "revoked",
                   .cause = CauseKind::foreign_rotation,
                   .severity = Severity::page,
                   .why = "the refresh token was used or revoked by somebody else",
                   .cure = "shelfctl auth import antwerp",
                   .deadline = with_deadline,
                   .stage = [](DaemonBench& bench) { bench.world()->tokens.revoke_set(newest_set(*bench.world())); },
                   .mend = take_new_set});
}

TEST_CASE("staged trouble: the refresh token is revoked, the access token lives on")
{
    check_trouble({.name = "revoked by halves",
                   .cause = CauseKind::foreign_rotation,
                   .severity = Severity::ticket,
                   .why = "the refresh token was used or revoked by somebody else",
                   .cure = "shelfctl auth import antwerp",
                   .deadline = with_deadline,
                   .options = day_tokens(),
                   .stage =
                       [](DaemonBench& bench) {
                           auto world = bench.world();
                           newest_set(*world).generations.back().refresh_state = sim::RefreshState::revoked;
                       },
                   .mend = take_new_set,
                   .within = 20h});
}

TEST_CASE("staged trouble: a second server refreshes the same set")
{
    check_trouble({.name = "refreshed elsewhere",
                   .cause = CauseKind::foreign_rotation,
                   .severity = Severity::page,
                   .why = "a copy of this store, a second server",
                   .cure = "shelfctl auth import antwerp",
                   .deadline = with_deadline,
                   .stage =
                       [](DaemonBench& bench) {
                           auto world = bench.world();
                           const auto refresh = newest_set(*world).newest().refresh;
                           world->tokens.refresh(0, refresh, std::nullopt, world->now());
                       },
                   .mend = take_new_set});
}

TEST_CASE("staged trouble: the answer to a refresh is lost")
{
    check_trouble({.name = "lost answer",
                   .cause = CauseKind::token_lost,
                   .severity = Severity::page,
                   .why = "the answer to a refresh was lost, and with it the new token set",
                   .cure = "shelfctl auth import antwerp",
                   .deadline = with_deadline,
                   .options = day_tokens(),
                   .stage =
                       [](DaemonBench& bench) {
                           sim::Fault fault;
                           fault.path = "/oauth/token/";
                           fault.library = "lib01";
                           fault.cut = sim::Cut::after_acting;
                           bench.fail(fault);
                       },
                   .mend = take_new_set,
                   .within = 20h});
}

TEST_CASE("staged trouble: a wrong client secret")
{
    check_trouble({.name = "wrong secret",
                   .cause = CauseKind::application,
                   .severity = Severity::ticket,
                   .why = "the service refuses this application, not the token",
                   .cure = "correct client_id, client_secret or base_url, then: shelfctl reload",
                   .next = "tries again",
                   .deadline = with_deadline,
                   .options = day_tokens(),
                   .stage = [](DaemonBench& bench) { write_file(bench.files / "secret_antwerp", "wrong"); },
                   .mend =
                       [](DaemonBench& bench) {
                           write_file(bench.files / "secret_antwerp", bench.world()->library("lib01").client_secret);
                           bench.reload();
                       },
                   .within = 20h});
}

TEST_CASE("staged trouble: the client secret cannot be read")
{
    check_trouble({.name = "unreadable secret",
                   .cause = CauseKind::refresh,
                   .severity = Severity::ticket,
                   .why = "the client secret cannot be read",
                   .cure = "make the client secret readable for the daemon, then: shelfctl reload",
                   .next = "tries again every 15 minutes or sooner",
                   .deadline = with_deadline,
                   .options = day_tokens(),
                   .stage = [](DaemonBench& bench) { std::filesystem::remove(bench.files / "secret_antwerp"); },
                   .mend =
                       [](DaemonBench& bench) {
                           write_file(bench.files / "secret_antwerp", bench.world()->library("lib01").client_secret);
                           bench.reload();
                       },
                   .within = 20h});
}

TEST_CASE("staged trouble: the user of the token switches to another library")
{
    check_trouble(
        {.name = "wrong library",
         .cause = CauseKind::wrong_library,
         .severity = Severity::page,
         .why = "the token belongs to library 43, expected 42",
         .cure = "ask the owner to switch the library back, then: shelfctl sync antwerp; or correct library_id, then: "
                 "shelfctl reload",
         .next = "asks again before each pass",
         .deadline = with_deadline,
         .stage = [](DaemonBench& bench) { newest_set(*bench.world()).acts_on = 1; },
         .mend = [](DaemonBench& bench) { newest_set(*bench.world()).acts_on = 0; },
         .tables = {"antwerp"}});
}

TEST_CASE("staged trouble: a set without a refresh token ends")
{
    check_trouble(
        {.name = "access only",
         .cause = CauseKind::access_ends,
         .severity = Severity::ticket,
         .why = "works until the access token expires, because there is no refresh token",
         .cure = "shelfctl auth import antwerp",
         .deadline = with_deadline,
         .options = day_tokens(),
         .stage = [](DaemonBench& bench) { REQUIRE(bench.import_set("antwerp", control::Sealing::access_only)); },
         .mend = take_new_set});
}

TEST_CASE("staged trouble: the token endpoint answers 500 for ever")
{
    check_trouble({.name = "token endpoint 500",
                   .cause = CauseKind::service,
                   .severity = Severity::page,
                   .why = "a refresh was",
                   .cure = "",
                   .next = "the daemon",
                   .deadline = with_deadline,
                   .options = day_tokens(),
                   .stage =
                       [](DaemonBench& bench) {
                           auto fault = at_token_endpoint();
                           fault.library = "lib01";
                           fault.status = 500;
                           bench.fail(fault);
                       },
                   .mend = forget_faults,
                   .within = 40h});
}

TEST_CASE(
    "while no access token works, the next try at the set is the next try of the library, of its tables and problem")
{
    DaemonBench bench(day_tokens());
    bench.pass_time(20min);
    auto fault = at_token_endpoint();
    fault.library = "lib01";
    fault.status = 500;
    bench.fail(fault);
    bench.pass_time(25h);
    std::size_t looks = 0;
    for (int i = 0; i < 24; ++i) {
        bench.pass_time(7min);
        const auto status = bench.status();
        const auto& antwerp = status.libraries.front();
        REQUIRE(antwerp.name == "antwerp");
        REQUIRE_FALSE(antwerp.token.access_usable);
        const auto screen = bench.screen();
        INFO(screen);
        if (antwerp.token.needs_person || !antwerp.token.next_refresh) {
            continue;
        }
        ++looks;
        const auto& next = *antwerp.token.next_refresh;
        for (const auto& table : antwerp.resources) {
            CHECK(table.next_due.value_or(next) >= next);
        }
        CHECK(screen.find("in doubt, rotates") == std::string::npos);
        CHECK(screen.find("waiting, rotates") == std::string::npos);
        CHECK(screen.find(next.to_short_text()) != std::string::npos);
    }
    CHECK(looks > 12);
}

TEST_CASE("staged trouble: the token endpoint answers with a page for people")
{
    check_trouble({.name = "token endpoint HTML",
                   .cause = CauseKind::service,
                   .severity = Severity::page,
                   .why = "a refresh was",
                   .cure = "",
                   .next = "sends the refresh again",
                   .deadline = with_deadline,
                   .options = day_tokens(),
                   .stage =
                       [](DaemonBench& bench) {
                           auto fault = at_token_endpoint();
                           fault.library = "lib01";
                           fault.status = 200;
                           fault.body = "<!doctype html><title>Welcome</title>";
                           fault.content_type = "text/html";
                           bench.fail(fault);
                       },
                   .mend = forget_faults,
                   .within = 40h});
}

TEST_CASE("staged trouble: the token store is a copy from another machine")
{
    check_trouble(
        {.name = "copied store",
         .cause = CauseKind::foreign_rotation,
         .severity = Severity::ticket,
         .why = "machine",
         .cure = "if no other daemon uses this set: shelfctl auth adopt antwerp",
         .next = "refreshes nothing until then",
         .deadline = with_deadline,
         .stage =
             [](DaemonBench& bench) { restart(bench, [&] { bench.machine_id = "fedcba9876543210fedcba9876543210"; }); },
         .mend =
             [](DaemonBench& bench) {
                 for (const auto* library : {"antwerp", "ghent"}) {
                     REQUIRE(bench.clock.run(bench.operations().adopt({library})));
                 }
             }});
}

TEST_CASE("staged trouble: the set was moved to another machine")
{
    check_trouble({.name = "moved",
                   .cause = CauseKind::token_lost,
                   .severity = Severity::ticket,
                   .why = "moved",
                   .cure = "shelfctl auth import antwerp",
                   .stage =
                       [](DaemonBench& bench) {
                           REQUIRE(bench.clock.run(bench.operations().move_out({"antwerp", "the new server"})));
                       },
                   .mend = take_new_set});
}

TEST_CASE("staged trouble: the configuration names another application than the set has")
{
    check_trouble(
        {.name = "other application",
         .cause = CauseKind::application,
         .severity = Severity::ticket,
         .why = "this set was issued to the application",
         .cure =
             "correct the configuration, then: shelfctl reload; otherwise ask the owner for a new token set (shelfctl "
             "auth ask antwerp prints a letter), then: shelfctl auth import antwerp",
         .deadline = with_deadline,
         .stage =
             [](DaemonBench& bench) {
                 auto text = read_file(bench.files / "shelfd.toml");
                 const auto id = bench.world()->library("lib01").client_id;
                 text.replace(text.find(id), id.size(), "another-application");
                 write_file(bench.files / "shelfd.toml", text);
                 REQUIRE(bench.clock.run(bench.operations().reload({})));
             },
         .mend = [](DaemonBench& bench) { bench.reload(); }});
}

TEST_CASE("staged trouble: one of the two token journals cannot be used")
{
    check_trouble({.name = "one journal",
                   .cause = CauseKind::journal_copy,
                   .severity = Severity::ticket,
                   .why = "only one copy of the token journals can be used",
                   .cure = "correct what it names; then, to try at once: shelfctl reload",
                   .next = "uses the other copy",
                   .deadline = StagedTrouble::Deadline::none,
                   .stage =
                       [](DaemonBench& bench) {
                           restart(bench, [&] {
                               const auto journal = bench.tokens() + "/journal.b";
                               std::filesystem::remove(journal);
                               std::filesystem::create_directory(journal);
                           });
                       },
                   .mend =
                       [](DaemonBench& bench) {
                           std::filesystem::remove(bench.tokens() + "/journal.b");
                           bench.reload();
                       },
                   .beside = {CauseKind::repaired}});
}

TEST_CASE("staged trouble: both token journals are damaged")
{
    check_trouble({.name = "both journals",
                   .cause = CauseKind::token_lost,
                   .severity = Severity::page,
                   .why = "journal",
                   .cure = "restore them and restart shelfd; otherwise ask the owner for a new token set (shelfctl "
                           "auth ask antwerp prints a letter), then: shelfctl auth import antwerp",
                   .deadline = with_deadline,
                   .stage =
                       [](DaemonBench& bench) {
                           restart(bench, [&] {
                               spoil(bench.tokens() + "/journal.a");
                               spoil(bench.tokens() + "/journal.b");
                           });
                       },
                   .mend = take_new_set});
}

TEST_CASE("staged trouble: the service changes the lifetime of its tokens")
{
    check_trouble({.name = "shorter lifetime",
                   .cause = CauseKind::service_changed,
                   .severity = Severity::info,
                   .why = "lifetime of an access token: 12 h, before: 24 h",
                   .cure = "",
                   .options = day_tokens(),
                   .stage = [](DaemonBench& bench) { bench.world()->tokens.policy.expires_in = 12h; },
                   .mend = {},
                   .within = 20h,
                   .lasting = StagedTrouble::Lasting::momentary});
}
