#include "ctl/status/status_view.hpp"

#include "control/api/reply_json.hpp"
#include "support/catch.hpp"

namespace shelfd::ctl {
namespace {

const Instant now = Instant::from_seconds(1'704'520'800);

control::ResourceStatus table()
{
    control::ResourceStatus resource;
    resource.name = "recipes";
    resource.state = TableState::late;
    resource.why = "500 from the service";
    resource.do_this = "shelfctl explain antwerp recipes";
    resource.since = now - std::chrono::hours(1);
    resource.rows = 12;
    resource.as_of = now - std::chrono::hours(2);
    resource.proven_as_of = now - std::chrono::hours(3);
    resource.complete_from = now - std::chrono::hours(900);
    resource.complete_to = now - std::chrono::hours(4);
    resource.late_at = now - std::chrono::minutes(30);
    resource.next_due = now + std::chrono::minutes(5);
    resource.running = control::Running{};
    resource.running->phase = Phase::pages;
    resource.running->page = 3;
    resource.running->pages = 12;
    resource.running->rows = 400;
    resource.running->rows_per_second = 212.5;
    resource.running->eta = std::chrono::seconds(40);
    resource.running->list = 2;
    resource.running->lists = 9;
    resource.last_run = control::RunReport{};
    resource.last_run->result = control::RunResult::failed;
    resource.last_run->error = "500";
    resource.last_run->started = now - std::chrono::hours(1);
    resource.last_run->finished = now;
    resource.last_run->added = 4;
    resource.last_run->mode = "incremental";
    resource.last_run->run_id = "run-9";
    resource.last_run->proven = true;
    resource.last_run->pages = 3;
    resource.held = 2;
    resource.passes = 17;
    resource.passes_failed = 5;
    resource.requests = 91;
    resource.missing_scope = "haccp";
    resource.detail = control::DetailStatus{0.5, 3, 1, now - std::chrono::hours(90)};
    return resource;
}

TEST_CASE("what the daemon writes into its status is what shelfctl reads from it")
{
    control::Status status;
    status.version = "1.2.3";
    status.pid = 4711;
    status.now = now;
    status.absent = {"bruges"};
    status.notices.push_back({"no group", "addgroup", now});
    control::LibraryStatus library;
    library.name = "antwerp";
    library.bug = control::BugStatus{"recipes: planted", now, 2, now + std::chrono::seconds(30), "report it"};
    library.origin = "https://api.example.com";
    library.library_id = "42";
    library.identity_verified = true;
    library.identity_trouble = "not verified";
    library.mirror = "/m/antwerp/antwerp.db";
    library.repairs.push_back({now, "the mirror", "antwerp.db", "was broken", "filled again", "antwerp.db.aside"});
    library.wal_bytes = 4096;
    library.wal_pinned_since = now - std::chrono::minutes(2);
    library.snapshot = {now, "no room", now};
    library.token.state = TokenState::lost;
    library.token.kind = control::TokenKind::personal;
    library.token.needs_person = true;
    library.token.generation = 7;
    library.token.deadline = now + std::chrono::hours(1);
    library.token.facts.push_back({"scope", "library"});
    library.token.journal_copies = 2;
    library.budget.in_flight = 3;
    library.budget.requests = 44;
    library.budget.foreign = 6;
    library.resources = {table()};
    status.libraries.push_back(library);
    const auto written = control::to_json(status);
    const auto read = read_status(written);
    REQUIRE(read);
    CHECK(read->headline == control::headline(status));
    CHECK(read->version == status.version);
    CHECK(read->pid == status.pid);
    CHECK(read->now == status.now);
    CHECK(control::exit_code(*read) == control::exit_code(status));
    CHECK(control::headline(*read) == control::headline(status));
    const control::Status& again = *read;
    const auto& token = again.libraries.at(0).token;
    CHECK(token.kind == control::TokenKind::personal);
    CHECK(token.deadline == library.token.deadline);
    REQUIRE(token.facts.size() == 1);
    CHECK(token.facts[0].value == "library");
    const auto& resource = again.libraries[0].resources.at(0);
    CHECK(resource.state == TableState::late);
    CHECK(resource.late_at == table().late_at);
    CHECK(resource.complete_from == table().complete_from);
    REQUIRE(resource.running);
    CHECK(control::describe_place(*resource.running) == control::describe_place(*table().running));
    CHECK(resource.running->eta == table().running->eta);
    CHECK(token.journal_copies == 2);
    CHECK(again.libraries[0].budget.in_flight == 3);
    CHECK(again.libraries[0].budget.requests == 44);
    CHECK(again.libraries[0].budget.foreign == 6);
    CHECK(resource.held == 2);
    CHECK(resource.passes == 17);
    CHECK(resource.passes_failed == 5);
    CHECK(resource.requests == 91);
    CHECK(resource.missing_scope == "haccp");
    REQUIRE(resource.last_run);
    CHECK(resource.last_run->mode == "incremental");
    CHECK(resource.last_run->run_id == "run-9");
    CHECK(resource.last_run->proven);
    CHECK(resource.last_run->pages == 3);
    CHECK(resource.last_run->result == control::RunResult::failed);
    CHECK(resource.last_run->added == 4);
    REQUIRE(resource.detail);
    CHECK(resource.detail->oldest == table().detail->oldest);
    CHECK(again.libraries[0].bug->again_at == library.bug->again_at);
    CHECK(again.libraries[0].repairs.at(0).found == "was broken");
    CHECK(again.absent == status.absent);
    CHECK(again.notices.at(0).do_this == "addgroup");
}

TEST_CASE("a state that is not known claims nothing: the table fills")
{
    const auto status = read_status(R"({"format_version": 1, "libraries": [{"name": "antwerp", "resources": [
        {"name": "recipes", "state": "asleep"}]}]})");
    REQUIRE(status);
    CHECK(status->libraries[0].resources[0].state == TableState::filling);
    CHECK(control::exit_code(*status) == ExitCode::failed);
}

}  // namespace
}  // namespace shelfd::ctl
