// Hostile answers × kinds of pass: what becomes of the table, what it costs, and who ends it. Stuck is impossible.
#include "app/library_bench.hpp"

#include "support/catch.hpp"
#include "support/http_date.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <sstream>

using namespace shelfd;
using namespace std::chrono_literals;

namespace {

constexpr std::size_t rows = 30;
// A table beside the one that is asked for in vain.
constexpr const char* neighbour = "users";

// --- the kinds of pass -------------------------------------------------------------------------------------------

struct Kind {
    const char* name;
    const char* family;
    const char* list;  // of the catalogue
    bool ordered = true;
    bool incremental = false;
    bool object = false;
    bool detail = false;
    bool window = false;
    bool parent = false;
    bool counted = true;
};

const std::vector<Kind> kinds = {
    {"newest first", "library", "recipes"},
    {"two walks", "library", "recipes", false},
    {"by offset", "procurement", "suppliers"},
    {"cursor", "procurement", "orders"},
    {"incremental", "library", "recipes", true, true},
    {"one object", "library", "recipes", true, false, true},
    {"bare array", "library", "units"},
    {"detail", "library", "recipes", true, false, false, true},
    {"window", "sales", "lines", true, false, false, false, true},
    {"by parent", "inventory", "counts", true, false, false, false, false, true},
    {"uncounted", "library", "recipes", true, false, false, false, false, false, false},
};

class Site {
public:
    explicit Site(const Kind& kind) : kind_(kind), bench_(options(kind))
    {
        if (kind.object) {
            object_ = bench_.service_ids().front();
        }
        if (kind.parent) {
            parent_ = bench_.service_ids("inventory/outlets").front();
        }
        if (!kind.ordered) {
            bench_.world()->quirks(list()).ignores_ordering = true;
            bench_.world()->edit("lib01", list(),
                                 {.change = {*sim::parse_json(R"({"id":3,"created_date":"2031-01-01T00:00:00Z"})")}});
        }
        bench_.pass_time(20min);
        REQUIRE(bench_.status(table()).state == control::State::fresh);
        before_ = bench_.ids(table());
    }

    LibraryBench& bench() { return bench_; }
    const Kind& kind() const { return kind_; }
    std::string list() const
    {
        return kind_.parent ? fmt::format("inventory/outlets/{}/{}", parent_, kind_.list)
                            : fmt::format("{}/{}", kind_.family, kind_.list);
    }
    std::string path() const { return fmt::format("/api/v2/{}/", list()); }
    // The table the hostile answers are about.
    std::string table() const { return std::string(kind_.list) + (kind_.detail ? "_detail" : ""); }
    const std::vector<std::int64_t>& before() const { return before_; }

    // Something happens that the next pass has to fetch.
    void move()
    {
        std::vector<sim::Json> changes;
        const auto ids = bench_.service_ids(list());
        for (std::size_t i = 0; i < (kind_.detail ? 6U : 2U); ++i) {
            changes.push_back(*sim::parse_json(fmt::format(R"({{"id":{},"name":"moved {}"}})", ids[i], i)));
        }
        bench_.world()->edit("lib01", list(), {.change = std::move(changes)});
    }

    // Of the requests that the kind of pass is made of, from now on.
    void answer_with(sim::Fault fault)
    {
        fault.times = std::nullopt;
        if (!kind_.detail) {
            fault.path = path();
            bench_.world()->faults.add(fault);
            return;
        }
        for (const auto id : bench_.service_ids(list())) {
            fault.path = fmt::format("{}{}/", path(), id);
            bench_.world()->faults.add(fault);
        }
    }

    // Lets it try: one pass over a list; of details, what half an hour brings.
    void go()
    {
        const auto requests = sent();
        move();
        bench_.sync(kind_.list);
        if (kind_.detail) {
            bench_.pass_time(30min);
        }
        spent_ = sent() - requests;
    }
    std::uint64_t spent() const { return spent_; }

    void mend()
    {
        bench_.world()->faults.clear();
        auto& quirks = bench_.world()->quirks(list());
        quirks = {};
        quirks.ignores_ordering = !kind_.ordered;
        quirks.omits_count = !kind_.counted;
    }

    // Every row that the service has, and no other; of details, too.
    bool is_true()
    {
        if (kind_.object) {
            return bench_.ids(table()) == std::vector<std::int64_t>{object_};
        }
        return bench_.ids(table()) == bench_.service_ids(list());
    }

private:
    static BenchOptions options(const Kind& kind)
    {
        BenchOptions options;
        options.family = kind.family;
        options.resources = {kind.list};
        // What a fault answers obeys no parameter: 30 rows of that might be a page that was cut.
        const bool is_array = std::string_view(kind.name) == "bare array";
        options.world.rows_of[fmt::format("{}/{}", kind.family, kind.list)] = is_array ? rows - 3 : rows;
        options.page_size = 10;
        options.ordering = "";
        options.max_body = 1U << 20;
        if (kind.incremental) {
            options.incremental =
                config::Incremental{"modified_date__gt", "modified_date", config::Incremental::Format::datetime, 5min};
            options.full_every = 1h;
        }
        if (kind.detail) {
            options.detail = config::Detail{"url", "", 2h};
            options.page_size = 200;
        }
        if (kind.object) {
            options.object_of = "1/";
        }
        if (kind.parent) {
            options.resources.push_back("outlets");
            options.parent = config::Parent{"outlets", "id", "outlet_id", {}, {}};
            options.world.rows_of["inventory/outlets"] = 1;
        }
        if (kind.window) {
            LibraryBench::make_ledger(options, rows);
        }
        options.configure = [](config::Library& library) {
            config::Resource users;
            users.name = neighbour;
            users.path = "/api/v2/accounts/users/";
            users.schedule.interval = 15min;
            library.resources.own().push_back(users);
        };
        if (!kind.counted) {
            options.prepare = [](sim::World& world) { world.quirks("library/recipes").omits_count = true; };
        }
        return options;
    }

    // Canaries and token requests left out.
    std::uint64_t sent() { return bench_.world()->audit_report().count("GET", path()); }

    const Kind& kind_;
    LibraryBench bench_;
    std::int64_t object_ = 0;
    std::int64_t parent_ = 0;
    std::vector<std::int64_t> before_;
    std::uint64_t spent_ = 0;
};

// --- the hostile answers -----------------------------------------------------------------------------------------

sim::Fault fault(int status)
{
    sim::Fault fault;
    fault.status = status;
    return fault;
}

sim::Fault fault(int status, sim::Header header)
{
    auto out = fault(status);
    out.headers.push_back(std::move(header));
    return out;
}

sim::Fault body(std::string text, std::string type = "application/json")
{
    sim::Fault fault;
    fault.status = 200;
    fault.body = std::move(text);
    fault.content_type = std::move(type);
    return fault;
}

// Each item as `write` has it, in the frame that this kind of pass expects. Of details: each for itself.
void items(Site& site, const std::function<std::string(std::int64_t)>& write)
{
    auto& bench = site.bench();
    const auto ids = bench.service_ids(site.list());
    if (site.kind().detail) {
        for (const auto id : ids) {
            auto one = body(write(id));
            one.times = std::nullopt;
            one.path = fmt::format("{}{}/", site.path(), id);
            bench.world()->faults.add(one);
        }
        return;
    }
    std::string text;
    for (const auto id : ids) {
        text += (text.empty() ? "" : ",") + write(id);
    }
    const std::string kind = site.kind().name;
    if (site.kind().object) {
        site.answer_with(body(write(ids.front())));
    } else if (kind == "bare array") {
        site.answer_with(body("[" + text + "]"));
    } else if (kind == "cursor" || kind == "uncounted") {
        site.answer_with(body(fmt::format(R"({{"next":null,"previous":null,"results":[{}]}})", text)));
    } else {
        site.answer_with(
            body(fmt::format(R"({{"count":{},"next":null,"previous":null,"results":[{}]}})", ids.size(), text)));
    }
}

void another_frame(Site& site)
{
    const bool is_array = std::string_view(site.kind().name) == "bare array";
    site.answer_with(body(is_array ? R"({"id":1,"name":"one"})" : R"([{"id":1,"name":"one"}])"));
}

// The lists' own `next` leads elsewhere; of details, the items' own address.
void foreign_link(Site& site)
{
    if (!site.kind().detail) {
        site.bench().world()->quirks(site.list()).next_base = "https://elsewhere.example";
        return;
    }
    std::string text;
    for (const auto& [id, item] : site.bench().service_rows(site.list())) {
        auto moved = item;
        const auto at = moved.find("http://service.test/");
        moved.replace(at, 20, "https://elsewhere.example/");
        text += (text.empty() ? "" : ",") + moved;
    }
    auto one = body(fmt::format(R"({{"count":{},"next":null,"previous":null,"results":[{}]}})", rows, text));
    one.path = site.path();
    one.times = std::nullopt;
    site.bench().world()->faults.add(one);
}

struct Hostile {
    const char* name;
    std::function<void(Site&)> apply;
    const char* outcomes;  // one for each kind of pass, in their order
};

// What may become of a table. In every case the rows that were there stay, unless it says otherwise; the next try is
// planned; and once the service is itself again, the table is true within five hours, without anybody.
//
//   ok       published, and as good as ever
//   unproven published, rows added and changed, none deleted; full passes follow until one is proven
//   noticed  published, and status says which filter is not obeyed; full passes follow
//   passing  nothing is published, status says why and when the next try is; nobody has to act
//   late     the same, and so slow that the table is late when the pass gives up
//   refused  the state forbidden, with whom to ask
//   person   the state needs_person, with what to correct
//   kind     needs_person, and `sync --full` would take the new kind of answer as it is
//   behind   the items are postponed, and status says why
//   hidden   as refused, once the first nine items have no detail any more; their rows stay
//   held     as twice, and the old rows still answer at their own addresses: a person may decide before they are back
//   twice    rows under other keys are other rows: both are there until a second proven pass agrees
const std::vector<Hostile> hostiles = {
    // name, what is done, newest first | two walks | by offset | cursor | incremental | one object | bare array |
    // detail | window | by parent | uncounted
    {"401 on one resource only", [](Site& s) { s.answer_with(fault(401)); },
     "refused refused refused refused refused refused refused refused refused refused refused"},
    {"401 on one resource only, with Retry-After",
     [](Site& s) {
         s.answer_with(fault(401, {"Retry-After", "30"}));
     },
     "passing passing passing passing passing passing passing passing passing passing passing"},
    {"401 on one resource only, with a wait of an hour in another spelling",
     [](Site& s) {
         s.answer_with(fault(401, {"X-Retry-After-Ms", "3600000"}));
     },
     "passing passing passing passing passing passing passing passing passing passing passing"},
    {"403", [](Site& s) { s.answer_with(fault(403)); },
     "refused refused refused refused refused refused refused refused refused refused refused"},
    {"404", [](Site& s) { s.answer_with(fault(404)); },
     "person person person person person person person hidden person person person"},
    {"429 with seconds",
     [](Site& s) {
         s.answer_with(fault(429, {"Retry-After", "30"}));
     },
     "passing passing passing passing passing passing passing passing passing passing passing"},
    {"429 with a date",
     [](Site& s) {
         s.answer_with(fault(429, {"Retry-After", http_date(s.bench().clock.now() + 40s)}));
     },
     "passing passing passing passing passing passing passing passing passing passing passing"},
    {"500", [](Site& s) { s.answer_with(fault(500)); },
     "passing passing passing passing passing passing passing passing passing passing passing"},
    {"503 with Retry-After",
     [](Site& s) {
         s.answer_with(fault(503, {"Retry-After", "20"}));
     },
     "passing passing passing passing passing passing passing passing passing passing passing"},
    {"HTML with 200", [](Site& s) { s.answer_with(body("<html>maintenance</html>", "text/html")); },
     "passing passing passing passing passing passing passing passing passing passing passing"},
    {"broken JSON", [](Site& s) { s.answer_with(body(R"({"count":3,"next":null,"results":[{"id":1,)")); },
     "passing passing passing passing passing passing passing person passing passing passing"},
    {"cut body",
     [](Site& s) {
         sim::Fault cut;
         cut.cut = sim::Cut::in_body;
         cut.cut_at = 40;
         s.answer_with(cut);
     },
     "passing passing passing passing passing passing passing passing passing passing passing"},
    {"endless body", [](Site& s) { s.answer_with(body(std::string(2U << 20, '['))); },
     "passing passing passing passing passing passing passing passing passing passing passing"},
    {"slow drip",
     [](Site& s) {
         sim::Fault slow;
         slow.delay_after = 30min;
         s.answer_with(slow);
     },
     "late late late late late late late passing late late late"},
    {"next that leads to itself", [](Site& s) { s.bench().world()->quirks(s.list()).next_is_self = true; },
     "passing passing passing passing ok ok ok ok passing passing passing"},
    {"next on another host", foreign_link, "ok ok ok ok ok ok ok behind ok ok ok"},
    {"redirect to our origin",
     [](Site& s) {
         s.answer_with(fault(301, {"Location", "/api/v2/library/other/"}));
     },
     "person person person person person person person person person person person"},
    {"redirect to another origin",
     [](Site& s) {
         s.answer_with(fault(302, {"Location", "https://elsewhere.example/api/"}));
     },
     "person person person person person person person person person person person"},
    {"filter ignored", [](Site& s) { s.bench().world()->quirks(s.list()).ignores_filters = true; },
     "ok ok ok ok noticed ok ok ok ok ok ok"},
    {"order ignored",
     [](Site& s) {
         s.bench().world()->quirks(s.list()).ignores_ordering = true;
         s.bench().world()->edit("lib01", s.list(),
                                 {.change = {*sim::parse_json(R"({"id":5,"created_date":"2032-01-01T00:00:00Z"})")}});
     },
     "ok ok ok ok ok ok ok ok ok ok ok"},
    {"count that lies", [](Site& s) { s.bench().world()->quirks(s.list()).count_offset = 7; },
     "unproven unproven unproven ok ok ok ok ok noticed noticed ok"},
    {"key missing", [](Site& s) { items(s, [](std::int64_t) { return std::string(R"({"name":"nobody"})"); }); },
     "person person person person person person person person person person person"},
    {"key null", [](Site& s) { items(s, [](std::int64_t) { return std::string(R"({"id":null,"name":"x"})"); }); },
     "person person person person person person person person person person person"},
    {"type of the key changed",
     [](Site& s) { items(s, [](std::int64_t id) { return fmt::format(R"({{"id":"{}","name":"text"}})", id); }); },
     "held held held held twice held noticed person person held held"},
    {"empty 200", [](Site& s) { s.answer_with(body("")); },
     "passing passing passing passing passing passing passing passing passing passing passing"},
    {"another kind of content", another_frame, "kind kind kind kind kind person person person kind kind kind"},
};

// --- outcomes ----------------------------------------------------------------------------------------------------

struct Expected {
    std::optional<control::State> state;  // nothing: fresh
    bool person = false;                  // `do_this` says what to type or whom to ask
    bool reason = true;                   // `why` is not empty
    std::uint64_t max_requests = 0;
};

const std::map<std::string, Expected>& expectations()
{
    static const std::map<std::string, Expected> all = {
        {"ok", {std::nullopt, false, false, 30}},
        {"unproven", {std::nullopt, false, true, 30}},
        {"noticed", {std::nullopt, false, true, 30}},
        {"passing", {std::nullopt, false, true, 45}},
        {"late", {control::State::late, false, true, 10}},
        {"refused", {control::State::forbidden, true, true, 20}},
        {"person", {control::State::needs_person, true, true, 20}},
        {"kind", {control::State::needs_person, true, true, 5}},
        {"behind", {std::nullopt, false, true, 6}},
        {"hidden", {control::State::forbidden, true, true, 20}},
        {"held", {control::State::held, true, true, 40}},
        {"twice", {std::nullopt, false, false, 40}},
    };
    return all;
}

std::vector<std::string> words(const std::string& text)
{
    std::istringstream in(text);
    return {std::istream_iterator<std::string>(in), std::istream_iterator<std::string>()};
}

void check_rows(Site& site, const std::string& outcome)
{
    const auto now = site.bench().ids(site.table());
    if (outcome == "hidden") {
        CHECK(now.size() + 9 >= site.before().size());
        return;
    }
    for (const auto id : site.before()) {
        CHECK(std::find(now.begin(), now.end(), id) != now.end());
    }
    CHECK(now.size() >= site.before().size());
}

void check_cell(const Kind& kind, const Hostile& hostile, const std::string& outcome)
{
    INFO(hostile.name << " × " << kind.name << " → " << outcome);
    Site site(kind);
    auto& bench = site.bench();
    hostile.apply(site);
    site.go();
    const auto& expected = expectations().at(outcome);
    const auto status = bench.status(site.table());
    INFO("state " << to_string(status.state) << ", why \"" << status.why << "\", do this \"" << status.do_this
                  << "\", requests " << site.spent());
    CHECK(status.state == expected.state.value_or(control::State::fresh));
    // That a column shows texts of digits as numbers is said of any table that has them.
    const bool is_remark = status.why.starts_with("the column ");
    CHECK((status.why.empty() || is_remark) != expected.reason);
    CHECK((status.do_this.empty() || is_remark) != expected.person);
    CHECK(site.spent() <= expected.max_requests);
    check_rows(site, outcome);
    CHECK(bench.client.strangers == 0);
    // Stuck is impossible: there is a next try, whatever the state.
    REQUIRE(status.next_due);
    CHECK((status.running || *status.next_due > bench.clock.now() - 1min));
    CHECK(*status.next_due <= bench.clock.now() + 1h + 1min);
    if (outcome == "unproven") {
        CHECK_FALSE(bench.unit->tables().lists().front()->report().last_pass->proof.complete());
    }
    if (outcome == "kind") {
        CHECK((status.do_this + status.why).find("--full") != std::string::npos);
    }
    bench.pass_time(1h);
    CHECK(bench.status(neighbour).state == control::State::fresh);
    site.mend();
    bench.pass_time(5h);
    CHECK(site.is_true());
    const auto after = bench.status(site.table());
    INFO("afterwards " << to_string(after.state) << ", why \"" << after.why << "\"");
    CHECK(after.state == control::State::fresh);
}

void check_column(std::size_t column)
{
    std::size_t cells = 0;
    for (const auto& hostile : hostiles) {
        const auto outcomes = words(hostile.outcomes);
        REQUIRE(outcomes.size() == kinds.size());
        check_cell(kinds[column], hostile, outcomes[column]);
        ++cells;
    }
    WARN(cells << " hostile answers to a pass of the kind \"" << kinds[column].name << "\" ended as written");
}

}  // namespace

TEST_CASE("hostile answers to a list walked newest first end as written, and alone")
{
    check_column(0);
}

TEST_CASE("hostile answers to a list proven by two walks end as written, and alone")
{
    check_column(1);
}

TEST_CASE("hostile answers to a list by offset end as written, and alone")
{
    check_column(2);
}

TEST_CASE("hostile answers to a cursor list end as written, and alone")
{
    check_column(3);
}

TEST_CASE("hostile answers to an incremental pass end as written, and alone")
{
    check_column(4);
}

TEST_CASE("hostile answers to a pass over one object end as written, and alone")
{
    check_column(5);
}

TEST_CASE("hostile answers to a bare array end as written, and alone")
{
    check_column(6);
}

TEST_CASE("hostile answers to requests for details end as written, and alone")
{
    check_column(7);
}

TEST_CASE("hostile answers to a window of a ledger end as written, and alone")
{
    check_column(8);
}

TEST_CASE("hostile answers to the list of a parent end as written, and alone")
{
    check_column(9);
}

TEST_CASE("hostile answers to a list that nobody counts end as written, and alone")
{
    check_column(10);
}

TEST_CASE("the table of hostile answers is whole: an outcome for each kind of pass")
{
    std::size_t cells = 0;
    for (const auto& hostile : hostiles) {
        for (const auto& outcome : words(hostile.outcomes)) {
            CHECK(expectations().contains(outcome));
            ++cells;
        }
    }
    CHECK(cells == hostiles.size() * kinds.size());
    CHECK(cells >= 120);
    WARN(cells << " cells: " << hostiles.size() << " hostile answers × " << kinds.size() << " kinds of pass");
}
