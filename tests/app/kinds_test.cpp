// Lists of every kind, walked ahead, and asked for what changed only.
#include "app/library_bench.hpp"

#include "support/catch.hpp"

#include <fmt/format.h>

#include <algorithm>

using namespace shelfd;
using namespace std::chrono_literals;

namespace {

BenchOptions of(const std::string& family, const std::string& name, std::size_t rows, std::uint32_t page_size)
{
    BenchOptions options;
    options.family = family;
    options.resources = {name};
    options.world.rows_of[family + "/" + name] = rows;
    options.page_size = page_size;
    options.ordering = "";
    return options;
}

BenchOptions incremental(std::size_t rows = 50)
{
    auto options = of("library", "recipes", rows, 20);
    options.incremental =
        config::Incremental{"modified_date__gt", "modified_date", config::Incremental::Format::datetime, 5min};
    return options;
}

std::size_t list_requests(LibraryBench& bench)
{
    return bench.world()->audit_report().count("GET", "/api/v2/library/");
}

sim::Json change(std::int64_t id, const std::string& name)
{
    return *sim::parse_json(R"({"id":)" + std::to_string(id) + R"(,"name":")" + name + R"("})");
}

}  // namespace

TEST_CASE("every kind of list is mirrored whole, and proven as its kind can be")
{
    struct Row {
        const char* family;
        const char* name;
        std::size_t rows;
        sync::ProofKind first;   // of the first pass
        sync::ProofKind second;  // of the next one
    };
    using enum sync::ProofKind;
    const auto row = GENERATE(values<Row>({
        {"library", "recipes", 95, newest_first, newest_first},
        {"procurement", "suppliers", 95, newest_first, newest_first},
        {"procurement", "orders", 95, chain, chain},
        {"library", "units", 30, single_page, single_page},
        {"library", "ingredients", 7, single_page, single_page},
        {"media", "files", 0, single_page, single_page},
    }));
    SECTION(std::string(row.family) + "/" + row.name)
    {
        LibraryBench bench(of(row.family, row.name, row.rows, 10));
        const auto list = std::string(row.family) + "/" + row.name;
        CHECK(bench.sync(row.name).proof.kind == row.first);
        CHECK(bench.ids(row.name) == bench.service_ids(list));
        CHECK(bench.ids(row.name).size() == row.rows);
        const auto second = bench.sync(row.name);
        CHECK(second.proof.kind == row.second);
        CHECK(second.published->unchanged == row.rows);
    }
}

TEST_CASE("a bare array that the service cuts is asked for the rest, page by page, and deletes nothing unproven")
{
    struct Row {
        const char* name;
        std::size_t rows;
        bool has_pages;
        bool denies;             // pages beyond the end are answered 404, not with []
        std::uint64_t requests;  // of a pass that finds nothing new
        bool is_proven = true;
    };
    const auto row = GENERATE(values<Row>({
        {"shorter than a page, as long as any before", 7, true, false, 2},
        {"two pages and a half", 25, true, false, 3},
        {"two pages", 20, true, false, 3},
        {"one page", 10, true, false, 2},
        {"one page, and another is denied", 10, true, true, 2},
        {"as long as a page by chance, without pages", 10, false, false, 1, false},
        {"longer than a page, of a length at which services cut, without pages", 25, false, false, 1, false},
        {"longer than a page, without pages", 27, false, false, 1, false},
    }));
    INFO(row.name);
    LibraryBench bench(of("library", "units", 1, 10));
    std::size_t rows = row.rows;
    const auto page_of = [&row](const std::string& target) {
        const auto at = target.find("page=");
        const bool is_behind = at != std::string::npos && target[at - 1] != '_' && row.has_pages;
        return is_behind ? std::stoul(target.substr(at + 5)) : 1;
    };
    bench.client.body_instead = [&](const std::string& target) -> std::optional<std::string> {
        if (target.find("/units/") == std::string::npos) {
            return std::nullopt;
        }
        const auto page = page_of(target);
        const auto length = row.has_pages ? 10 : rows;
        std::string body;
        for (auto id = (page - 1) * length; id < std::min(rows, page * length); ++id) {
            body += (body.empty() ? "" : ",") + fmt::format(R"({{"id":{}}})", id + 1);
        }
        return "[" + body + "]";
    };
    bench.client.refuses = [&](const std::string& target) -> std::optional<int> {
        const bool is_behind_all = target.find("/units/") != std::string::npos && (page_of(target) - 1) * 10 >= rows;
        return row.denies && is_behind_all ? std::optional(404) : std::nullopt;
    };
    REQUIRE(bench.sync("units").published);
    CHECK(bench.ids("units").size() == row.rows);
    bench.sync("units");
    bench.pass_time(1min);  // of several pages that nobody counts, one more walk follows at once
    const auto again = *bench.unit->tables().lists().front()->report().last_pass;
    CHECK(again.proof.complete() == row.is_proven);
    CHECK(again.spent.of(budget::Reason::page) + again.spent.of(budget::Reason::closing) == row.requests);
    // A list that grows over the end of its first page.
    rows += 30;
    bench.sync("units");
    CHECK(bench.ids("units").size() == rows);
    CHECK(bench.query("SELECT count(*) FROM _changes WHERE op = 'delete'") == "0");
}

TEST_CASE("a bare array whose next page has an address that cannot be followed is not taken for the whole list")
{
    LibraryBench bench(of("library", "units", 30, 10));
    bench.pass_time(1s);
    REQUIRE(bench.ids("units").size() == 30);
    sim::Fault paged;
    paged.path = "/api/v2/library/units/";
    paged.times = std::nullopt;
    paged.body = R"([{"id":1}])";
    paged.headers = {{"Link", R"(<http://service.test/api/v2/library/units/pages/2>; rel="next")"}};
    bench.world()->faults.add(paged);
    const auto pass = bench.sync("units");
    CHECK_FALSE(pass.published);
    CHECK(pass.trouble == sync::Trouble::needs_person);
    CHECK(bench.ids("units").size() == 30);
    CHECK(bench.status("units").why.find("the address of its next page, in its header Link") != std::string::npos);
}

TEST_CASE("a list by offset is asked for long pages from its second page on, and then from its first")
{
    LibraryBench bench(of("procurement", "suppliers", 95, 50));
    bench.pass_time(1s);
    CHECK(bench.unit->tables().lists().front()->report().last_pass->pages == 3);
    CHECK(bench.query("SELECT envelope FROM _resources") == "offset");
    CHECK(bench.sync("suppliers").pages == 2);
    CHECK(bench.sync("suppliers").pages == 2);
    CHECK(bench.ids("suppliers") == bench.service_ids("procurement/suppliers"));
}

TEST_CASE("a list that ignores the order is proven by a second walk, which follows at once")
{
    auto options = of("library", "recipes", 95, 10);
    LibraryBench bench(options);
    bench.world()->quirks("library/recipes").ignores_ordering = true;
    bench.world()->edit("lib01", "library/recipes",
                        {.change = {*sim::parse_json(R"({"id":3,"created_date":"2031-01-01T00:00:00Z"})")}});
    bench.pass_time(20min);
    const auto report = *bench.unit->tables().lists().front()->report().last_pass;
    CHECK(report.proof.kind == sync::ProofKind::two_walks);
    CHECK(bench.ids() == bench.service_ids());
    CHECK(bench.query("SELECT ordering FROM _resources") == "ignored");
    CHECK(bench.query("SELECT group_concat(kind) FROM (SELECT kind FROM _proofs ORDER BY rowid LIMIT 2)") ==
          "none,two_walks");
}

TEST_CASE(
    "a list in whatever order that counts is walked once a turn while nothing moves, and not believed when it does")
{
    auto options = of("library", "recipes", 95, 10);
    options.every = 1h;
    options.prepare = [](sim::World& world) {
        world.quirks("library/recipes").ignores_ordering = true;
        world.edit("lib01", "library/recipes",
                   {.change = {*sim::parse_json(R"({"id":3,"created_date":"2031-01-01T00:00:00Z"})")}});
    };
    LibraryBench bench(options);
    bench.pass_time(1min);
    const auto requests = [&bench] { return bench.world()->audit_report().count("GET", "/api/v2/library/recipes/"); };
    auto before = requests();
    CHECK(bench.sync().proof.kind == sync::ProofKind::two_walks);
    bench.pass_time(1min);
    CHECK(requests() - before == 10);
    // A row came at the end, and one of the front goes while the walk is on page 5.
    before = requests();
    const auto first = bench.service_ids().front();
    bench.world()->edit("lib01", "library/recipes", {.add_seeded = 1});
    bench.world()->edit_after("lib01", "library/recipes", 5, {.remove = {first}});
    CHECK_FALSE(bench.sync().proof.complete());
    bench.pass_time(1min);
    CHECK(bench.unit->tables().lists().front()->report().last_pass->proof.kind == sync::ProofKind::two_walks);
    CHECK(bench.ids() == bench.service_ids());
}

TEST_CASE("a list by page numbers that counts nothing loses no row that was shifted past its walk")
{
    auto options = of("library", "recipes", 95, 10);
    options.every = 1h;
    const bool ordered = GENERATE(true, false);
    INFO((ordered ? "newest keys first" : "in the service's order"));
    options.prepare = [ordered](sim::World& world) {
        auto& quirks = world.quirks("library/recipes");
        quirks.omits_count = true;
        quirks.ignores_ordering = !ordered;
        if (!ordered) {
            world.edit("lib01", "library/recipes",
                       {.change = {*sim::parse_json(R"({"id":3,"created_date":"2031-01-01T00:00:00Z"})")}});
        }
        // Above the place of reading: row 66, the first of page 4, moves to page 3, which was read.
        world.edit_after("lib01", "library/recipes", 3, {.remove = {90}});
    };
    LibraryBench bench(options);
    bench.pass_time(1s);
    CHECK(bench.query("SELECT group_concat(kind) FROM (SELECT kind FROM _proofs ORDER BY rowid)") ==
          "none,none,two_walks");
    const auto& report = *bench.unit->tables().lists().front()->report().last_pass;
    CHECK(report.pages == 10);
    CHECK(bench.query("SELECT count(*) FROM recipes WHERE id IN (65, 66)") == "2");
    CHECK(bench.query("SELECT envelope FROM _resources") == "uncounted");
    // Unchanged, each further walk is equal to the one before it. In whatever order, that was too long ago: a row that
    // came since may have been passed over, and one more walk follows at once.
    const auto before = bench.world()->audit_report().count("GET", "/api/v2/library/recipes/");
    CHECK(bench.sync().proof.kind == (ordered ? sync::ProofKind::two_walks : sync::ProofKind::none));
    bench.pass_time(1min);
    CHECK(bench.unit->tables().lists().front()->report().last_pass->proof.kind == sync::ProofKind::two_walks);
    CHECK(bench.world()->audit_report().count("GET", "/api/v2/library/recipes/") - before == (ordered ? 10 : 20));
    bench.sync();
    CHECK(bench.ids() == bench.service_ids());
}

TEST_CASE(
    "a list whose count never fits its rows is walked once a turn while it is what it was, and again when it changed")
{
    auto options = of("library", "recipes", 95, 10);
    options.every = 1h;
    options.prepare = [](sim::World& world) { world.quirks("library/recipes").count_offset = 3; };
    LibraryBench bench(options);
    const auto walks = [&bench] { return bench.query("SELECT count(*) FROM _runs WHERE result = 'published'"); };
    bench.pass_time(50min);
    CHECK(walks() == "2");
    bench.pass_time(3h);
    CHECK(walks() == "5");
    bench.world()->edit("lib01", "library/recipes", {.add_seeded = 1});
    bench.pass_time(1h);
    CHECK(walks() == "7");
    CHECK(bench.ids() == bench.service_ids());
    bench.world()->quirks("library/recipes").count_offset = 0;
    bench.pass_time(1h);
    CHECK(walks() == "8");
    CHECK(bench.unit->tables().lists().front()->report().last_pass->proof.complete());
}

TEST_CASE("pages whose numbers are known are fetched ahead, and no page is asked for twice")
{
    LibraryBench bench(of("library", "recipes", 200, 10));
    bench.pass_time(1s);
    sim::Fault slow;
    slow.path = "/api/v2/library/";
    slow.times = std::nullopt;
    slow.delay = 1s;
    bench.world()->faults.add(slow);
    const auto before = list_requests(bench);
    const auto began = bench.clock.now();
    const auto report = bench.sync();
    const auto took = bench.clock.now() - began;
    REQUIRE(report.published);
    CHECK(report.pages == 20);
    CHECK(report.requests() == 21);  // the closing look included
    CHECK(list_requests(bench) - before <= 23);
    // 20 pages of a second each, 8 at a time behind the first.
    CHECK(took >= 4s);
    CHECK(took <= 7s);
    CHECK(bench.ids() == bench.service_ids());
}

TEST_CASE("a set that expires while several pages are under way is refreshed by one POST")
{
    LibraryBench bench(of("library", "recipes", 200, 10));
    bench.pass_time(1s);
    const auto posts = bench.world()->audit_report().token_posts;
    const auto failed = bench.unit->tables().lists().front()->report().passes_failed;
    sim::Fault slow;
    slow.path = "/api/v2/library/";
    slow.times = std::nullopt;
    slow.delay = 1s;
    bench.world()->faults.add(slow);
    bench.unit->tables().lists().front()->request_pass();
    while (!bench.status().running || bench.status().running->page < 4) {
        REQUIRE(bench.clock.advance_to_next());
    }
    bench.world()->expire_access("lib01");
    bench.pass_time(1min);
    CHECK(bench.ids() == bench.service_ids());
    CHECK(bench.world()->audit_report().token_posts == posts + 1);
    CHECK(bench.world()->audit_report().reuses_of_spent == 0);
    CHECK(bench.unit->tables().lists().front()->report().passes_failed == failed);
}

TEST_CASE("between full passes only what changed is asked for, and deletions wait for the full one")
{
    LibraryBench bench(incremental());
    bench.pass_time(1min);
    CHECK(bench.unit->tables().lists().front()->report().last_pass->kind == sync::PassKind::full);
    const auto ids = bench.service_ids();
    bench.world()->edit("lib01", "library/recipes",
                        {.change = {change(ids[7], "other")}, .remove = {ids[3]}, .add_seeded = 2});
    const auto second = bench.sync();
    CHECK(second.kind == sync::PassKind::incremental);
    REQUIRE(second.published);
    CHECK(second.published->changed == 1);
    CHECK(second.published->added == 2);
    CHECK(second.published->deleted == 0);
    CHECK(second.spent.of(budget::Reason::page) == 1);
    CHECK(bench.ids().size() == 52);
    REQUIRE(bench.status().last_run);
    CHECK(bench.status().last_run->mode == "incremental");
    CHECK_FALSE(bench.status().last_run->proven);
    CHECK(bench.query("SELECT filter FROM _resources") == "obeyed");
    CHECK(bench.query("SELECT proven_as_of < as_of FROM freshness") == "1");
    CHECK(bench.status().state == control::State::fresh);

    bench.pass_time(50h);
    CHECK(bench.ids() == bench.service_ids());
    CHECK(bench.query("SELECT count(*) FROM _runs WHERE mode = 'full' AND result = 'published'") == "3");
    CHECK(bench.query("SELECT count(*) > 150 FROM _runs WHERE mode = 'incremental'") == "1");
}

TEST_CASE("a page that is broken for ever keeps the whole walk from its end, and not what changes from coming")
{
    LibraryBench bench(incremental());
    bench.pass_time(1min);
    bench.client.body_instead = [](const std::string& target) {
        const bool is_broken = target.find("page=2") != std::string::npos;
        return is_broken ? std::optional<std::string>("<html>") : std::nullopt;
    };
    bench.pass_time(25h);
    const auto ids = bench.service_ids();
    bench.world()->edit("lib01", "library/recipes", {.change = {change(ids[7], "other")}});
    bench.pass_time(2h);
    CHECK(bench.query("SELECT name FROM recipes WHERE id = " + std::to_string(ids[7])) == "other");
    const auto tries = bench.query("SELECT count(*) FROM _runs WHERE mode = 'full' AND result != 'published'");
    CHECK(tries >= "3");
    CHECK(tries <= "6");
    bench.client.body_instead = [](const std::string&) { return std::nullopt; };
    bench.pass_time(5h);
    CHECK(bench.query("SELECT mode FROM _runs WHERE started_at > (SELECT max(started_at) FROM _runs WHERE result != "
                      "'published') AND mode = 'full'") == "full");
}

TEST_CASE("a first page that is broken for ever keeps the whole walk from its begin, and not what changes from coming")
{
    LibraryBench bench(incremental());
    bench.pass_time(1min);
    bench.client.body_instead = [](const std::string& target) {
        const bool is_list = target.find("/recipes/") != std::string::npos;
        const bool is_whole = target.find("modified_date__gt") == std::string::npos;
        return is_list && is_whole ? std::optional<std::string>("<html>") : std::nullopt;
    };
    bench.pass_time(25h);
    const auto ids = bench.service_ids();
    bench.world()->edit("lib01", "library/recipes", {.change = {change(ids[7], "other")}});
    bench.pass_time(1h);
    CHECK(bench.query("SELECT name FROM recipes WHERE id = " + std::to_string(ids[7])) == "other");
    CHECK(bench.query("SELECT count(*) BETWEEN 3 AND 12 FROM _runs WHERE mode = 'full' AND result != 'published'") ==
          "1");
    bench.client.body_instead = [](const std::string&) { return std::nullopt; };
    bench.pass_time(30min);
    CHECK(bench.query("SELECT count(*) FROM _runs WHERE mode = 'full' AND result = 'published'") == "2");
}

TEST_CASE("behind a page that the service named and then does not know nothing is proven, and what was read is there")
{
    LibraryBench bench(of("library", "recipes", 50, 20));
    bench.pass_time(10min);
    REQUIRE(bench.query("SELECT count(*) FROM recipes") == "50");
    sim::Fault fault;
    fault.path = "/api/v2/library/recipes/";
    fault.skip = 1;
    fault.times = std::nullopt;  // what was asked for ahead and failed is asked for again
    fault.acts = false;
    fault.status = GENERATE(404, 410);  // the list may have shrunk
    fault.body = R"({"detail":"Invalid page."})";
    bench.world()->faults.add(fault);
    bench.world()->edit("lib01", "library/recipes", {.add_seeded = 1});
    const auto cut = bench.sync();
    bench.world()->faults.clear();
    REQUIRE(cut.published);
    CHECK(cut.published->added == 1);
    CHECK_FALSE(cut.proof.complete());
    CHECK(cut.remark.find(fmt::format("page 2 of the list was answered {}, although", *fault.status)) == 0);
    CHECK(bench.ids() == bench.service_ids());
    const auto next = bench.sync();
    CHECK(next.proof.complete());
    CHECK(next.recalled == 0);
    CHECK(next.remark.empty());
}

TEST_CASE("an incremental pass reaches back behind the start of the last one, by the service's own clock")
{
    LibraryBench bench(incremental());
    const Duration behind = 20min;
    bench.client.date_ahead = -behind;
    bench.pass_time(1min);
    const auto ids = bench.service_ids();
    // Changed by a transaction that began before the pass and committed after it: its date lies behind the pass.
    const auto date = (bench.clock.now() - behind - 2min).to_text();
    bench.world()->edit("lib01", "library/recipes",
                        {.change = {*sim::parse_json(R"({"id":)" + std::to_string(ids[5]) +
                                                     R"(,"name":"late","modified_date":")" + date + R"("})")}});
    bench.pass_time(1min);
    CHECK(bench.sync().published->changed == 1);
}

TEST_CASE("a personal token is asked before each pass whose library it acts on now, however lately that was known")
{
    auto options = incremental();
    options.world.libraries = 2;
    options.configure = [](config::Library& library) { library.application.token_kind = config::TokenKind::personal; };
    LibraryBench bench(options);
    bench.pass_time(1min);
    REQUIRE(bench.sync().kind == sync::PassKind::incremental);
    const auto before = bench.mirror_rows("recipes");
    bench.world()->set("lib01").acts_on = 1;
    const auto other = bench.sync();
    CHECK(other.trouble == sync::Trouble::wrong_library);
    CHECK_FALSE(other.published);
    CHECK(bench.mirror_rows("recipes") == before);
    bench.world()->set("lib01").acts_on = 0;
    CHECK(bench.sync().published);
}

TEST_CASE("changes on several pages whose order proves nothing are asked for until two walks met the same")
{
    auto options = incremental();
    options.ordering = "name";
    LibraryBench bench(options);
    bench.pass_time(1min);
    sim::Edit edit;
    for (const auto id : bench.service_ids()) {
        edit.change.push_back(*sim::parse_json(fmt::format(R"({{"id":{},"name":"other {}"}})", id, id)));
    }
    bench.world()->edit("lib01", "library/recipes", edit);
    const auto first = bench.sync();
    REQUIRE(first.kind == sync::PassKind::incremental);
    REQUIRE(first.pages > 1);
    CHECK_FALSE(first.proof.complete());
    const auto second = bench.sync();
    REQUIRE(second.kind == sync::PassKind::incremental);
    CHECK(second.proof.kind == sync::ProofKind::two_walks);
    bench.pass_time(10min);
    bench.sync();
    bench.pass_time(10min);
    CHECK(bench.sync().pages == 1);
}

TEST_CASE("a filter whose try tells nothing is tried seldom, and status says so")
{
    LibraryBench bench(incremental());
    bench.client.body_instead = [](const std::string& target) {
        return target.find("modified_date__gt") != std::string::npos ? std::optional<std::string>("<html>")
                                                                     : std::nullopt;
    };
    const auto before = bench.client.asked.size();
    bench.pass_time(48h);
    const auto is_try = [](const std::string& target) { return target.find("modified_date__gt") != std::string::npos; };
    const auto tries = std::count_if(bench.client.asked.begin() + static_cast<std::ptrdiff_t>(before),
                                     bench.client.asked.end(), is_try);
    CHECK(tries >= 4);
    CHECK(tries <= 16);
    CHECK(bench.status().why.find("the filter modified_date__gt cannot be tested") == 0);
}

TEST_CASE("a filter that the service ignores is not relied on, and status says so")
{
    LibraryBench bench(incremental());
    bench.pass_time(1min);
    bench.world()->quirks("library/recipes").ignores_filters = true;
    const auto ids = bench.service_ids();
    bench.world()->edit("lib01", "library/recipes", {.remove = {ids[3]}});
    CHECK(bench.sync().kind == sync::PassKind::full);
    CHECK(bench.sync().kind == sync::PassKind::full);
    CHECK(bench.ids() == bench.service_ids());
    CHECK(bench.status().why.find("ignores the filter modified_date__gt") != std::string::npos);
    CHECK(bench.status().state == control::State::fresh);

    // It is tried again after a week.
    bench.world()->quirks("library/recipes").ignores_filters = false;
    bench.pass_time(8 * 24h);
    CHECK(bench.unit->tables().lists().front()->report().last_pass->kind == sync::PassKind::incremental);
    CHECK(bench.status().why.empty());
}

TEST_CASE("a filter that is not obeyed any more is noticed by the rows that come, before anybody tries it again")
{
    LibraryBench bench(incremental());
    bench.pass_time(1min);
    REQUIRE(bench.sync().kind == sync::PassKind::incremental);
    bench.world()->quirks("library/recipes").ignores_filters = true;
    const auto ids = bench.service_ids();
    bench.world()->edit("lib01", "library/recipes", {.remove = {ids[3]}});
    const auto noticing = bench.sync();
    CHECK(noticing.kind == sync::PassKind::incremental);
    CHECK(noticing.published);
    CHECK(bench.status().why.find("ignores the filter modified_date__gt") != std::string::npos);
    CHECK(bench.log_lines.back().find("recipes") != std::string::npos);
    CHECK(std::any_of(bench.log_lines.begin(), bench.log_lines.end(), [](const std::string& line) {
        return line.find("a row came whose modified_date is ") != std::string::npos;
    }));
    CHECK(bench.sync().kind == sync::PassKind::full);
    bench.sync();
    CHECK(bench.ids() == bench.service_ids());
}

TEST_CASE("a filter that is refused in mid-week is tried at once, and every pass walks the whole list")
{
    LibraryBench bench(incremental());
    bench.pass_time(1min);
    REQUIRE(bench.sync().kind == sync::PassKind::incremental);
    REQUIRE(bench.query("SELECT ordering || ' ' || filter FROM _resources") == "obeyed obeyed");
    sim::Fault refusal;
    refusal.path = "/api/v2/library/recipes/";
    refusal.times = 3;  // the pass for changes, the same without the order, the try of the filter
    refusal.status = 400;
    refusal.acts = false;
    refusal.body = R"({"modified_date__gt":["Unknown filter."]})";
    refusal.content_type = "application/json";
    bench.world()->faults.add(refusal);
    CHECK(bench.sync().trouble == sync::Trouble::needs_person);
    CHECK(bench.query("SELECT ordering FROM _resources") == "obeyed");  // the plain query was refused as well
    bench.world()->edit("lib01", "library/recipes", {.add_seeded = 2});
    const auto next = bench.sync();
    CHECK(next.kind == sync::PassKind::full);
    CHECK(next.published);
    CHECK(bench.query("SELECT ordering || ' ' || filter FROM _resources") == "obeyed refused");
    CHECK(bench.status().why.find("refuses the filter modified_date__gt") != std::string::npos);
    CHECK(bench.ids() == bench.service_ids());
}

TEST_CASE("a filter that passes are refused with, though its try goes well, is done without")
{
    LibraryBench bench(incremental());
    bench.pass_time(1min);
    REQUIRE(bench.sync().kind == sync::PassKind::incremental);
    sim::Fault refusal;
    refusal.path = "/api/v2/library/recipes/";
    refusal.times = 2;  // the pass for changes, the same without the order
    refusal.status = 400;
    refusal.acts = false;
    refusal.body = R"({"modified_date__gt":["Too long ago."]})";
    refusal.content_type = "application/json";
    for (const std::size_t skip : {0U, 1U}) {  // the try
        refusal.skip = skip;
        bench.world()->faults.add(refusal);
        const auto refused = bench.sync();
        CHECK(refused.kind == sync::PassKind::incremental);
        CHECK(refused.trouble == sync::Trouble::needs_person);
    }
    bench.world()->edit("lib01", "library/recipes", {.add_seeded = 2});
    CHECK(bench.sync().kind == sync::PassKind::full);
    CHECK(bench.status().why.find("refuses the filter modified_date__gt") != std::string::npos);
    CHECK(bench.ids() == bench.service_ids());
}

TEST_CASE("another kind of answer is a fault that changes nothing until a person takes it")
{
    LibraryBench bench(of("library", "recipes", 40, 10));
    bench.sync();
    const auto before = bench.ids();
    bench.world()->quirks("library/recipes").envelope = sim::Envelope::array;
    bench.world()->edit("lib01", "library/recipes", {.add_seeded = 3});
    const auto refused = bench.sync();
    CHECK_FALSE(refused.published);
    CHECK(refused.why.find("shelfctl sync lib01 recipes --full") != std::string::npos);
    CHECK(bench.ids() == before);
    CHECK(bench.status().state == control::State::needs_person);
    CHECK(bench.sync("recipes", sync::Wanted::full_by_person).published);
    CHECK(bench.ids() == bench.service_ids());
    CHECK(bench.sync().published);
}

TEST_CASE("with no overlap at all a row that is stamped with the second in which the last pass began is brought")
{
    auto options = incremental();
    options.incremental->overlap = 0s;
    LibraryBench bench(options);
    bench.pass_time(1min);
    REQUIRE(bench.sync().kind == sync::PassKind::incremental);
    const auto ids = bench.service_ids();
    for (int time = 0; time < 4; ++time) {
        bench.pass_time(17s);
        REQUIRE(bench.sync().kind == sync::PassKind::incremental);
        const auto second = bench.clock.now().to_short_text();
        bench.world()->edit("lib01", "library/recipes",
                            {.change = {*sim::parse_json(fmt::format(
                                 R"({{"id":{},"name":"late {}","modified_date":"{}"}})", ids[5], time, second))}});
        bench.pass_time(17s);
        CHECK(bench.sync().published->changed == 1);
    }
}

TEST_CASE("with no overlap at all a change that was made while the service worked at an answer is brought")
{
    auto options = incremental();
    options.incremental->overlap = 0s;
    LibraryBench bench(options);
    bench.pass_time(1min);
    sim::Fault slow;
    slow.path = "/api/v2/library/recipes/";
    slow.times = std::nullopt;
    slow.delay = 8s;
    bench.world()->faults.add(slow);
    bench.sync();
    bench.world()->faults.clear();
    // The answer was read from the database when it was asked for, and its Date is that of its end.
    const auto then = (bench.clock.now() - 4s).to_text();
    bench.world()->edit("lib01", "library/recipes",
                        {.change = {*sim::parse_json(R"({"id":5,"name":"late","modified_date":")" + then + R"("})")}});
    bench.pass_time(1min);
    CHECK(bench.sync().published->changed == 1);
}

TEST_CASE("a row that is dated in a far future is a legal answer to whoever asks for what changes then")
{
    auto options = incremental();
    options.prepare = [](sim::World& world) {
        world.edit("lib01", "library/recipes",
                   {.change = {*sim::parse_json(R"({"id":5,"modified_date":"2099-01-01T00:00:00Z"})")}});
    };
    LibraryBench bench(options);
    bench.pass_time(1min);
    CHECK(bench.sync().kind == sync::PassKind::incremental);
    CHECK(bench.query("SELECT filter FROM _resources") == "obeyed");
    CHECK(bench.status().why.empty());
}

TEST_CASE("a filter that is not heard is found out, though the list begins with a row of a far future")
{
    auto options = incremental();
    options.ordering = "";
    options.prepare = [](sim::World& world) {
        world.quirks("library/recipes").ignores_filters = true;
        world.edit("lib01", "library/recipes",
                   {.change = {*sim::parse_json(R"({"id":50,"created_date":"2099-01-01T00:00:00Z",
                                                    "modified_date":"2099-01-01T00:00:00Z"})")}});
    };
    LibraryBench bench(options);
    bench.pass_time(1min);
    CHECK(bench.sync().kind == sync::PassKind::full);
    CHECK(bench.query("SELECT filter FROM _resources") == "ignored");
}

TEST_CASE("a filter whose passes did not bring what a pass over the whole list finds changed is not relied on")
{
    LibraryBench bench(incremental());
    bench.pass_time(1min);
    REQUIRE(bench.sync().kind == sync::PassKind::incremental);
    const bool computed = GENERATE(false, true);
    INFO((computed ? "a member that is computed" : "a change"));
    bench.client.body_instead = [](const std::string& target) {
        return target.find("modified_date__gt") != std::string::npos
                   ? std::optional<std::string>(R"({"count":0,"next":null,"previous":null,"results":[]})")
                   : std::nullopt;
    };
    bench.pass_time(1h);
    const auto date = *sim::parse_json(bench.service_rows()[7]);
    const auto then = computed ? date.find("modified_date")->text : bench.clock.now().to_text();
    bench.world()->edit("lib01", "library/recipes",
                        {.change = {*sim::parse_json(R"({"id":7,"name":"other","modified_date":")" + then + R"("})")}});
    bench.pass_time(2h);
    CHECK(bench.query("SELECT name FROM recipes WHERE id = 7") != "other");
    REQUIRE(bench.sync("recipes", sync::Wanted::full).published->changed == 1);
    CHECK(bench.query("SELECT filter FROM _resources") == (computed ? "obeyed" : "incomplete"));
    CHECK((bench.sync().kind == sync::PassKind::full) == !computed);
    if (!computed) {
        CHECK(bench.status().why.find("the filter modified_date__gt missed a change") == 0);
        CHECK(std::any_of(bench.log_lines.begin(), bench.log_lines.end(), [](const std::string& line) {
            return line.find("row 7 has the modified_date") != std::string::npos;
        }));
        bench.client.body_instead = [](const std::string&) { return std::nullopt; };
        bench.pass_time(24h * 8);
        CHECK(bench.query("SELECT filter FROM _resources") == "obeyed");
        CHECK(bench.sync().kind == sync::PassKind::incremental);
    }
}
