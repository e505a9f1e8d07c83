// Lists of a service of any page length that says nowhere whether a page is the last one: in each kind of pass, no
// proof without all rows.
#include "app/library_bench.hpp"

#include "http/url.hpp"
#include "support/catch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

using namespace shelfd;
using namespace std::chrono_literals;

namespace {

enum class Form { array, frame, counts_its_page, counted };
enum class Obeys { page, page_from_0, offset, nothing };

struct Pages {
    const char* name;
    std::size_t cap;
    Form form;
};

constexpr auto pages = std::to_array<Pages>({
    {"array, 5 rows a page", 5, Form::array},
    {"frame, 12 rows a page", 12, Form::frame},
    {"array, 15 rows a page", 15, Form::array},
    {"frame, 15 rows a page", 15, Form::frame},
    {"frame that counts its page, 24 rows a page", 24, Form::counts_its_page},
});

// Answers for lists of rows, by name: the day of a window, the key of a parent, or "".
struct Shelf {
    std::size_t cap = 15;
    Form form = Form::array;
    Obeys obeys = Obeys::page;
    bool falls = false;  // newest first
    std::optional<std::size_t> empty_page = {};
    std::map<std::string, std::vector<int>> lists = {};
    std::vector<int> changed = {};  // what a filter for changes returns
    std::string changed_at = {};    // when it changed
    std::string day_of = {};        // of the rows of a list without a day as its name

    std::string page(const std::string& name, const http::Params& params) const
    {
        auto rows = rows_of(name, params);
        if (falls) {
            std::reverse(rows.begin(), rows.end());
        }
        auto begin = std::min(rows.size(), first_of(params));
        const auto end = std::min(rows.size(), begin + cap);
        begin = empty_page && begin == *empty_page * cap ? end : begin;
        std::string items;
        for (auto at = begin; at < end; ++at) {
            const auto& day = name.size() == 10 ? name : day_of;
            const bool is_changed = std::find(changed.begin(), changed.end(), rows[at]) != changed.end();
            items += fmt::format(R"({}{{"id":{},"date":"{}","modified_date":"{}"}})", items.empty() ? "" : ",",
                                 rows[at], day, is_changed ? changed_at : day + "T10:00:00Z");
        }
        switch (form) {
        case Form::array: return "[" + items + "]";
        case Form::frame: return R"({"results":[)" + items + "]}";
        case Form::counts_its_page: return fmt::format(R"({{"count":{},"results":[{}]}})", end - begin, items);
        case Form::counted: return fmt::format(R"({{"count":{},"next":null,"results":[{}]}})", rows.size(), items);
        }
        return "";
    }

private:
    std::vector<int> rows_of(const std::string& name, const http::Params& params) const
    {
        const auto asks = [&params](const char* param) {
            return std::any_of(params.begin(), params.end(), [param](const auto& one) { return one.name == param; });
        };
        const auto found = lists.find(name);
        if (found == lists.end()) {
            return {};
        }
        return asks("modified_date__gt") ? changed : found->second;
    }
    std::size_t first_of(const http::Params& params) const
    {
        const auto number = [&params](const char* name, std::size_t otherwise) {
            for (const auto& one : params) {
                if (one.name == name) {
                    std::from_chars(one.value.data(), one.value.data() + one.value.size(), otherwise);
                }
            }
            return otherwise;
        };
        switch (obeys) {
        case Obeys::page: return (std::max<std::size_t>(number("page", 1), 1) - 1) * cap;
        case Obeys::page_from_0: return number("page", 0) * cap;
        case Obeys::offset: return number("offset", 0);
        case Obeys::nothing: break;
        }
        return 0;
    }
};

std::vector<int> rows(int count, int first = 1)
{
    std::vector<int> ids;
    for (int id = first; id < first + count; ++id) {
        ids.push_back(id);
    }
    return ids;
}

// A table whose lists a shelf answers.
struct ShelfBench : LibraryBench {
    enum class Mode { full, incremental, by_parent, window };

    ShelfBench(Mode of, const Shelf& answers) : LibraryBench(options_for(of)), mode(of), shelf(answers)
    {
        table = mode == Mode::by_parent ? "stock" : mode == Mode::window ? "lines" : "units";
        shelf.day_of = day(0);
        client.body_instead = [this](const std::string& target) { return answer(target); };
    }

    std::string day(int before) const { return (clock.now() - before * 24h).to_text().substr(0, 10); }
    std::size_t count() const { return std::stoul(query("SELECT count(*) FROM " + table)); }
    std::size_t total() const
    {
        std::size_t all = 0;
        for (const auto& [name, ids] : shelf.lists) {
            all += ids.size();
        }
        return all;
    }
    std::string why() const { return query("SELECT why FROM freshness WHERE resource = '" + table + "'"); }
    std::string deletions() const { return query("SELECT count(*) FROM _changes WHERE op = 'delete'"); }
    bool is_proven() const
    {
        return query("SELECT proven_as_of IS NOT NULL FROM freshness WHERE resource = '" + table + "'") == "1";
    }
    std::size_t requests_of(Duration time)
    {
        const auto before = client.asked.size();
        pass_time(time);
        return static_cast<std::size_t>(
            std::count_if(client.asked.begin() + static_cast<std::ptrdiff_t>(before), client.asked.end(),
                          [this](const auto& target) { return name_of(target).has_value(); }));
    }

    Mode mode;
    Shelf shelf;
    std::string table;

private:
    static BenchOptions options_for(Mode mode)
    {
        BenchOptions options;
        options.ordering = "";
        options.every = 1h;
        options.hour = 12;
        options.exclude = {"url"};
        options.family = mode == Mode::by_parent ? "inventory" : mode == Mode::window ? "sales" : "library";
        options.resources = {mode == Mode::window ? "lines" : "units"};
        if (mode == Mode::by_parent) {
            options.resources = {"outlets", "stock"};
            options.parent = config::Parent{"outlets", "id", "outlet_id", {}, {}};
            options.world.rows_of["inventory/outlets"] = 7;
        }
        if (mode == Mode::window) {
            options.window =
                config::Window{.from = "date__gte",
                               .to = "date__lt",
                               .field = "date",
                               .step = 24h,
                               .since = (LibraryBench::beginning(options) - 6 * 24h).to_text().substr(0, 10),
                               .timezone = "UTC",
                               .back = 14 * 24h};
        }
        if (mode == Mode::incremental) {
            options.incremental = config::Incremental{"modified_date__gt", "modified_date"};
            options.full_every = 24h;
        }
        // As the service's own lists ignore all that they are asked, every question is answered 200.
        options.prepare = [](sim::World& world) {
            for (const auto* list : {"library/units", "sales/lines", "inventory/stock"}) {
                world.quirks(list).envelope = sim::Envelope::array;
            }
        };
        return options;
    }

    // Of the list that the target asks for; nothing: another one.
    std::optional<std::string> name_of(const std::string& target) const
    {
        const auto place = target.find("/" + table + "/");
        if (place == std::string::npos) {
            return std::nullopt;
        }
        if (mode == Mode::by_parent) {
            const auto begin = target.rfind('/', place - 1) + 1;
            return target.substr(begin, place - begin);
        }
        if (mode == Mode::window) {
            const auto from = target.find("date__gte=");
            const bool is_open = target.find("date__lt=") == std::string::npos;
            return from == std::string::npos || is_open ? std::string("to come") : target.substr(from + 10, 10);
        }
        return "";
    }

    std::optional<std::string> answer(const std::string& target) const
    {
        const auto name = name_of(target);
        const auto mark = target.find('?');
        return name ? std::optional(shelf.page(
                          *name, http::parse_query(mark == std::string::npos ? "" : target.substr(mark + 1))))
                    : std::nullopt;
    }
};

using Mode = ShelfBench::Mode;

}  // namespace

TEST_CASE("a list in pages of any length is read whole in each pass, also where the first one seen was just a page")
{
    const auto [name, cap, form] = GENERATE(from_range(pages));
    const auto obeys = GENERATE(Obeys::page, Obeys::page_from_0, Obeys::offset);
    INFO(name << ", " << static_cast<int>(obeys));
    ShelfBench bench(Mode::full, {.cap = cap, .form = form, .obeys = obeys});
    bench.shelf.lists[""] = rows(static_cast<int>(cap));
    bench.pass_time(3h);
    REQUIRE(bench.count() == cap);
    CHECK(bench.is_proven());
    bench.shelf.lists[""] = rows(static_cast<int>(cap) * 2 + 7);
    bench.pass_time(3h);
    CHECK(bench.count() == bench.total());
    CHECK(bench.why().empty());
    // And when rows are deleted again.
    bench.shelf.lists[""] = rows(static_cast<int>(cap) + 2, 4);
    bench.pass_time(6h);
    CHECK(bench.count() == bench.total());
}

TEST_CASE("lists by parent and windows in pages of any length are read whole, whatever their lengths before")
{
    const auto mode = GENERATE(Mode::by_parent, Mode::window);
    const auto [name, cap, form] = GENERATE(from_range(pages));
    const bool falls = GENERATE(false, true);
    const bool begins_with_a_page = GENERATE(false, true);
    INFO((mode == Mode::window ? "windows, " : "by parent, ") << name);
    ShelfBench bench(mode, {.cap = cap, .form = form, .falls = falls});
    const auto page = static_cast<int>(cap);
    // The newest window, and the first parent, come first.
    const std::vector<int> lengths =
        begins_with_a_page ? std::vector{page, 40, page, 33, 15, 16, 20} : std::vector{40, page, 40, page, 33, 16, 7};
    const auto outlets = bench.service_ids("inventory/outlets");
    int first = 1;
    for (std::size_t at = 0; at < lengths.size(); ++at) {
        const auto list = mode == Mode::window ? bench.day(static_cast<int>(at)) : std::to_string(outlets[at]);
        bench.shelf.lists[list] = rows(lengths[at], first);
        first += lengths[at];
    }
    bench.pass_time(5h);
    CHECK(bench.count() == bench.total());
    CHECK(bench.is_proven());
    CHECK(bench.query("SELECT count(*) FROM _slices WHERE proven_as_of IS NULL") == "0");
    CHECK(bench.why().empty());
    // One that was just a page grows.
    bench.shelf.lists[mode == Mode::window ? bench.day(0) : std::to_string(outlets[0])] = rows(40, 1000);
    bench.pass_time(3h);
    CHECK(bench.query("SELECT count(*) FROM " + bench.table + " WHERE id >= 1000") == "40");
}

TEST_CASE("a pass for changes in pages of any length returns them all, also where the list was just a page")
{
    const auto [name, cap, form] = GENERATE(from_range(pages));
    const bool falls = GENERATE(false, true);
    INFO(name);
    ShelfBench bench(Mode::incremental, {.cap = cap, .form = form, .falls = falls});
    bench.shelf.lists[""] = rows(static_cast<int>(cap));
    bench.pass_time(2h);
    REQUIRE(bench.count() == cap);
    bench.shelf.lists[""] = rows(static_cast<int>(cap) + 60);
    bench.shelf.changed = rows(60, static_cast<int>(cap) + 1);
    bench.shelf.changed_at = bench.clock.now().to_text();
    bench.pass_time(3h);
    CHECK(bench.count() == cap + 60);
    CHECK(bench.query("SELECT sum(added) FROM _runs WHERE mode = 'incremental'") == "60");
}

TEST_CASE("a list of any length that obeys nothing is not proven and loses no row, until somebody vouches for it")
{
    const auto [name, cap, form] = GENERATE(from_range(pages));
    const auto mode = GENERATE(Mode::full, Mode::incremental, Mode::by_parent, Mode::window);
    INFO(name << ", " << static_cast<int>(mode));
    ShelfBench bench(mode, {.cap = cap, .form = form, .obeys = Obeys::nothing, .falls = true});
    const auto list = mode == Mode::window      ? bench.day(0)
                      : mode == Mode::by_parent ? std::to_string(bench.service_ids("inventory/outlets").front())
                                                : "";
    bench.shelf.lists[list] = rows(50);
    bench.pass_time(3h);
    CHECK(bench.count() == cap);
    CHECK_FALSE(bench.is_proven());
    CHECK(bench.why().find("answers = \"whole\"") != std::string::npos);
    // A new row pushes another one out.
    bench.shelf.lists[list] = rows(51);
    bench.pass_time(9h);
    CHECK(bench.count() == cap + 1);
    CHECK(bench.deletions() == "0");
    CHECK_FALSE(bench.is_proven());
    // No row is no better proof than one row.
    for (const int length : {1, 0}) {
        bench.shelf.lists[list] = rows(length, 51);
        bench.pass_time(9h);
        INFO(length);
        CHECK(bench.count() == cap + 1);
        CHECK(bench.deletions() == "0");
        CHECK(bench.why().find("answers = \"whole\"") != std::string::npos);
        CHECK((mode == Mode::window || !bench.is_proven()));  // windows of other days may be proven
    }
}

TEST_CASE("a list that obeys nothing and grows up to what the service returns at most is not proven")
{
    ShelfBench bench(Mode::full, {.cap = 15, .obeys = Obeys::nothing});
    bench.shelf.lists[""] = rows(12);
    bench.pass_time(3h);
    bench.shelf.lists[""] = rows(40);
    bench.pass_time(9h);
    CHECK(bench.count() == 15);
    CHECK_FALSE(bench.is_proven());
}

TEST_CASE("a short list that obeys nothing is whole: no service returns fewer than five rows at most")
{
    ShelfBench bench(Mode::full, {.obeys = Obeys::nothing});
    bench.shelf.lists[""] = rows(3);
    bench.pass_time(3h);
    CHECK(bench.is_proven());
    CHECK(bench.why().empty());
}

TEST_CASE("lists by parent that obey nothing are whole as long as another one is longer")
{
    ShelfBench bench(Mode::by_parent, {.cap = 100, .obeys = Obeys::nothing});
    const auto outlets = bench.service_ids("inventory/outlets");
    int first = 1;
    for (const int length : {31, 7, 12, 15, 20, 3, 30}) {
        bench.shelf.lists[std::to_string(outlets[bench.shelf.lists.size()])] = rows(length, first);
        first += length;
    }
    bench.pass_time(3h);
    CHECK(bench.count() == bench.total());
    CHECK(bench.why().find("the list returned 31 rows") != std::string::npos);
    CHECK(bench.query("SELECT group_concat(rows) FROM _slices WHERE resource = 'stock' AND proven_as_of IS NULL") ==
          "31");
}

TEST_CASE("a counted list whose first page is 0 is read whole in each pass, whatever its next says")
{
    const int count = GENERATE(30, 40, 50);
    ShelfBench bench(Mode::full, {.cap = 20, .form = Form::counted, .obeys = Obeys::page_from_0});
    bench.shelf.lists[""] = rows(count);
    bench.pass_time(150min);
    CHECK(bench.count() == static_cast<std::size_t>(count));
    CHECK(bench.query("SELECT further FROM _resources") == "page_from_0");
    // The rows of all pages change.
    bench.shelf.day_of = bench.day(1);
    bench.pass_time(150min);
    CHECK(bench.query("SELECT count(*) FROM units WHERE date = '" + bench.day(1) + "'") == std::to_string(count));
    CHECK(bench.is_proven());
    CHECK(bench.why().empty());
}

TEST_CASE("a page without rows is not the end where rows follow it")
{
    const auto form = GENERATE(Form::array, Form::frame, Form::counted);
    const auto obeys = GENERATE(Obeys::page, Obeys::page_from_0, Obeys::offset);
    const std::size_t empty_page = GENERATE(1, 2);
    INFO(static_cast<int>(form) << " " << static_cast<int>(obeys) << " " << empty_page);
    ShelfBench bench(Mode::full, {.cap = 20, .form = form, .obeys = obeys, .empty_page = empty_page});
    bench.shelf.lists[""] = rows(75);
    bench.pass_time(3h);
    CHECK(bench.count() == 55);
    if (form != Form::counted) {
        CHECK(bench.is_proven());
        bench.shelf.lists[""] = rows(75, 2);
        bench.pass_time(3h);
        CHECK(bench.count() == 55);
    }
}

TEST_CASE("a list that is whole costs no more requests than before, once it is known how it ends")
{
    struct Row {
        const char* name;
        Obeys obeys;
        bool falls;
        std::size_t requests;  // of a pass
    };
    const auto row = GENERATE(values<Row>({
        {"newest first, pages", Obeys::page, true, 1},
        {"newest first, offset", Obeys::offset, true, 1},
        // As long as the longest page seen, and a new row comes last: only the next page shows that there is none.
        {"oldest first, pages", Obeys::page, false, 2},
    }));
    INFO(row.name);
    ShelfBench bench(Mode::full, {.cap = 100, .obeys = row.obeys, .falls = row.falls});
    bench.shelf.lists[""] = rows(37);
    bench.pass_time(170min);
    CHECK(bench.requests_of(3h) == 3 * row.requests);
    // A shorter one is whole for certain.
    bench.shelf.lists[""] = rows(35);
    bench.pass_time(3h);
    CHECK(bench.requests_of(3h) == 3);
    CHECK(bench.count() == 35);
    bench.shelf.lists[""] = rows(36);
    CHECK(bench.requests_of(3h) == 3);
    CHECK(bench.count() == 36);
    CHECK(bench.is_proven());
}
