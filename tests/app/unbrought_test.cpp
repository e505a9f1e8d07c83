// Passes over the whole list find what passes for changes have not brought.
#include "app/library_bench.hpp"

#include "support/catch.hpp"
#include "support/http_date.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

using namespace shelfd;
using namespace std::chrono_literals;

namespace {

// How a service may write when a row changed.
struct Form {
    const char* name;
    std::string (*write)(Instant at);
};

constexpr Form forms[] = {
    {"an instant", [](Instant at) { return at.to_text(); }},
    {"a day", [](Instant at) { return at.to_text().substr(0, 10); }},
    {"a time without a zone", [](Instant at) { return at.to_text().substr(0, 19); }},
    {"minutes without a zone", [](Instant at) { return at.to_text().substr(0, 16); }},
    {"an HTTP date", [](Instant at) { return http_date(at); }},
    {"seconds since 1970", [](Instant at) { return std::to_string(at.seconds()); }},
    {"milliseconds since 1970", [](Instant at) { return std::to_string(at.seconds() * 1000); }},
};

constexpr const char* no_rows = R"({"count":0,"next":null,"previous":null,"results":[]})";

// Rows that write in `changed_on` when they changed, in one of these forms; the service's filter goes by the instant.
struct DatedBench : LibraryBench {
    DatedBench(const Form& wanted, config::ChangeDetail changes, bool by_parent)
        : LibraryBench(options(wanted, changes, by_parent)), form(wanted), is_by_parent(by_parent)
    {
        pass_time(1min);
        if (is_by_parent) {
            pass_time(1h);
        }
        REQUIRE(sync(table()).kind == sync::PassKind::incremental);
    }
    DatedBench(const Form& wanted, BenchOptions given)
        : LibraryBench(std::move(given)), form(wanted), is_by_parent(false)
    {
        pass_time(1min);
        REQUIRE(sync(table()).kind == sync::PassKind::incremental);
    }

    static BenchOptions options(const Form& form, config::ChangeDetail changes, bool by_parent)
    {
        BenchOptions options;
        options.world.rows = 30;
        options.page_size = 100;
        options.ordering = "";
        options.every = by_parent ? 1h : 15min;
        options.incremental = config::Incremental{"modified_date__gt", "changed_on"};
        if (by_parent) {
            options.family = "inventory";
            options.resources = {"outlets", "stock"};
            options.parent = config::Parent{"outlets", "id", "outlet_id", {}, {}};
            options.world.rows_of["inventory/outlets"] = 2;
        }
        options.configure = [changes](config::Library& library) {
            for (auto& resource : library.resources.own()) {
                resource.changes = changes;
            }
        };
        options.prepare = [&form, by_parent](sim::World& world) {
            const auto lists = by_parent ? std::vector<std::string>{list_of(1), list_of(2), "inventory/outlets"}
                                         : std::vector<std::string>{"library/recipes"};
            for (const auto& list : lists) {
                sim::Edit edit;
                for (const auto* row : world.find_list(world.library("lib01"), list)->ordered({})) {
                    edit.change.push_back(
                        *sim::parse_json(fmt::format(R"({{"id":{},"modified_date":"{}","changed_on":"{}"}})", row->id,
                                                     row->modified.to_text(), form.write(row->modified))));
                }
                world.edit("lib01", list, edit);
            }
        };
        return options;
    }
    static std::string list_of(int outlet) { return fmt::format("inventory/outlets/{}/stock", outlet); }

    std::string table() const { return is_by_parent ? "stock" : "recipes"; }
    std::string list() const { return is_by_parent ? list_of(2) : "library/recipes"; }
    void change(std::int64_t id) { change(id, clock.now()); }
    void change(std::int64_t id, Instant dated)
    {
        world()->edit("lib01", list(),
                      {.change = {*sim::parse_json(
                           fmt::format(R"({{"id":{},"other":"new","modified_date":"{}","changed_on":"{}"}})", id,
                                       dated.to_text(), form.write(dated)))}});
    }
    std::string filter() const { return query("SELECT filter FROM _resources WHERE resource = '" + table() + "'"); }

    Form form;
    bool is_by_parent;
};

bool asks_changes(const std::string& target)
{
    return target.find("modified_date__gt") != std::string::npos;
}

}  // namespace

TEST_CASE("whatever form dates have and whatever the feed tells, changes that the filter kept back are found")
{
    const auto& form = forms[GENERATE(range(0, 7))];
    const auto changes = GENERATE(config::ChangeDetail::values, config::ChangeDetail::keys, config::ChangeDetail::none);
    const bool by_parent = GENERATE(false, true);
    INFO(form.name << ", changes " << static_cast<int>(changes) << (by_parent ? ", by parent" : ""));
    DatedBench bench(form, changes, by_parent);
    bench.client.body_instead = [by_parent](const std::string& target) {
        return asks_changes(target) ? std::optional<std::string>(by_parent ? "[]" : no_rows) : std::nullopt;
    };
    bench.pass_time(1h);
    const auto id = bench.service_ids(bench.list())[3];
    bench.change(id);
    bench.pass_time(3h);
    REQUIRE(bench.query(fmt::format("SELECT count(*) FROM {}", bench.table())) != "0");
    REQUIRE(bench.filter() == "obeyed");
    REQUIRE(bench.sync(bench.table(), sync::Wanted::full).published->changed == 1);
    CHECK(bench.filter() == "incomplete");
    CHECK(bench.sync(bench.table()).kind == sync::PassKind::full);
    CHECK(std::any_of(bench.log_lines.begin(), bench.log_lines.end(), [&](const std::string& line) {
        return line.find(fmt::format("{} has the changed_on ",
                                     by_parent ? fmt::format("[2,{}]", id) : fmt::format("row {}", id))) !=
                   std::string::npos &&
               line.find("no incremental pass returned it") != std::string::npos;
    }));
}

TEST_CASE("a filter that takes local times of a zone in the west for earlier ones is found by the next full walk")
{
    const bool by_parent = GENERATE(false, true);
    INFO((by_parent ? "by parent" : "one list"));
    DatedBench bench(forms[2], config::ChangeDetail::values, by_parent);
    bench.pass_time(1h);
    bench.change(bench.service_ids(bench.list())[3], bench.clock.now() - 5h);
    bench.pass_time(3h);
    REQUIRE(bench.filter() == "obeyed");
    REQUIRE(bench.sync(bench.table(), sync::Wanted::full).published->changed == 1);
    CHECK(bench.filter() == "incomplete");
}

TEST_CASE("where no date shows what a filter leaves out it is not relied on, and the status says so")
{
    struct Row {
        const char* name;
        const char* field;
        std::string (*write)(Instant at);
        const char* says;
    };
    const Row rows[] = {
        {"another order", "changed_on", [](Instant at) { return "27/11/2026 " + at.to_text().substr(11, 8); },
         "has the changed_on 27/11/2026 "},
        {"a member that no row has", "changed.on", [](Instant at) { return at.to_text(); },
         "no row has the member changed.on"},
    };
    for (const auto& row : rows) {
        INFO(row.name);
        const Form form{row.name, row.write};
        auto options = DatedBench::options(form, config::ChangeDetail::values, false);
        options.incremental->field = row.field;
        DatedBench bench(form, std::move(options));
        bench.client.body_instead = [](const std::string& target) {
            return asks_changes(target) ? std::optional<std::string>(no_rows) : std::nullopt;
        };
        bench.pass_time(1h);
        bench.change(bench.service_ids(bench.list())[3]);
        REQUIRE(bench.sync(bench.table(), sync::Wanted::full).published->changed == 1);
        CHECK(bench.filter() == "undated");
        CHECK(bench.sync(bench.table()).kind == sync::PassKind::full);
        CHECK(std::any_of(bench.log_lines.begin(), bench.log_lines.end(), [&](const std::string& line) {
            return line.find(row.says) != std::string::npos && line.find("correct `incremental`") != std::string::npos;
        }));
    }
}

TEST_CASE("a change that nobody has asked for yet is no fault of the filter, whatever form its date has")
{
    const auto& form = forms[GENERATE(range(0, 7))];
    const bool by_parent = GENERATE(false, true);
    INFO(form.name << (by_parent ? ", by parent" : ""));
    DatedBench bench(form, config::ChangeDetail::values, by_parent);
    bench.pass_time(3h + 5min);
    bench.change(bench.service_ids(bench.list())[3]);
    const auto before = bench.client.asked.size();
    REQUIRE(bench.sync(bench.table(), sync::Wanted::full).published->changed == 1);
    CHECK(bench.filter() == "obeyed");
    // What the date leaves open costs a question.
    const auto asked =
        std::count_if(bench.client.asked.begin() + static_cast<std::ptrdiff_t>(before), bench.client.asked.end(),
                      [&](const std::string& target) { return asks_changes(target); });
    const std::string name = form.name;
    const bool names_zone = name != "a day" && name.find("without a zone") == std::string::npos;
    CHECK(asked == (names_zone ? 0 : 1));
    CHECK(bench.sync(bench.table()).kind == sync::PassKind::incremental);
}

TEST_CASE("a row that is deleted before the filter is asked once more does not convict it")
{
    const bool has_address = GENERATE(true, false);
    const bool comes_back = GENERATE(false, true);
    INFO((has_address ? "with" : "without") << " an address, " << (comes_back ? "there" : "gone"));
    auto options = DatedBench::options(forms[1], config::ChangeDetail::values, false);
    options.exclude = has_address ? std::vector<std::string>{} : std::vector<std::string>{"url"};
    DatedBench bench(forms[1], std::move(options));
    bench.pass_time(3h + 5min);
    const auto id = bench.service_ids(bench.list())[3];
    bench.change(id);
    // The whole list brings it; whatever is asked for afterwards does not.
    bool is_asked = false;
    bench.client.before_sending = [&](const std::string& target) {
        if (asks_changes(target) && !std::exchange(is_asked, true) && !comes_back) {
            bench.world()->edit("lib01", bench.list(), {.remove = {id}});
        }
    };
    bench.client.body_instead = [&](const std::string& target) {
        return asks_changes(target) ? std::optional<std::string>(no_rows) : std::nullopt;
    };
    REQUIRE(bench.sync(bench.table(), sync::Wanted::full).published->changed == 1);
    CHECK(is_asked);
    CHECK(bench.filter() == (comes_back && has_address ? "incomplete" : "obeyed"));
    // Where no address tells, the next look at the whole list does, also after a restart.
    if (GENERATE(false, true)) {
        bench.stop();
        bench.start();
        REQUIRE(bench.query("SELECT suspect_key IS NULL AND suspect_date IS NULL FROM _resources") ==
                (has_address ? "1" : "0"));
    }
    bench.sync(bench.table(), sync::Wanted::full);
    CHECK(bench.filter() == (comes_back ? "incomplete" : "obeyed"));
}

TEST_CASE("with no overlap at all a change is brought though its date shows minutes or days alone")
{
    const auto cut = GENERATE(as<std::string>(), "T00:00:00Z", ":00Z");
    INFO(cut);
    const auto shown = [cut](Instant at) { return at.to_text().substr(0, cut.starts_with('T') ? 10 : 16) + cut; };
    BenchOptions options;
    options.world.rows = 30;
    options.ordering = "";
    options.hour = 12;
    options.incremental = config::Incremental{"modified_date__gt", "modified_date"};
    options.incremental->overlap = 0s;
    options.prepare = [shown](sim::World& world) {
        sim::Edit edit;
        for (const auto* row : world.find_list(world.library("lib01"), "library/recipes")->ordered({})) {
            edit.change.push_back(
                *sim::parse_json(fmt::format(R"({{"id":{},"modified_date":"{}"}})", row->id, shown(row->modified))));
        }
        world.edit("lib01", "library/recipes", edit);
    };
    LibraryBench bench(options);
    bench.pass_time(1min);
    const auto ids = bench.service_ids();
    for (int time = 0; time < 4; ++time) {
        bench.pass_time(47s);
        REQUIRE(bench.sync().kind == sync::PassKind::incremental);
        bench.pass_time(3s);
        bench.world()->edit(
            "lib01", "library/recipes",
            {.change = {*sim::parse_json(fmt::format(R"({{"id":{},"name":"late {}","modified_date":"{}"}})", ids[5],
                                                     time, shown(bench.clock.now())))}});
        bench.pass_time(17s);
        CHECK(bench.sync().published->changed == 1);
    }
}
