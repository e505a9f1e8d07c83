#include "control/causes/cause_finder.hpp"

#include "base/pause.hpp"
#include "control/causes/cause_set.hpp"
#include "control/sample_status.hpp"
#include "support/catch.hpp"

#include <fmt/format.h>

namespace shelfd::control {
namespace {

using namespace std::chrono_literals;

ResourceStatus in_trouble(std::string name, State state, Trouble trouble, std::string why,
                          TroubleSource source = TroubleSource::service)
{
    auto table = sample_resource(std::move(name), state);
    table.trouble = trouble;
    table.source = source;
    table.why = std::move(why);
    table.since = sample_now - 20min;
    return table;
}

LibraryStatus with_set(std::string name, TokenState state, bool usable)
{
    auto library = sample_library(std::move(name), {sample_resource("recipes", State::fresh)});
    library.token.state = state;
    library.token.needs_person = true;
    library.token.access_usable = usable;
    library.token.reason = "a reason";
    library.token.do_this = "shelfctl auth import " + library.name;
    library.token.since = sample_now - 1h;
    return library;
}

const Cause& only(const std::vector<Cause>& causes)
{
    REQUIRE(causes.size() == 1);
    return causes.front();
}

TEST_CASE("a daemon without trouble has no cause")
{
    CHECK(find_causes(fresh_status()).empty());
}

TEST_CASE("a named consumer that acknowledges nothing is a cause once a quarter of its time is over, for each its own")
{
    FeedConsumer slow;
    slow.name = "bi";
    slow.waiting = 12;
    slow.waiting_since = sample_now - 30 * 24h;
    slow.kept_until = *slow.waiting_since + 180 * 24h;
    slow.acknowledged_by = "etl";
    auto punctual = slow;
    punctual.name = "archive";
    punctual.waiting = 0;
    punctual.waiting_since.reset();
    punctual.kept_until.reset();
    auto library = sample_library("antwerp", {sample_resource("recipes", State::fresh)});
    library.consumers = {punctual, slow};
    CHECK(find_causes(sample_status({library})).empty());
    library.consumers[1].waiting_since = sample_now - 46 * 24h;
    library.consumers[1].kept_until = *library.consumers[1].waiting_since + 180 * 24h;
    const auto causes = find_causes(sample_status({library}));
    const auto& cause = only(causes);
    CHECK(cause.kind == CauseKind::consumer_lag);
    CHECK(cause.severity == Severity::ticket);
    CHECK(cause.affected.front().why.starts_with("consumer bi has not acknowledged 12 changes since "));
    CHECK(cause.affected.front().do_this ==
          "see why bi does not run; if it is no longer needed: shelfctl changes antwerp --consumer bi --forget");
    CHECK(cause.affected.front().deadline == library.consumers[1].kept_until);
    library.consumers[0] = library.consumers[1];
    library.consumers[0].name = "archive";
    CHECK(find_causes(sample_status({library})).size() == 2);
    // What it lost by then does not end the cause.
    library.consumers.erase(library.consumers.begin());
    auto& lost = library.consumers.front();
    lost.must_read_tables = true;
    lost.waiting_since.reset();
    lost.kept_until.reset();
    const auto later = find_causes(sample_status({library}));
    CHECK(only(later).key == cause.key);
    CHECK(only(later).severity == Severity::ticket);
    CHECK(only(later).affected.front().why.starts_with("consumer bi must read the tables again: "));
    CHECK(only(later).affected.front().do_this.find("shelfctl changes antwerp --consumer bi, which") == 0);
    CHECK_FALSE(only(later).affected.front().deadline);
    // Nor does it go on behind a load, unless it has just begun to.
    lost.must_read_tables = false;
    lost.loaded = {"recipes"};
    lost.acknowledged_at = sample_now - 1h;
    CHECK(find_causes(sample_status({library})).empty());
    lost.acknowledged_at = sample_now - 25h;
    CHECK(only(find_causes(sample_status({library}))).affected.front().why.ends_with(": recipes"));
}

TEST_CASE("a service that is down for forty libraries is one cause")
{
    std::vector<LibraryStatus> libraries;
    for (int i = 0; i < 40; ++i) {
        libraries.push_back(
            sample_library(fmt::format("library_{}", i),
                           {in_trouble("recipes", State::fresh, Trouble::passing, "the service answered 502"),
                            in_trouble("stock", State::late, Trouble::passing, "the service answered 502")}));
    }
    libraries.push_back(sample_library("elsewhere", {sample_resource("recipes", State::fresh)}));
    const auto causes = find_causes(sample_status(std::move(libraries)));
    const auto& cause = only(causes);
    CHECK(cause.kind == CauseKind::service);
    CHECK(cause.severity == Severity::ticket);  // tables are late
    CHECK(cause.affected.size() == 40);
    CHECK(cause.affected.front().tables == std::vector<std::string>{"recipes", "stock"});
    CHECK(cause.since == sample_now - 20min);
    CHECK(cause.origin == "https://api.example.com");
}

TEST_CASE("a token endpoint that fails is an outage of the service, with the time of the next try")
{
    auto library = with_set("antwerp", TokenState::in_doubt, false);
    library.token.needs_person = false;
    library.token.do_this.clear();
    library.token.next = "asks the canary";
    library.token.next_refresh = sample_now + 18s;
    auto status = sample_status({library});
    const auto causes = find_causes(status);
    const auto& cause = only(causes);
    CHECK(cause.kind == CauseKind::service);
    CHECK(cause.severity == Severity::page);  // nothing is synced for more than ten minutes
    status.problems = causes;
    CHECK(exit_code(status) == ExitCode::failed);
    CHECK_FALSE(cause.affected.front().state);
    CHECK(cause.affected.front().next_try == sample_now + 18s);
    CHECK(cause.affected.front().deadline == sample_now - 1h);  // since when
    CHECK(headline(status).find("waits for a token: antwerp") != std::string::npos);
    // One try that fails is no alarm, but it is said that nothing is synced.
    status.libraries[0].token.since = sample_now - 9min;
    CHECK(only(find_causes(status)).severity == Severity::info);
    CHECK(only(find_causes(status)).affected.front().deadline == sample_now - 9min);
    status.problems = find_causes(status);
    CHECK(exit_code(status) == ExitCode::done);
    // It may have been refused before its time.
    status.libraries[0].token.expires_at = sample_now + 30 * 24h;
    status.libraries[0].token.since = sample_now - 10min;
    CHECK(only(find_causes(status)).severity == Severity::page);
    CHECK(only(find_causes(status)).affected.front().deadline == sample_now - 10min);
    status.libraries[0].token.access_usable = true;
    CHECK(find_causes(status).empty());
    status.libraries[0].token.access_usable = false;
    // Once a person is asked, it is the set's own trouble.
    status.libraries[0].token.needs_person = true;
    CHECK(only(find_causes(status)).kind == CauseKind::refresh);
}

TEST_CASE("a trouble that the daemon tries to end at the moment says so")
{
    auto table = in_trouble("recipes", State::fresh, Trouble::passing, "the service answered 502");
    table.next_due = sample_now + 90s;
    CHECK(only(find_causes(sample_status({sample_library("antwerp", {table})}))).affected.front().next_try ==
          sample_now + 90s);
    table.running.emplace();
    const auto causes = find_causes(sample_status({sample_library("antwerp", {table})}));
    CHECK(only(causes).affected.front().next == "is trying again now");
    CHECK_FALSE(only(causes).affected.front().next_try);
}

TEST_CASE("a WAL that is pinned while it is small has a size all the same")
{
    auto library = sample_library("antwerp", {sample_resource("recipes", State::fresh)});
    library.wal_bytes = 64 * 1024;
    library.wal_pinned_since = sample_now - 1h;
    CHECK(only(find_causes(sample_status({library}))).affected.front().why ==
          "the WAL has 64 KiB and cannot be emptied");
}

TEST_CASE("who keeps a WAL from being emptied is named with what ends that, if the daemon knows it")
{
    auto library = sample_library("antwerp", {sample_resource("recipes", State::fresh)});
    library.wal_bytes = 64 * 1024;
    library.wal_pinned_since = sample_now - 1h;
    const auto told = [&library] { return only(find_causes(sample_status({library}))).affected.front(); };
    CHECK(told().do_this == "shelfctl status antwerp names the reader: end its transaction");
    library.wal_readers = {4711};
    CHECK(told().why == "the WAL has 64 KiB and cannot be emptied while process 4711 stays inside a read transaction");
    CHECK(told().do_this == "end that transaction, or the program: kill 4711 (ps -fp 4711 shows which it is)");
    library.wal_readers = {4711, 12};
    CHECK(told().why.ends_with("while processes 4711, 12 stay inside read transactions"));
    CHECK(told().do_this.starts_with("end that transaction, or the program: kill 4711 12 (ps -fp 4711,12 "));
}

TEST_CASE("tables of a library that fail for different reasons have all of them in the sentence of their cause")
{
    const auto failing = [](const char* name, const char* why) {
        return in_trouble(name, State::fresh, Trouble::passing, why);
    };
    std::vector<ResourceStatus> tables = {failing("recipes", "the service has no such list (404)"),
                                          failing("stock", "the service has no such list (404)"),
                                          failing("outlets", "the answer is one object, not a list")};
    const auto why = [&tables] {
        return only(find_causes(sample_status({sample_library("antwerp", tables)}))).affected.front().why;
    };
    CHECK(why() == "the service has no such list (404); outlets: the answer is one object, not a list");
    tables.push_back(failing("sales", "the page ends in the middle"));
    tables.push_back(failing("hours", "nothing can be read there"));
    CHECK(why() == "the service has no such list (404); outlets: the answer is one object, not a list; sales: the page "
                   "ends in the middle; and 1 more reason");
    tables = {failing("recipes", "the service answered 502"), failing("stock", "the service answered 503")};
    CHECK(why() == "the service answered 502");  // in kind the same
}

TEST_CASE("a page for a set that no longer works says since when nothing is synced")
{
    auto library = with_set("antwerp", TokenState::lost, false);
    const auto deadline = [&library] { return only(find_causes(sample_status({library}))).affected.front().deadline; };
    CHECK(deadline() == sample_now - 1h);
    library.token.expires_at = sample_now - 20min;
    CHECK(deadline() == sample_now - 20min);
    library.token.expires_at = sample_now + 20min;  // refused before
    CHECK(deadline() == sample_now - 1h);
    library.token.state = TokenState::moved;  // as somebody wanted it
    CHECK_FALSE(deadline());
    library.token.state = TokenState::lost;
    library.token.access_usable = true;
    CHECK_FALSE(deadline());
    library.token.deadline = sample_now + 3h;
    CHECK(deadline() == sample_now + 3h);
}

TEST_CASE("a token of another library stopped the publishing when that was seen, and the next try is that of a pass")
{
    auto library = with_set("antwerp", TokenState::wrong_library, true);
    library.token.next_refresh = sample_now + 96h;
    const auto cause = only(find_causes(sample_status({library})));
    CHECK(cause.affected.front().deadline == sample_now - 1h);
    CHECK_FALSE(cause.affected.front().next_try);
}

TEST_CASE("in the first ten minutes of an outage nobody is asked to act, and who looks sees what to check if it lasts")
{
    auto table = in_trouble("recipes", State::fresh, Trouble::passing, "Connection refused", TroubleSource::network);
    table.next_due = sample_now + 20s;
    table.since = sample_now - 9min;
    auto status = sample_status({sample_library("antwerp", {table})});
    const auto told = [&status] { return only(find_causes(status)).affected.front(); };
    CHECK(told().do_this.empty());
    CHECK(told().next.starts_with(
        "tries again at 2024-01-06T06:00:20Z; if it lasts until 2024-01-06T06:01:00Z: test the connection"));
    CHECK(exit_code(status) == ExitCode::done);
    CHECK(only(find_causes(status)).severity == Severity::info);
    status.libraries[0].resources[0].since = sample_now - 11min;
    CHECK(only(find_causes(status)).severity == Severity::ticket);  // so that a hook for tickets is called
    CHECK(told().do_this.starts_with("test the connection"));
    CHECK(told().next.empty());
}

TEST_CASE("an outage that nobody here can end asks for nobody, however long it lasts, until tables are late")
{
    auto table =
        in_trouble("recipes", State::fresh, Trouble::passing, "it has expired", TroubleSource::expired_certificate);
    table.since = sample_now - 3h;
    const auto told = find_causes(sample_status({sample_library("antwerp", {table})}));
    CHECK(only(told).severity == Severity::info);
    CHECK(only(told).affected.front().do_this.empty());
}

TEST_CASE(
    "an outage has the time as its deadline at which the first table becomes late, once that is within four hours")
{
    auto table = in_trouble("recipes", State::fresh, Trouble::passing, "the service answered 503");
    table.late_at = sample_now + 4h + 1min;
    const auto deadline = [&table](TroubleSource source) {
        table.source = source;
        return only(find_causes(sample_status({sample_library("antwerp", {table})}))).affected.front().deadline;
    };
    const auto sources = {TroubleSource::service, TroubleSource::network, TroubleSource::limit};
    for (const auto source : sources) {
        CHECK_FALSE(deadline(source));
    }
    table.late_at = sample_now + 4h;
    for (const auto source : sources) {
        CHECK(deadline(source) == table.late_at);
    }
    table.late_at = sample_now - 1min;
    CHECK(deadline(TroubleSource::service) == table.late_at);
    // Somebody has to act: tables that are late stop nothing.
    table.trouble = Trouble::forbidden;
    CHECK_FALSE(deadline(TroubleSource::service));
}

TEST_CASE("libraries of a cause keep their own contacts")
{
    const auto down = in_trouble("recipes", State::fresh, Trouble::passing, "the service answered 502");
    auto antwerp = sample_library("antwerp", {down});
    auto ghent = sample_library("ghent", {down});
    antwerp.contact = "a@x.test";
    ghent.contact = "b@x.test";
    const auto causes = find_causes(sample_status({antwerp, ghent}));
    CHECK(only(causes).contact == "a@x.test for antwerp; b@x.test for ghent");
    CHECK(only(causes).affected.back().contact == "b@x.test");
}

TEST_CASE("lists that one service refuses to several libraries are one cause, another service is another one")
{
    const auto refused = in_trouble("recipes", State::forbidden, Trouble::forbidden, "HTTP 403");
    std::vector<LibraryStatus> libraries;
    for (const auto* name : {"lib10", "lib2", "lib1"}) {
        libraries.push_back(sample_library(name, {refused}));
    }
    libraries[1].resources.push_back(in_trouble("stock", State::forbidden, Trouble::forbidden, "HTTP 403"));
    libraries.push_back(sample_library("ghent", {refused}));
    libraries.back().origin = "https://other.example.com";
    const auto causes = find_causes(sample_status(libraries));
    REQUIRE(causes.size() == 2);
    const auto& shared = causes[0].affected.size() == 3 ? causes[0] : causes[1];
    REQUIRE(shared.affected.size() == 3);
    CHECK(shared.kind == CauseKind::permission);
    CHECK(shared.affected[0].library == "lib1");
    CHECK(shared.affected[1].library == "lib2");
    CHECK(shared.affected[1].tables == std::vector<std::string>{"recipes", "stock"});
    CHECK(shared.affected[2].library == "lib10");
    CHECK(shared.affected[2].since == refused.since);
    CHECK(problem_id(causes[0]) != problem_id(causes[1]));
}

TEST_CASE("a token of another library that one pass has found stops all tables, and all of them are named")
{
    auto library =
        sample_library("antwerp", {in_trouble("outlets", State::wrong_library, Trouble::wrong_library, "it acts on 77"),
                                   sample_resource("recipes", State::fresh), sample_resource("old", State::retired),
                                   sample_resource("resting", State::paused), sample_resource("stock", State::late)});
    const auto causes = find_causes(sample_status({library}));
    const auto found = std::find_if(causes.begin(), causes.end(),
                                    [](const Cause& one) { return one.kind == CauseKind::wrong_library; });
    REQUIRE(found != causes.end());
    CHECK(found->affected.front().tables == std::vector<std::string>{"outlets", "recipes", "stock"});
}

TEST_CASE("two services that are down are two causes")
{
    const auto down = in_trouble("recipes", State::fresh, Trouble::passing, "the service answered 502");
    auto other = sample_library("ghent", {down});
    other.origin = "https://other.example.com";
    const auto causes = find_causes(sample_status({sample_library("antwerp", {down}), other}));
    REQUIRE(causes.size() == 2);
    CHECK(causes.front().key != causes.back().key);
    CHECK(causes.front().severity == Severity::info);  // nothing is late yet
}

TEST_CASE(
    "trouble that passes is the network's, the limit's or the service's by its source, whatever its sentence says")
{
    struct Row {
        TroubleSource source;
        CauseKind kind;
    };
    const Row rows[] = {
        {TroubleSource::network, CauseKind::network},
        {TroubleSource::limit, CauseKind::limit},
        {TroubleSource::service, CauseKind::service},
    };
    for (const auto& row : rows) {
        INFO(to_string(row.kind));
        auto table = in_trouble("recipes", State::fresh, Trouble::passing, "a sentence", row.source);
        CHECK(only(find_causes(sample_status({sample_library("antwerp", {table})}))).kind == row.kind);
        // The same for a pass that waits and has not failed yet.
        table.trouble = Trouble::none;
        table.running.emplace();
        table.running->note = "a sentence";
        table.running->source = row.source;
        table.running->stands_still = true;
        CHECK(only(find_causes(sample_status({sample_library("antwerp", {table})}))).kind == row.kind);
    }
}

TEST_CASE("what can be done about a fault of the network is known by its source, and stands apart from the reason")
{
    struct Row {
        TroubleSource source;
        const char* sentence;
        const char* why;
        const char* do_this;
    };
    using enum TroubleSource;
    const Row rows[] = {
        {host_name, "no such name: check base_url and this machine's name servers (getent hosts NAME)", "no such name",
         "check base_url and this machine's name servers (getent hosts api.example.com)"},
        {proxy_login, "antwerp: it refuses: check the name and the password in proxy, then: shelfctl reload",
         "antwerp: it refuses", "check the name and the password in proxy, then: shelfctl reload"},
        {unknown_authority, "not trusted; for a private authority, set ca_file, then: shelfctl reload", "not trusted",
         "for a private authority, set ca_file, then: shelfctl reload"},
        {network, "refused: check base_url; correct it", "refused: check base_url; correct it",
         "test the connection (add --proxy and --cacert as configured): curl -sSI https://api.example.com"},
        {expired_certificate, "not trusted; it has expired", "not trusted; it has expired", ""},
    };
    for (const auto& row : rows) {
        INFO(row.sentence);
        auto library =
            sample_library("antwerp", {in_trouble("recipes", State::late, Trouble::passing, row.sentence, row.source)});
        library.origin = "https://api.example.com";
        const auto causes = find_causes(sample_status({library}));
        const auto& cause = only(causes);
        CHECK(cause.kind == (row.source == expired_certificate ? CauseKind::service : CauseKind::network));
        CHECK(cause.affected.front().why == row.why);
        CHECK(cause.affected.front().do_this == row.do_this);
    }
}

TEST_CASE("a first load that waits for the table that names its lists is no cause, whatever its sentence says")
{
    const auto waiting = [](State state, TroubleSource source) {
        const auto table = in_trouble("stock", state, Trouble::passing, "waits for outlets", source);
        return find_causes(sample_status({sample_library("antwerp", {table})})).empty();
    };
    CHECK(waiting(State::filling, TroubleSource::parent));
    CHECK_FALSE(waiting(State::late, TroubleSource::parent));
    CHECK_FALSE(waiting(State::filling, TroubleSource::service));
}

TEST_CASE("network and service share one cause of an origin, so that it does not come and go between the two")
{
    const auto broken = in_trouble("recipes", State::fresh, Trouble::passing, "cannot connect", TroubleSource::network);
    const auto failing = in_trouble("stock", State::fresh, Trouble::passing, "the service answered 502");
    const auto mostly_network = find_causes(sample_status({sample_library("antwerp", {broken, broken, failing})}));
    const auto mostly_service = find_causes(sample_status({sample_library("antwerp", {broken, failing, failing})}));
    CHECK(only(mostly_network).kind == CauseKind::network);
    CHECK(only(mostly_service).kind == CauseKind::service);
    CHECK(only(mostly_network).key == only(mostly_service).key);
}

TEST_CASE("a key that does not fit stays one cause when a restart forgets what told it from a wrong configuration")
{
    const auto known =
        in_trouble("recipes", State::needs_person, Trouble::needs_person, "item 1 has no id", TroubleSource::keys);
    const auto forgotten = in_trouble("recipes", State::needs_person, Trouble::needs_person, "item 1 has no id");
    const auto before = find_causes(sample_status({sample_library("antwerp", {known})}));
    const auto behind = find_causes(sample_status({sample_library("antwerp", {forgotten})}));
    CHECK(only(before).kind == CauseKind::key_drift);
    CHECK(only(behind).kind == CauseKind::configuration);
    CHECK(only(before).key == only(behind).key);
}

TEST_CASE("each state of a token set has its cause and severity")
{
    struct Row {
        TokenState state;
        bool usable;
        CauseKind kind;
        Severity severity;
    };
    const Row rows[] = {
        {TokenState::lost, true, CauseKind::token_lost, Severity::ticket},
        {TokenState::lost, false, CauseKind::token_lost, Severity::page},
        {TokenState::none, false, CauseKind::token_lost, Severity::ticket},
        {TokenState::unreadable, false, CauseKind::token_lost, Severity::page},
        {TokenState::foreign, true, CauseKind::foreign_rotation, Severity::ticket},
        {TokenState::copied, false, CauseKind::foreign_rotation, Severity::page},
        {TokenState::wrong_library, true, CauseKind::wrong_library, Severity::page},
        {TokenState::configuration, true, CauseKind::application, Severity::ticket},
        {TokenState::unstored, true, CauseKind::disk, Severity::page},
        {TokenState::ended, false, CauseKind::access_ends, Severity::page},
        {TokenState::ends, true, CauseKind::access_ends, Severity::ticket},
        {TokenState::waiting, false, CauseKind::refresh, Severity::page},
        {TokenState::blocked, true, CauseKind::refresh, Severity::ticket},
    };
    for (const auto& row : rows) {
        INFO(to_string(row.state));
        const auto causes = find_causes(sample_status({with_set("antwerp", row.state, row.usable)}));
        CHECK(only(causes).kind == row.kind);
        CHECK(only(causes).severity == row.severity);
        CHECK(only(causes).affected.front().do_this == "shelfctl auth import antwerp");
    }
}

TEST_CASE("a working set that is not the one that was imported last is said, and nobody is called for it")
{
    auto library = with_set("antwerp", TokenState::good, true);
    library.token.needs_person = false;
    library.token.reason = "the service refused the newest token set, and the one before it is in use again";
    auto status = sample_status({library});
    const auto cause = only(find_causes(status));
    CHECK(cause.kind == CauseKind::foreign_rotation);
    CHECK(cause.severity == Severity::info);
    CHECK(cause.affected.front().why == library.token.reason);
    CHECK(cause.affected.front().do_this == "shelfctl auth import antwerp");
    CHECK(exit_code(status) == ExitCode::done);

    status.libraries.front().token.do_this.clear();  // a delay that passes
    CHECK(find_causes(status).empty());
}

TEST_CASE("a set whose time ends within four hours is a page, and before that a ticket")
{
    auto library = with_set("antwerp", TokenState::foreign, true);
    library.token.deadline = sample_now + 5h;
    CHECK(only(find_causes(sample_status({library}))).severity == Severity::ticket);
    library.token.deadline = sample_now + 4h;
    const auto near = find_causes(sample_status({library}));
    CHECK(only(near).severity == Severity::page);
    CHECK(only(near).affected.front().deadline == sample_now + 4h);
}

TEST_CASE("tables that wait for their token set belong to the set's cause")
{
    auto library = with_set("antwerp", TokenState::lost, false);
    library.resources = {in_trouble("recipes", State::needs_person, Trouble::needs_person, "a reason"),
                         in_trouble("stock", State::needs_person, Trouble::needs_person, "a reason")};
    const auto causes = find_causes(sample_status({library}));
    CHECK(only(causes).kind == CauseKind::token_lost);
    CHECK(only(causes).affected.front().tables.size() == 2);
}

TEST_CASE("a table that is late because there is no usable token is no cause beside that of the set")
{
    for (const auto state : {TokenState::lost, TokenState::waiting, TokenState::foreign, TokenState::in_doubt}) {
        INFO(to_string(state));
        auto library = with_set("antwerp", state, false);
        library.resources = {in_trouble("recipes", State::late, Trouble::none, "no pass was published"),
                             in_trouble("stock", State::late, Trouble::none, "no pass was published"),
                             sample_resource("outlets", State::fresh)};
        const auto causes = find_causes(sample_status({library}));
        CHECK(only(causes).kind != CauseKind::late);
        CHECK(only(causes).affected.front().tables == std::vector<std::string>{"recipes", "stock"});
    }
    // Its journals are the reason.
    auto library = with_set("antwerp", TokenState::blocked, false);
    library.token.journal_trouble = "the journals cannot be read";
    library.resources = {in_trouble("recipes", State::late, Trouble::none, "no pass was published")};
    const auto causes = find_causes(sample_status({library}));
    CHECK(only(causes).kind == CauseKind::journal_copy);
    CHECK(only(causes).affected.front().tables == std::vector<std::string>{"recipes"});
    // A token that works is no reason to be late.
    library = with_set("antwerp", TokenState::ends, true);
    library.resources = {in_trouble("recipes", State::late, Trouble::none, "no pass was published")};
    CHECK(find_causes(sample_status({library})).size() == 2);
}

TEST_CASE("a table is late because of an outage as long as no list of the library has answered since it began")
{
    auto library = sample_library(
        "antwerp", {in_trouble("recipes", State::late, Trouble::none, "no pass was published"),
                    in_trouble("stock", State::late, Trouble::passing, "HTTP 503", TroubleSource::service)});
    for (auto& table : library.resources) {
        table.as_of = sample_now - 2h;
    }
    const auto causes = find_causes(sample_status({library}));
    CHECK(only(causes).kind == CauseKind::service);
    CHECK(only(causes).affected.front().tables.size() == 2);
    // Another list answers.
    auto outlets = sample_resource("outlets", State::fresh);
    outlets.as_of = sample_now - 1min;
    library.resources.push_back(outlets);
    const auto two = find_causes(sample_status({library}));
    REQUIRE(two.size() == 2);
    CHECK(two.front().kind == CauseKind::late);
    CHECK(two.front().affected.front().tables == std::vector<std::string>{"recipes"});
}

TEST_CASE("a page of identity that is not there is one cause for all tables, after a restart, too")
{
    auto library = sample_library("antwerp", {});
    for (const auto* name : {"recipes", "stock", "outlets"}) {
        auto table = in_trouble(name, State::needs_person, Trouble::needs_person,
                                "HTTP 404 at https://api.example.com/me: check identity.path");
        table.source = TroubleSource::identity;
        library.resources.push_back(std::move(table));
    }
    library.resources.back().trouble = Trouble::none;  // only its state is known
    auto other = library;
    other.name = "ghent";
    const auto causes = find_causes(sample_status({library, other}));
    CHECK(only(causes).kind == CauseKind::identity);
    CHECK(only(causes).severity == Severity::ticket);
    REQUIRE(only(causes).affected.size() == 2);
    CHECK(only(causes).affected.front().tables.size() == 3);
}

TEST_CASE("sets of one service that are missing, or were revoked, are one cause, whose key outlives their tokens")
{
    for (const auto state : {TokenState::none, TokenState::lost, TokenState::moved, TokenState::foreign}) {
        auto antwerp = with_set("antwerp", state, true);
        auto ghent = with_set("ghent", state, true);
        const auto causes = find_causes(sample_status({antwerp, ghent}));
        CHECK(only(causes).affected.size() == 2);
        CHECK(only(causes).affected.back().do_this == "shelfctl auth import ghent");
        antwerp.token.access_usable = false;
        antwerp.token.reason = "the access token has expired, and a reason";
        const auto later = find_causes(sample_status({antwerp, ghent}));
        CHECK(only(later).key == only(causes).key);
        ghent.origin = "https://other.example.com";
        CHECK(find_causes(sample_status({antwerp, ghent})).size() == 2);
    }
    CHECK(find_causes(
              sample_status({with_set("antwerp", TokenState::none, true), with_set("ghent", TokenState::lost, true)}))
              .size() == 2);
}

TEST_CASE("a copied store of two libraries is one cause")
{
    CHECK(find_causes(sample_status(
                          {with_set("antwerp", TokenState::copied, true), with_set("ghent", TokenState::copied, true)}))
              .size() == 1);
}

TEST_CASE("sets that are not refreshed for different reasons are different causes, and for the same reason one")
{
    const auto stuck = [](const char* name, const char* reason, const char* cure) {
        auto library = with_set(name, TokenState::blocked, true);
        library.token.reason = reason;
        library.token.do_this = cure;
        return library;
    };
    const auto secret = stuck("antwerp", "the client secret cannot be read: /a", "make the client secret readable");
    const auto other_secret =
        stuck("bruges", "the client secret cannot be read: /b", "make the client secret readable");
    const auto disk = stuck("ghent", "the token journals cannot be written: /c", "repair the disk that it names");
    CHECK(find_causes(sample_status({secret, other_secret})).size() == 1);
    const auto causes = find_causes(sample_status({secret, disk}));
    REQUIRE(causes.size() == 2);
    CHECK(causes[0].kind == CauseKind::refresh);
    CHECK(causes[1].kind == CauseKind::refresh);
    auto refused = with_set("antwerp", TokenState::configuration, true);
    refused.token.do_this = "correct client_id";
    auto elsewhere = with_set("ghent", TokenState::other_service, true);
    elsewhere.token.do_this = "correct the configuration";
    CHECK(find_causes(sample_status({refused, elsewhere})).size() == 2);
}

TEST_CASE("a pass that waits for the end of a pause belongs to the pause, and does not try now")
{
    auto recipes = sample_resource("recipes", State::fresh);
    recipes.running.emplace();
    recipes.running->note = "rate limited by the service (429)";
    recipes.running->source = TroubleSource::limit;
    auto stock = in_trouble("stock", State::needs_person, Trouble::needs_person, "item 1 has no id");
    stock.running.emplace();
    auto library = sample_library("antwerp", {recipes, stock});
    library.budget.paused_until = sample_now + 1h;
    const auto causes = find_causes(sample_status({library}));
    REQUIRE(causes.size() == 2);
    CHECK(causes[0].kind == CauseKind::configuration);
    CHECK(causes[0].affected.front().next.empty());
    CHECK(causes[0].affected.front().next_try == sample_now + 1h);
    CHECK(causes[1].kind == CauseKind::limit);
    CHECK(causes[1].affected.front().tables == std::vector<std::string>{"recipes"});
    CHECK(causes[1].affected.front().next.empty());
    CHECK(causes[1].affected.front().next_try == sample_now + 1h);
}

TEST_CASE("after a restart in a pause, a late table waits for its end, and nobody is asked to do anything")
{
    auto recipes = in_trouble("recipes", State::late, Trouble::none, "no pass was published since 08:00");
    recipes.do_this = "shelfctl explain antwerp recipes";
    recipes.running.emplace();
    recipes.running->phase = Phase::identity;
    auto library = sample_library("antwerp", {recipes});
    library.budget.paused_until = sample_now + 1h;
    const auto causes = find_causes(sample_status({library}));
    CHECK(only(causes).kind == CauseKind::limit);
    const auto& affected = only(causes).affected.front();
    CHECK(affected.why == describe_pause(sample_now + 1h));
    CHECK(affected.do_this.empty());
    CHECK(affected.next.empty());
    CHECK(affected.next_try == sample_now + 1h);
}

TEST_CASE("each trouble of a table has its cause, after a restart, too, when only its state is known")
{
    struct Row {
        Trouble trouble;
        State state;
        TroubleSource source;
        CauseKind kind;
    };
    using enum TroubleSource;
    const Row rows[] = {
        {Trouble::forbidden, State::forbidden, service, CauseKind::permission},
        {Trouble::none, State::forbidden, service, CauseKind::permission},
        {Trouble::wrong_library, State::wrong_library, service, CauseKind::wrong_library},
        {Trouble::none, State::wrong_library, service, CauseKind::wrong_library},
        {Trouble::needs_person, State::needs_person, service, CauseKind::configuration},
        {Trouble::none, State::needs_person, service, CauseKind::configuration},
        {Trouble::needs_person, State::needs_person, keys, CauseKind::key_drift},
        {Trouble::storage, State::late, service, CauseKind::disk},
        {Trouble::none, State::late, service, CauseKind::late},
    };
    for (const auto& row : rows) {
        INFO(to_string(row.trouble) << " " << to_string(row.kind));
        const auto causes = find_causes(sample_status(
            {sample_library("antwerp", {in_trouble("recipes", row.state, row.trouble, "a reason", row.source)})}));
        CHECK(only(causes).kind == row.kind);
        CHECK(only(causes).affected.front().tables == std::vector<std::string>{"recipes"});
    }
}

TEST_CASE("an outage that lasts longer than the tokens stays one cause, and asks for nobody before tables are late")
{
    auto library = with_set("antwerp", TokenState::waiting, false);
    library.token.unreachable = TroubleSource::service;
    library.token.needs_person = false;
    library.token.do_this.clear();
    library.token.since = library.token.expires_at = sample_now - 10min;
    library.resources = {in_trouble("recipes", State::fresh, Trouble::passing, "the service answered 502")};
    const auto before = find_causes(sample_status({library}));
    CHECK(only(before).kind == CauseKind::service);
    CHECK(only(before).severity == Severity::info);
    CHECK(only(before).affected.front().deadline == sample_now - 10min);  // when the last token died
    CHECK(only(before).since == sample_now - 20min);  // since the first failure, not since the token died
    library.resources.front().state = State::late;
    CHECK(only(find_causes(sample_status({library}))).severity == Severity::ticket);
}

TEST_CASE("an outage that a person must look at stays one cause, and becomes a page")
{
    auto library = with_set("antwerp", TokenState::blocked, false);
    library.token.unreachable = TroubleSource::network;
    library.resources = {
        in_trouble("recipes", State::late, Trouble::passing, "cannot connect", TroubleSource::network)};
    const auto causes = find_causes(sample_status({library}));
    CHECK(only(causes).kind == CauseKind::network);
    CHECK(only(causes).severity == Severity::page);
}

TEST_CASE("a full disk is one cause for all libraries, and a page once tables are about to be late")
{
    auto table = in_trouble("recipes", State::fresh, Trouble::storage, "no space left on device");
    table.late_at = sample_now + 10h;
    const auto early =
        find_causes(sample_status({sample_library("antwerp", {table}), sample_library("ghent", {table})}));
    CHECK(only(early).severity == Severity::ticket);
    CHECK(only(early).affected.size() == 2);
    table.late_at = sample_now + 3h;
    const auto late = find_causes(sample_status({sample_library("antwerp", {table})}));
    CHECK(only(late).severity == Severity::page);
    CHECK_FALSE(only(early).affected.front().deadline);
    auto again = table;
    again.name = "stock";
    again.why = "cannot update the mirror: " + table.why;
    const auto both = find_causes(sample_status({sample_library("antwerp", {table, again})}));
    CHECK(only(both).affected.front().why == table.why);  // once
    CHECK(only(late).affected.front().deadline == table.late_at);
}

TEST_CASE("held rows say how many wait in which table")
{
    auto table = sample_resource("recipes", State::held);
    table.held = 12;
    table.do_this = "shelfctl held antwerp recipes";
    const auto causes = find_causes(sample_status({sample_library("antwerp", {table})}));
    CHECK(only(causes).kind == CauseKind::held);
    CHECK(only(causes).affected.front().why.find("12 rows of recipes are held") == 0);
}

TEST_CASE("held rows of several tables are counted together, and each table has its command")
{
    auto recipes = sample_resource("recipes", State::held);
    recipes.held = 3;
    recipes.do_this = "to list them: shelfctl held antwerp recipes";
    auto units = sample_resource("units", State::held);
    units.held = 1;
    units.do_this = "to list them: shelfctl held antwerp units";
    const auto causes = find_causes(sample_status({sample_library("antwerp", {recipes, units})}));
    const auto& affected = only(causes).affected.front();
    CHECK(affected.tables == std::vector<std::string>{"recipes", "units"});
    CHECK(affected.why == "4 rows of 2 tables are held (recipes 3, units 1): the service no longer lists them");
    CHECK(affected.do_this == "to list them: shelfctl held antwerp recipes; shelfctl held antwerp units; then repeat "
                              "each with --keep if they exist, --accept if they were deleted");
}

TEST_CASE("journal copies and clocks are causes of this machine")
{
    auto library = sample_library("antwerp", {sample_resource("recipes", State::fresh)});
    library.token.journal_trouble = "journal.b: read-only file system";
    library.token.clock_trouble = "this clock is 2 d behind";
    library.token.journal_copies = 1;
    const auto causes = find_causes(sample_status({library}));
    REQUIRE(causes.size() == 2);
    CHECK(causes[0].kind == CauseKind::clock);
    CHECK(causes[1].kind == CauseKind::journal_copy);
    CHECK(causes[1].severity == Severity::ticket);
    library.token.journal_copies = 0;
    CHECK(find_causes(sample_status({library}))[1].severity == Severity::page);
}

TEST_CASE("a table that is late because the clocks differ is no cause beside that")
{
    auto library = sample_library("antwerp", {in_trouble("recipes", State::late, Trouble::none, "the clock")});
    library.token.clock_trouble = "this clock is 2 d behind";
    CHECK(only(find_causes(sample_status({library}))).kind == CauseKind::clock);
}

TEST_CASE("bugs, absent libraries, notices with advice, snapshots, pinned WALs and repairs are causes")
{
    auto library = sample_library("antwerp", {sample_resource("recipes", State::fresh)});
    library.bug = BugStatus{"recipes: planted", sample_now, 1, sample_now, "send a bug report"};
    library.snapshot.trouble = "no space left on device";
    library.wal_pinned_since = sample_now - 2h;
    library.repairs = {
        {sample_now - 1h, "the mirror", "antwerp.db", "was not a database", "it is filled again", "antwerp.db.1"},
        {sample_now - 48h, "the mirror", "antwerp.db", "was not a database", "it is filled again", "antwerp.db.0"}};
    auto status = sample_status({library});
    status.absent = {"ghent"};
    status.notices = {{"ghent is not running: its disk is gone", "mend that", std::nullopt, "", "ghent"},
                      {"the last reload was refused: x", "correct it", sample_now},
                      {"another program uses 20 of the 100 requests", "", std::nullopt}};
    std::vector<std::string> found;
    for (const auto& cause : find_causes(status)) {
        found.emplace_back(to_string(cause.kind));
        CHECK(cause.momentary == (cause.kind == CauseKind::repaired));
    }
    CHECK(found == std::vector<std::string>{"bug", "daemon", "not_running", "repaired", "snapshot", "wal"});
}

TEST_CASE("a filter that a service does not obey is one cause for all its libraries, beside other trouble of the table")
{
    auto recipes = sample_resource("recipes", State::fresh);
    recipes.filter = {"the service ignores the filter since, so every pass walks the whole list",
                      "correct `incremental` of [resource.recipes], or remove it, then: shelfctl reload",
                      sample_now - 24h};
    auto late = recipes;
    late.state = State::late;
    const auto causes =
        find_causes(sample_status({sample_library("antwerp", {recipes}), sample_library("ghent", {late})}));
    REQUIRE(causes.size() == 2);
    CHECK(causes[0].kind == CauseKind::filter);
    CHECK(causes[0].severity == Severity::ticket);
    CHECK(causes[0].since == sample_now - 24h);
    REQUIRE(causes[0].affected.size() == 2);
    CHECK(causes[0].affected[0].why == recipes.filter->why);
    CHECK(causes[0].affected[0].do_this == recipes.filter->do_this);
    CHECK(causes[0].affected[0].next == "walks the whole list each time, which costs more requests");
    CHECK(causes[1].kind == CauseKind::late);
}

TEST_CASE("what is wrong with several lists in the same way is one cause, whose cure names all of them")
{
    const auto filtered = [](const char* name) {
        auto table = sample_resource(name, State::fresh);
        table.filter = {
            "the service ignores the filter modified_date__gt, so every pass walks the whole list",
            fmt::format("correct `incremental` of [resource.{}], or remove it, then: shelfctl reload", name),
            sample_now - 24h};
        return table;
    };
    const auto without_key = [](const char* name) {
        auto table = in_trouble(name, State::needs_person, Trouble::needs_person,
                                "item 3 of a page has no key: its key \"id\" is missing", TroubleSource::keys);
        table.do_this = fmt::format("correct [resource.{}], then: shelfctl reload", name);
        return table;
    };
    const auto status =
        sample_status({sample_library("antwerp", {filtered("recipes"), filtered("stock"), without_key("units"),
                                                  without_key("sales"), without_key("hours")}),
                       sample_library("ghent", {filtered("stock")})});
    const auto causes = find_causes(status);
    REQUIRE(causes.size() == 2);
    CHECK(causes[0].kind == CauseKind::key_drift);
    REQUIRE(causes[0].affected.size() == 1);
    CHECK(causes[0].affected[0].tables == std::vector<std::string>{"units", "sales", "hours"});
    CHECK(causes[0].affected[0].do_this ==
          "correct [resource.units] (and the same for sales, hours), then: shelfctl reload");
    CHECK(causes[1].kind == CauseKind::filter);
    REQUIRE(causes[1].affected.size() == 2);
    CHECK(causes[1].affected[0].tables == std::vector<std::string>{"recipes", "stock"});
    CHECK(causes[1].affected[0].why == status.libraries[0].resources[0].filter->why);
    CHECK(causes[1].affected[0].do_this ==
          "correct `incremental` of [resource.recipes] (and the same for stock), or remove it, then: shelfctl reload");
    CHECK(causes[1].affected[1].do_this == status.libraries[1].resources[0].filter->do_this);
}

TEST_CASE("lists that are wrong in the same way and need different acts have each of them in the cure")
{
    auto recipes = in_trouble("recipes", State::needs_person, Trouble::needs_person, "the service has no such list");
    recipes.do_this = "correct [resource.recipes], then: shelfctl reload";
    auto stock = recipes;
    stock.name = "stock";
    stock.do_this = "ask the operator of the service whether this list was moved";
    const auto causes = find_causes(sample_status({sample_library("antwerp", {recipes, stock})}));
    CHECK(only(causes).affected.front().do_this == "correct [resource.recipes], then: shelfctl reload; for stock: ask "
                                                   "the operator of the service whether this list was moved");
}

TEST_CASE("what does not keep a table from being on time says nothing of when it is late")
{
    auto table = sample_resource("recipes", State::held);
    table.held = 2;
    table.is_of_column = true;
    table.filter = {"the service ignores the filter since", "correct it", sample_now};
    table.late_at = sample_now + 43min;
    const auto causes = find_causes(sample_status({sample_library("antwerp", {table})}));
    REQUIRE(causes.size() == 3);
    for (const auto& cause : causes) {
        INFO(to_string(cause.kind));
        CHECK_FALSE(cause.affected.front().late_at);
    }
}

TEST_CASE("a column of the wrong kind is one cause for all libraries, of a list and of its details")
{
    const auto drifted = [](const char* name, const char* library) {
        auto table = sample_resource(name, State::fresh);
        table.why = "the column code shows texts of digits as numbers";
        table.do_this = fmt::format("shelfctl schema {} --retype {}.code", library, name);
        table.is_of_column = true;
        return table;
    };
    auto details = drifted("recipes_detail", "antwerp");
    details.detail.emplace();
    const auto status = sample_status({sample_library("antwerp", {drifted("recipes", "antwerp"), details}),
                                       sample_library("ghent", {drifted("recipes", "ghent")})});
    const auto causes = find_causes(status);
    REQUIRE(causes.size() == 2);
    for (const auto& cause : causes) {
        CHECK(cause.kind == CauseKind::column_drift);
        CHECK(cause.severity == Severity::ticket);
        CHECK(cause.affected.front().why == details.why);
        CHECK(cause.affected.front().next == "continues as before; no value is lost");
        CHECK_FALSE(cause.affected.front().next_try);
    }
    CHECK(causes[0].affected.size() == 2);
    CHECK(causes[0].affected[1].do_this == "shelfctl schema ghent --retype recipes.code");
    CHECK(causes[1].affected[0].do_this == details.do_this);
}

TEST_CASE("the same list of two libraries is one cause if it is wrong in the same way, and two if not")
{
    const auto wrong = [](const char* library, const char* why) {
        return sample_library(library, {in_trouble("stock", State::needs_person, Trouble::needs_person, why)});
    };
    const char* const missing = "the service has no such list (404); check `path` and `base_url`";
    const char* const changed = "the answer has another form (an array) than before (results): nothing was changed";
    CHECK(find_causes(sample_status({wrong("antwerp", missing), wrong("bruges", missing)})).size() == 1);
    const auto causes = find_causes(sample_status({wrong("antwerp", changed), wrong("bruges", missing)}));
    REQUIRE(causes.size() == 2);
    CHECK(causes[0].key != causes[1].key);
}

TEST_CASE("a pause that the service asks for is one cause for all libraries of a limit group")
{
    auto antwerp = sample_library("antwerp", {sample_resource("recipes", State::fresh)});
    auto ghent = sample_library("ghent", {sample_resource("recipes", State::fresh)});
    antwerp.budget.paused_until = ghent.budget.paused_until = sample_now + 1h;
    const auto causes = find_causes(sample_status({antwerp, ghent}));
    CHECK(only(causes).kind == CauseKind::limit);
    CHECK(only(causes).affected.size() == 2);
    // Its pass is due before that, and the table is late soon after.
    CHECK(only(causes).affected.front().tables == std::vector<std::string>{"recipes"});
    CHECK(only(causes).affected.front().deadline == antwerp.resources.front().late_at);
    antwerp.budget.paused_until = ghent.budget.paused_until = sample_now - 1s;
    CHECK(find_causes(sample_status({antwerp, ghent})).empty());
}

TEST_CASE("a pause is of the tables whose passes it holds up, and of no other")
{
    auto later = sample_resource("later", State::fresh);
    later.next_due = sample_now + 2h;
    auto running = later;
    running.name = "running";
    running.running.emplace();
    auto refused = in_trouble("refused", State::forbidden, Trouble::forbidden, "403");
    auto library = sample_library("antwerp", {sample_resource("due", State::fresh), later, running, refused,
                                              sample_resource("at_rest", State::paused)});
    library.budget.paused_until = sample_now + 1h;
    const auto causes = find_causes(sample_status({library}));
    const auto pause =
        std::find_if(causes.begin(), causes.end(), [](const Cause& one) { return one.kind == CauseKind::limit; });
    REQUIRE(pause != causes.end());
    CHECK(pause->affected.front().tables == std::vector<std::string>{"due", "running"});
}

TEST_CASE("schedules that need more than the limit are one cause of a service before any table is late, and then, too")
{
    auto antwerp = sample_library("antwerp", {sample_resource("recipes", State::fresh)});
    antwerp.budget.configured = 6;
    antwerp.budget.limit = 6;
    antwerp.budget.needed = 6;
    CHECK(find_causes(sample_status({antwerp})).empty());
    antwerp.budget.needed = 7.25;
    antwerp.budget.narrowed_by = "the answers of the service name this limit";
    auto ghent = antwerp;
    ghent.name = "ghent";
    ghent.budget.group = "ghent";
    const auto early = find_causes(sample_status({antwerp, ghent}));
    CHECK(only(early).kind == CauseKind::schedule);
    CHECK(only(early).severity == Severity::ticket);
    REQUIRE(only(early).affected.size() == 2);
    const auto& first = only(early).affected.front();
    CHECK(first.why ==
          "the schedules need 7.3 requests a minute, and the limit is 6: the answers of the service name this limit");
    CHECK(first.do_this.find("shelfctl plan antwerp") != std::string::npos);
    CHECK(first.do_this.find("raise rate_limit") != std::string::npos);
    antwerp.budget.configured = 100;  // which the service does not allow
    antwerp.contact = "support@service.test";
    const auto refused = find_causes(sample_status({antwerp}));
    CHECK(only(refused).affected.front().do_this ==
          "make passes less frequent (every), then: shelfctl reload; or ask support@service.test for a higher limit; "
          "what needs how much: shelfctl plan antwerp");
    antwerp.budget.configured.reset();
    CHECK(first.tables.empty());
    CHECK(exit_code(sample_status({antwerp})) == ExitCode::done);
    auto status = sample_status({antwerp});
    status.problems = find_causes(status);
    CHECK(exit_code(status) == ExitCode::failed);
    CHECK(headline(status).find("the schedules need more requests than the limit allows") != std::string::npos);
    antwerp.resources.front().state = State::late;
    const auto late = find_causes(sample_status({antwerp}));
    CHECK(only(late).key == only(early).key);
    CHECK(only(late).affected.front().tables == std::vector<std::string>{"recipes"});
}

TEST_CASE("paused and retired tables are no trouble")
{
    CHECK(find_causes(
              sample_status({sample_library("antwerp", {in_trouble("a", State::paused, Trouble::none, "paused"),
                                                        in_trouble("b", State::retired, Trouble::none, "gone")})}))
              .empty());
}

TEST_CASE("every cause has a word of its own that reads back, a title and somebody who can act")
{
    for (int i = 0; i <= static_cast<int>(CauseKind::test); ++i) {
        const auto kind = static_cast<CauseKind>(i);
        INFO(to_string(kind));
        CHECK(parse_cause_kind(to_string(kind)) == kind);
        CHECK_FALSE(title_of(kind).empty());
        CHECK_FALSE(who_can_act(kind).empty());
        CHECK_FALSE(parse_severity(to_string(kind)));
    }
    CHECK_FALSE(parse_cause_kind("weather"));
}

}  // namespace
}  // namespace shelfd::control
