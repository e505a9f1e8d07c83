// Questions of a person that go to the service through the daemon.
#include "app/library_bench.hpp"
#include "app/operations/inquiry_operations.hpp"
#include "sync/inquiry/inquiry.hpp"
#include "sync/inquiry/verification.hpp"

#include "control/api/reply_json.hpp"
#include "support/catch.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

using namespace shelfd;
using namespace std::chrono_literals;

namespace {

struct Compared {
    Result<void> outcome;
    std::vector<sync::VerifiedItem> items;
};

Compared verify(LibraryBench& bench, std::vector<std::string> keys, std::uint64_t sample = 0,
                const std::string& table = "recipes")
{
    std::vector<sync::VerifiedItem> items;
    auto tell = [&items](const sync::VerifiedItem& item) { items.push_back(item); };
    sync::VerifyOrder order{table, std::move(keys), sample, bench.status(table).as_of};
    auto outcome = bench.clock.run(
        sync::verify(bench.unit->context(), bench.unit->library().resources.front(), std::move(order), tell));
    return {std::move(outcome), std::move(items)};
}

Result<http::Response> ask(LibraryBench& bench, const std::string& path,
                           sync::Inquiry::Token token = sync::Inquiry::Token::ours)
{
    sync::Inquiry inquiry(bench.unit->context(), "", budget::Reason::get);
    return bench.clock.run(inquiry.ask(path, token));
}

sim::Fault item_fault()
{
    sim::Fault fault;
    fault.path = "/api/v2/library/recipes/";
    fault.times = std::nullopt;
    return fault;
}

}  // namespace

TEST_CASE("a table without rows says so in words, however it is compared")
{
    BenchOptions options;
    options.world.rows_of["library/recipes"] = 0;
    LibraryBench bench(options);
    bench.pass_time(1min);
    REQUIRE(bench.status().as_of);
    const auto sample = verify(bench, {}, 3);
    REQUIRE_FALSE(sample.outcome);
    CHECK(sample.outcome.error().text() == "recipes has no rows to compare: the service listed none");
    const auto row = verify(bench, {"7"});
    CHECK(row.outcome);
    REQUIRE(row.items.size() == 1);
    CHECK(row.items.front().verdict == sync::Verified::not_here);
}

TEST_CASE("every row of a mirror that was just filled equals the service, value by value")
{
    BenchOptions options;
    options.world.rows = 40;
    LibraryBench bench(options);
    REQUIRE(bench.sync().published);
    const auto compared = verify(bench, {}, 100);
    REQUIRE(compared.outcome);
    CHECK(compared.items.size() == 40);
    for (const auto& item : compared.items) {
        INFO(item.key);
        CHECK(item.verdict == sync::Verified::equal);
    }
    CHECK(verify(bench, {}, 5).items.size() == 5);
}

TEST_CASE("details are compared with the item that they came from, at the address of their row")
{
    BenchOptions options;
    options.world.rows = 12;
    options.detail = config::Detail{"url", "", 24h * 7};
    LibraryBench bench(options);
    bench.pass_time(5min);
    const auto compared = verify(bench, {}, 100, "recipes_detail");
    REQUIRE(compared.outcome);
    CHECK(compared.items.size() == 12);
    for (const auto& item : compared.items) {
        INFO(item.key << " " << item.why);
        CHECK(item.verdict == sync::Verified::equal);
        CHECK(item.address.starts_with("/api/v2/library/recipes/"));
    }
    bench.world()->edit("lib01", "library/recipes", {.change = {*sim::parse_json(R"({"id":3,"name":"another"})")}});
    const auto changed = verify(bench, {"3", "4", "999"}, 0, "recipes_detail");
    REQUIRE(changed.items.size() == 3);
    CHECK(changed.items[0].verdict == sync::Verified::differs);
    CHECK(changed.items[1].verdict == sync::Verified::equal);
    CHECK(changed.items[2].verdict == sync::Verified::not_here);
}

TEST_CASE("a row that the service has changed since differs, and is told from a fault by when it was modified")
{
    LibraryBench bench;
    REQUIRE(bench.sync().published);
    const auto id = bench.ids().front();
    bench.pass_time(1min);
    const auto key = std::to_string(id);
    bench.world()->edit("lib01", "library/recipes",
                        {.change = {*sim::parse_json(R"({"id":)" + key + R"(,"name":"Bisque"})")}});
    const auto compared = verify(bench, {key});
    REQUIRE(compared.items.size() == 1);
    const auto& item = compared.items.front();
    CHECK(item.verdict == sync::Verified::differs);
    CHECK(item.changed_since);
    REQUIRE(item.modified);
    bool named = false;
    for (const auto& difference : item.differences) {
        named = named || (difference.key == "\"name\"" && difference.theirs == "\"Bisque\"");
    }
    CHECK(named);
}

TEST_CASE("a row that was deleted, one that never was, and one that the service hides are told apart")
{
    LibraryBench bench;
    REQUIRE(bench.sync().published);
    const auto ids = bench.ids();
    const auto newest = std::to_string(ids.back());
    bench.world()->edit("lib01", "library/recipes", {.remove_newest = 1});
    const auto compared = verify(bench, {newest, "999999", "abc"});
    REQUIRE(compared.outcome);
    REQUIRE(compared.items.size() == 3);
    CHECK(compared.items[0].verdict == sync::Verified::gone);
    CHECK(compared.items[1].verdict == sync::Verified::not_here);
    CHECK(compared.items[1].address == "/api/v2/library/recipes/999999/");
    CHECK(compared.items[2].verdict == sync::Verified::not_here);
    CHECK(compared.items[2].key == "\"abc\"");

    auto broken = item_fault();
    broken.status = 500;
    broken.body = "<html>";
    bench.world()->faults.add(broken);
    const auto unclear = verify(bench, {std::to_string(ids.front())});
    REQUIRE(unclear.items.size() == 1);
    CHECK(unclear.items.front().verdict == sync::Verified::not_compared);
    CHECK(unclear.items.front().why.find("500") != std::string::npos);
}

TEST_CASE("a row that the service has and the mirror lacks is missing, not unknown")
{
    LibraryBench bench;
    REQUIRE(bench.sync().published);
    bench.pass_time(1min);
    bench.world()->edit("lib01", "library/recipes", {.add_seeded = 1});
    const auto there = bench.service_ids();
    const auto added = std::to_string(*std::max_element(there.begin(), there.end()));
    const auto compared = verify(bench, {added});
    REQUIRE(compared.outcome);
    REQUIRE(compared.items.size() == 1);
    CHECK(compared.items.front().verdict == sync::Verified::missing);
    CHECK(compared.items.front().changed_since);
    CHECK(compared.items.front().address == "/api/v2/library/recipes/" + added + "/");

    // What answers for another key, or for none, says nothing about this one.
    for (const std::string body : {R"({"id":77,"name":"Soup"})", R"({"name":"Soup"})"}) {
        INFO(body);
        LibraryBench other;
        REQUIRE(other.sync().published);
        auto lying = item_fault();
        lying.status = 200;
        lying.body = body;
        lying.content_type = "application/json";
        other.world()->faults.add(lying);
        const auto unclear = verify(other, {"999999"});
        REQUIRE(unclear.items.size() == 1);
        CHECK(unclear.items.front().verdict == sync::Verified::not_compared);
    }
}

TEST_CASE("a refusal ends a comparison with what a person can do, and spends no token")
{
    struct Row {
        int status;
        ErrorKind kind;
    };
    for (const auto& row :
         {Row{401, ErrorKind::needs_person}, Row{403, ErrorKind::needs_person}, Row{429, ErrorKind::throttled}}) {
        INFO(row.status);
        LibraryBench bench;
        REQUIRE(bench.sync().published);
        const auto posts = bench.world()->audit_report().token_posts;
        auto fault = item_fault();
        fault.status = row.status;
        fault.body = R"({"detail":"no"})";
        fault.content_type = "application/json";
        bench.world()->faults.add(fault);
        const auto compared = verify(bench, {}, 3);
        REQUIRE_FALSE(compared.outcome);
        CHECK(compared.outcome.error().kind() == row.kind);
        CHECK(compared.items.empty());
        CHECK(bench.world()->audit_report().token_posts == posts);
    }
}

TEST_CASE("what is typed for a path stays on our origin, or is refused")
{
    config::Service service;
    service.base_url = "https://api.example.com";
    CHECK(*sync::checked_target(service, "/api/v2/x/?a=1#f") == "/api/v2/x/?a=1");
    CHECK(*sync::checked_target(service, "//evil.example.com/x") == "//evil.example.com/x");  // a path of ours
    for (const auto* typed :
         {"", "api/v2", "https://evil.example.com/", "@evil.example.com/", ":80/", "/a b", "/a\r\nb"}) {
        INFO(typed);
        const auto target = sync::checked_target(service, typed);
        REQUIRE_FALSE(target);
        CHECK(target.error().kind() == ErrorKind::usage);
    }
}

TEST_CASE("a service that repeats our token in its answer does not give it to whoever asked")
{
    LibraryBench bench;
    const auto token = bench.world()->view_set("lib01").access_token;
    auto echo = item_fault();
    echo.path = "/api/v2/echo/";
    echo.status = 200;
    echo.body = "you sent Bearer " + token + " and " + token;
    echo.headers = {{"Location", "/login/?token=" + token}};
    bench.world()->faults.add(echo);
    const auto answer = ask(bench, "/api/v2/echo/");
    REQUIRE(answer);
    CHECK(answer->body == "you sent Bearer [access token] and [access token]");
    CHECK(answer->header("Location") == "/login/?token=[access token]");
}

TEST_CASE("a wrong token is refused by the service, and ours is none the worse for it")
{
    LibraryBench bench;
    const auto wrong = ask(bench, "/api/v2/library/recipes/", sync::Inquiry::Token::wrong);
    REQUIRE(wrong);
    CHECK(wrong->status == 401);
    const auto ours = ask(bench, "/api/v2/library/recipes/?page_size=1");
    REQUIRE(ours);
    CHECK(ours->status == 200);
}

TEST_CASE(
    "a comparison that meets a mirror which began anew compares nothing, and says what happened and what to wait for")
{
    LibraryBench bench;
    REQUIRE(bench.sync().published);
    const auto ids = bench.ids();
    {
        auto foreign =
            storage::Database::open(bench.files / "mirrors/lib01/lib01.db", storage::OpenMode::read_write_create);
        REQUIRE(foreign);
        REQUIRE(foreign->execute("DROP TABLE recipes"));
    }
    const bool by_key = GENERATE(false, true);
    const auto compared = by_key ? verify(bench, {std::to_string(ids.front())}) : verify(bench, {}, 3);
    REQUIRE_FALSE(compared.outcome);
    CHECK(compared.items.empty());
    CHECK(compared.outcome.error().kind() == ErrorKind::not_found);
    const auto said = compared.outcome.error().text();
    INFO(said);
    CHECK(said.find("there is nothing to compare now: the mirror was broken (") == 0);
    CHECK(said.find("recipes") != std::string::npos);
    CHECK(said.find("it was renamed to ") != std::string::npos);
    CHECK(said.find(". Compare again after it is filled (see: shelfctl status)") != std::string::npos);

    REQUIRE(bench.sync().published);
    CHECK(verify(bench, {}, 3).items.size() == 3);
    // Whoever asks later finds it in the status.
    control::Status status;
    status.libraries.push_back(app::report_library(*bench.unit, bench.clock.now()));
    const auto document = sim::parse_json(to_json(status));
    REQUIRE(document);
    const auto* libraries = document->find("libraries");
    REQUIRE(libraries != nullptr);
    const auto* repairs = libraries->items.front().find("repairs");
    REQUIRE(repairs != nullptr);
    REQUIRE(repairs->items.size() == 1);
    const auto& repair = repairs->items.front();
    CHECK(repair.find("file")->text == bench.unit->mirror_path());
    CHECK(repair.find("found")->text.find("was broken (") == 0);
    CHECK(repair.find("done")->text.find("the mirror is filled again") != std::string::npos);
    CHECK(repair.find("aside")->text.find(bench.unit->mirror_path()) == 0);
    CHECK(said.find(repair.find("found")->text) != std::string::npos);
    // For a week.
    status.libraries = {app::report_library(*bench.unit, bench.clock.now() + 24h * 8)};
    CHECK(to_json(status).find("\"repairs\":[]") != std::string::npos);
}

TEST_CASE("a comparison of a table that was never loaded says so")
{
    BenchOptions options;
    options.every = 24h;
    LibraryBench bench(options);
    const auto compared = verify(bench, {}, 3);
    REQUIRE_FALSE(compared.outcome);
    CHECK(compared.outcome.error().text() == "recipes has no rows to compare yet: it is filled first");
}

namespace {

struct Surveyed {
    std::optional<Result<void>> outcome;
    std::optional<control::FoundIdentity> identity;
    std::vector<control::FoundList> found;
    std::vector<control::ProbedList> explored;
    std::size_t requests = 0;

    std::size_t count(const std::string& verdict) const
    {
        return static_cast<std::size_t>(
            std::count_if(found.begin(), found.end(), [&](const auto& one) { return one.verdict == verdict; }));
    }
};

Surveyed survey(LibraryBench& bench, control::ProbeRequest::Extent extent = control::ProbeRequest::Extent::survey)
{
    Surveyed all;
    bench.world()->reset_audit();
    const auto sink = [&all](const control::ProbeEvent& event) {
        if (const auto* found = std::get_if<control::FoundList>(&event)) {
            all.found.push_back(*found);
        } else if (const auto* identity = std::get_if<control::FoundIdentity>(&event)) {
            all.identity = *identity;
        } else if (const auto* list = std::get_if<control::ProbedList>(&event)) {
            all.explored.push_back(*list);
        }
    };
    auto probing = app::probe(*bench.unit, {"antwerp", {}, extent}, sink, {});
    all.outcome = bench.clock.run(std::move(probing));
    all.requests = bench.world()->audit_report().total;
    return all;
}

sim::Fault no_answer(std::size_t after)
{
    sim::Fault fault;
    fault.path = "/api/v2/";
    fault.skip = after;
    fault.times = std::nullopt;
    fault.cut = sim::Cut::before_acting;
    return fault;
}

}  // namespace

TEST_CASE("a search for lists ends at the third request in a row without an answer, and says what it had found")
{
    LibraryBench bench;
    const auto whole = survey(bench);
    REQUIRE(*whole.outcome);
    REQUIRE(whole.count("list") > 6);

    // Two failures in a row are chance.
    auto twice = no_answer(6);
    twice.times = 2;
    bench.world()->faults.add(twice);
    const auto lucky = survey(bench);
    CHECK(*lucky.outcome);

    bench.world()->faults.clear();
    bench.world()->faults.add(no_answer(6));
    const auto cut = survey(bench);
    REQUIRE_FALSE(*cut.outcome);
    const auto& error = cut.outcome->error();
    CAPTURE(error.text());
    CHECK(error.kind() == ErrorKind::network);
    CHECK(error.text().find("the search ended early, with ") == 0);
    CHECK(cut.count("list") > 0);
    CHECK(cut.count("list") < whole.count("list"));
    CHECK(cut.count("untried") > 0);
    CHECK(cut.found.size() == whole.found.size());
    // Nothing more is asked for, and no list is explored.
    bench.world()->faults.clear();
    bench.world()->faults.add(no_answer(6));
    const auto thorough = survey(bench, control::ProbeRequest::Extent::thorough);
    CHECK_FALSE(*thorough.outcome);
    CHECK(thorough.explored.empty());
}

TEST_CASE("a search proposes what a page gives reason for: identity, or the user in it, and asks no more than that")
{
    LibraryBench configured;
    const auto silent = survey(configured);
    REQUIRE(*silent.outcome);
    CHECK_FALSE(silent.identity);  // the page does not name a user
    configured.world()->identity_names_user = true;
    const auto found = survey(configured);
    REQUIRE(found.identity);
    CHECK(found.identity->path == "/api/v2/accounts/libraries/current/");
    CHECK(found.identity->field == "id");
    CHECK(found.identity->user_field == "user.id");
    CHECK(found.identity->configured);
    CHECK(found.requests <= silent.requests);

    BenchOptions options;
    options.has_identity = false;
    LibraryBench bare(options);
    const auto proposed = survey(bare);
    REQUIRE(proposed.identity);
    CHECK(proposed.identity->field == "id");
    CHECK(proposed.identity->user_field.empty());
    CHECK_FALSE(proposed.identity->configured);
    sim::Fault missing;
    missing.path = "/api/v2/accounts/libraries/current/";
    missing.times = std::nullopt;
    missing.status = 404;
    bare.world()->faults.add(missing);
    const auto without = survey(bare);
    CHECK(*without.outcome);
    CHECK_FALSE(without.identity);
}

TEST_CASE("a search for lists ends at once where the token set needs a person")
{
    LibraryBench bench;
    bench.world()->revoke_set("lib01");
    bench.world()->expire_access("lib01");
    bench.pass_time(1h);
    const auto found = survey(bench);
    REQUIRE_FALSE(*found.outcome);
    CAPTURE(found.outcome->error().text());
    CHECK(found.outcome->error().kind() == ErrorKind::needs_person);
    CHECK(found.requests == 0);
}

TEST_CASE("details that are still being fetched are compared as far as they are there")
{
    BenchOptions options;
    options.world.rows_of["library/recipes"] = 200;
    options.detail = config::Detail{"url", "", 7 * 24h};
    options.requests_per_minute = 60;
    LibraryBench bench(options);
    const auto is_begun = [&bench] {
        return bench.query("SELECT rows > 0 FROM _resources "
                           "WHERE resource = 'recipes_detail'") == "1";
    };
    for (int seconds = 0; seconds < 900 && !is_begun(); ++seconds) {
        bench.pass_time(1s);
    }
    REQUIRE(is_begun());
    REQUIRE(bench.status("recipes_detail").state == control::State::filling);
    const auto sample = verify(bench, {}, 2, "recipes_detail");
    INFO((sample.outcome ? std::string() : sample.outcome.error().text()));
    CHECK(sample.items.size() == 2);
}
