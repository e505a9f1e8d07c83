#include "app/year_library.hpp"

#include "support/catch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace shelfd {
namespace {

using namespace std::chrono_literals;

constexpr std::int64_t first_second = 1'804'464'000;  // 2027-03-08T00:00:00Z
enum Weekday { monday, tuesday, wednesday, thursday, friday, saturday, sunday };

std::vector<YearLibrary::List> make_lists(std::size_t rows)
{
    std::vector<YearLibrary::List> lists{{"recipes", "library/recipes", rows * 30 / 100},
                                         {"ingredients", "library/ingredients", rows * 25 / 100},
                                         {"lines", "sales/lines", rows * 18 / 100},
                                         {"orders", "procurement/orders", rows * 15 / 100},
                                         {"suppliers", "procurement/suppliers", rows / 10},
                                         {"users", "accounts/users", 25},
                                         {"outlets", "inventory/outlets", 12},
                                         {"units", "library/units", 30}};
    for (int outlet = 1; outlet <= 12; ++outlet) {
        lists.push_back({fmt::format("stock_{}", outlet), fmt::format("inventory/outlets/{}/stock", outlet), 20});
    }
    return lists;
}

config::Resource make_resource(const YearLibrary::List& list, int passes)
{
    config::Resource resource;
    resource.name = list.table;
    resource.path = "/api/v2/" + list.path + "/";
    resource.schedule.interval = Duration(24h) / passes;
    resource.incremental =
        config::Incremental{"modified_date__gt", "modified_date", config::Incremental::Format::datetime, 5min};
    resource.full = config::Schedule{.interval = {}, .at = {3h + 30min}, .timezone = "Europe/Brussels"};
    return resource;
}

sim::Fault unavailable()
{
    sim::Fault fault;
    fault.status = 503;
    fault.acts = false;
    return fault;
}

sim::Fault cut()
{
    sim::Fault fault;
    fault.cut = sim::Cut::before_acting;
    return fault;
}

sim::Fault hanging()
{
    sim::Fault fault;
    fault.delay = 24h;
    return fault;
}

}  // namespace

YearLibrary::YearLibrary(YearScale scale) : scale_(scale), lists_(make_lists(scale.rows)), bench_(options(scale))
{
    bench_.client.way_there = [this] { return std::chrono::milliseconds(20 + random_() % 130); };
    bench_.client.way_back = [this] { return std::chrono::milliseconds(random_() % 100); };
}

BenchOptions YearLibrary::options(const YearScale& scale)
{
    BenchOptions options;
    options.begin = Instant::from_seconds(first_second);
    options.page_size = scale.page_size;
    options.requests_per_minute = scale.per_minute;
    options.world.throttle = {.limit = scale.per_minute, .headers = sim::RateHeaders::x_ratelimit};
    for (const auto& list : lists_) {
        options.world.rows_of[list.path] = list.rows;
    }
    options.configure = [this](config::Library& library) {
        library.resources.own().clear();
        for (const auto& list : lists_) {
            library.resources.own().push_back(make_resource(list, scale_.passes));
        }
    };
    return options;
}

void YearLibrary::live()
{
    watch_backlog("the first start");
    for (; day_ < scale_.days; ++day_) {
        live_day();
    }
    advance_to(midnight(scale_.days + 2));
}

void YearLibrary::live_day()
{
    Agenda agenda;
    if (day_ % 7 != friday && day_ % 7 != saturday) {
        plan_changes(agenda);
    }
    plan_outage(agenda);
    plan_stop(agenda);
    plan_long_outage(agenda);
    plan_lost_answers(agenda);
    const auto before = requests();
    for (const auto& [at, act] : agenda) {
        advance_to(midnight(day_) + at);
        act();
    }
    advance_to(midnight(day_ + 1));
    if (day_ % 7 == saturday) {
        quiet_days_.push_back({day_, requests() - before, min_requests()});
    }
    bench_.log_lines.clear();
    bench_.client.asked.clear();
}

void YearLibrary::plan_changes(Agenda& agenda)
{
    for (int i = 0; i < 30; ++i) {
        agenda.emplace(std::chrono::seconds(random_() % 86'400), [this] { change_something(); });
    }
    if (day_ % 28 == monday) {
        agenda.emplace(10h, [this] { change_many(); });
    }
}

void YearLibrary::plan_outage(Agenda& agenda)
{
    if (day_ % 7 == tuesday) {
        const bool long_one = day_ / 7 % 2 == 0;
        agenda.emplace(11h, [this, long_one] { begin_outage(long_one ? unavailable() : cut()); });
        agenda.emplace(long_one ? 14h : 11h + 40min, [this] { bench_.world()->faults.clear(); });
    }
}

void YearLibrary::plan_stop(Agenda& agenda)
{
    if (day_ % 7 == wednesday) {
        const bool long_one = day_ / 7 % 2 == 1;
        agenda.emplace(long_one ? 30min : 13h + 10min, [this] { stop(); });
        agenda.emplace(long_one ? 6h : 13h + 11min, [this, long_one] { start(long_one); });
    }
}

void YearLibrary::plan_long_outage(Agenda& agenda)
{
    if (day_ % 28 == 14 + wednesday) {
        agenda.emplace(20h, [this] { begin_outage(hanging()); });
    }
    if (day_ % 28 == 14 + thursday) {
        agenda.emplace(12h, [this] {
            bench_.world()->faults.clear();
            watch_backlog(fmt::format("16 hours of outage until day {}", day_));
        });
    }
}

void YearLibrary::plan_lost_answers(Agenda& agenda)
{
    if (day_ == wednesday) {
        agenda.emplace(0h, [this] { lose_next_refresh(60s); });
    }
    if (day_ == 14 + friday) {
        agenda.emplace(10h, [this] {
            lose_next_refresh(0s);
            bench_.world()->expire_access("lib01");
        });
        agenda.emplace(16h, [this] { import_new_set(); });
    }
}

void YearLibrary::change_something()
{
    // Half of all changes are in the three largest lists.
    const auto& list = lists_[random_() % 2 == 0 ? random_() % 3 : random_() % lists_.size()];
    auto world = bench_.world();
    const auto& rows = world->find_list(world->library("lib01"), list.path)->ordered({});
    sim::Edit edit;
    for (auto changes = random_() % 4; changes > 0; --changes) {
        edit.change.push_back(changed_row(*rows[random_() % rows.size()], random_() % 10 == 0));
    }
    // An outlet that goes would take its stock with it.
    if (list.table != "outlets") {
        for (auto added = random_() % 3; added > 0; --added) {
            edit.add.push_back(sim::Json::object({{"name", fmt::format("new {}", random_() % 1'000'000)}}));
        }
        for (auto gone = random_() % 3; gone > 0 && rows.size() > 10; --gone) {
            edit.remove.push_back(rows[random_() % rows.size()]->id);
        }
    }
    if (random_() % 10 == 0) {
        world->edit_after("lib01", list.path, 1 + random_() % 5, std::move(edit));  // between two pages of a walk
    } else {
        world->edit("lib01", list.path, edit);
    }
}

sim::Json YearLibrary::changed_row(const sim::Row& row, bool silently)
{
    auto fields = sim::Json::object({{"id", row.id}, {"remark", fmt::format("said {}", random_() % 1'000'000)}});
    if (silently) {
        const auto item = *sim::parse_json(row.text);
        fields.set("modified_date", *item.find("modified_date"));
    }
    return fields;
}

void YearLibrary::change_many()
{
    auto world = bench_.world();
    sim::Edit edit;
    const auto& rows = world->find_list(world->library("lib01"), "library/ingredients")->ordered({});
    for (std::size_t i = 0; i < rows.size(); i += 10) {
        edit.change.push_back(changed_row(*rows[i], false));
    }
    world->edit("lib01", "library/ingredients", edit);
}

void YearLibrary::begin_outage(sim::Fault fault)
{
    ++outages_;
    fault.times = std::nullopt;
    bench_.world()->faults.add(std::move(fault));
}

void YearLibrary::stop()
{
    bench_.stop();
}

void YearLibrary::start(bool after_reboot)
{
    ++starts_;
    if (after_reboot) {
        bench_.parts->host.boot_id = fmt::format("11111111-2222-3333-4444-{:012}", starts_);
    }
    auto& parts = *bench_.parts;
    parts.limiters = app::Limiters(parts.storage.mirrors, parts.clock, parts.host.boot_id);
    bench_.start();
}

void YearLibrary::lose_next_refresh(std::chrono::seconds grace)
{
    auto world = bench_.world();
    world->tokens.policy.grace = grace;
    sim::Fault fault;
    fault.path = "/oauth/token/";
    fault.cut = sim::Cut::after_acting;
    world->faults.add(fault);
}

void YearLibrary::import_new_set()
{
    const auto issued = bench_.world()->issue_set("lib01");
    auto set = oauth::parse_paste(fmt::format("access_token={}\nrefresh_token={}\nexpires_in={}\n", issued.access,
                                              *issued.refresh, issued.expires_in.count()));
    REQUIRE(set);
    auto imported = bench_.clock.run(bench_.unit->keeper().import(std::move(*set), oauth::ImportMode::seal));
    REQUIRE(imported);
    bench_.unit->token_set_changed();
}

void YearLibrary::advance_to(Instant at)
{
    if (at > bench_.clock.now()) {
        bench_.pass_time(at - bench_.clock.now());
    }
    auto world = bench_.world();
    world->clock.advance(bench_.clock.now() - world->now());
}

Instant YearLibrary::midnight(int day) const
{
    return Instant::from_seconds(first_second) + day * 24h;
}

// To the API; those to the token endpoint do not count for the service either.
std::uint64_t YearLibrary::requests()
{
    const auto& report = bench_.world()->audit.report;
    return report.total - report.token_posts;
}

// What the schedule and the proof ask for: each list's passes, one of them full. An incremental one that finds nothing
// takes one request; a full one its pages and, where there are several and no cursors, the closing look. A canary
// serves the incremental passes of ten minutes: one for each time they come round; and two stand around the full ones.
std::uint64_t YearLibrary::min_requests()
{
    const auto incremental = static_cast<std::uint64_t>(scale_.passes) - 1;
    std::uint64_t least = incremental + 2;
    for (const auto& list : lists_) {
        const auto rows = bench_.world()->row_count("lib01", list.path);
        const bool is_array = list.path.ends_with("/units") || list.path.ends_with("/stock");
        const auto pages = is_array ? 1 : (rows + scale_.page_size - 1) / scale_.page_size;
        const bool closes = pages > 1 && list.path != "procurement/orders";
        least += incremental + pages + (closes ? 1 : 0);
    }
    return least;
}

void YearLibrary::watch_backlog(std::string after)
{
    constexpr std::size_t minute = 60;
    std::vector<std::uint64_t> sent{requests()};
    std::vector<bool> waiting{false};
    for (int second = 0; second < 25 * 60; ++second) {
        bench_.pass_time(1s);
        sent.push_back(requests());
        waiting.push_back(bench_.unit->limiter().status().waiting > 0);
    }
    std::size_t minutes = 0;
    std::uint64_t used = 0;
    std::size_t since = 0;  // so many samples in a row with somebody waiting
    for (std::size_t at = 0; at < sent.size(); ++at) {
        since = waiting[at] ? since + 1 : 0;
        if (since > minute) {
            ++minutes;
            used += sent[at] - sent[at - minute];
        }
    }
    const auto could = static_cast<double>(minutes) * scale_.per_minute;
    backlogs_.push_back({std::move(after), minutes > 0 ? static_cast<double>(used) / could : 0, minutes});
}

}  // namespace shelfd
