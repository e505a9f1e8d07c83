#include "base/pause.hpp"
#include "config/load.hpp"
#include "ctl/context/places.hpp"
#include "ctl/plan/budget_plan.hpp"
#include "ctl/plan/table_sizes.hpp"
#include "ctl/screen/table.hpp"
#include "ctl/status/limit_text.hpp"
#include "ctl/status/status_view.hpp"
#include "ctl/verb/verbs.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <set>

namespace shelfd::ctl {
namespace {

namespace json = boost::json;

std::string to_string(PlannedPasses::Kind kind)
{
    switch (kind) {
    case PlannedPasses::Kind::incremental: return "incremental";
    case PlannedPasses::Kind::window: return "window";
    case PlannedPasses::Kind::full: return "full";
    case PlannedPasses::Kind::settle: return "settle";
    case PlannedPasses::Kind::detail: return "detail";
    }
    std::abort();
}

std::string number(double value)
{
    return value < 10 ? fmt::format("{:.2f}", value) : fmt::format("{:.0f}", value);
}

// As status says it: rounded up, because it may be more than a limit.
std::string needed(double a_minute)
{
    return fmt::format("{:.1f}", std::ceil(a_minute * 10) / 10);
}

json::object to_json(const PlannedPasses& passes)
{
    return {{"library", passes.library},
            {"resource", passes.resource},
            {"kind", to_string(passes.kind)},
            {"when", passes.when},
            {"passes_a_minute", passes.passes_a_minute},
            {"requests", passes.requests ? json::value(*passes.requests) : json::value(nullptr)},
            {"requests_a_minute", passes.requests ? json::value(passes.requests_a_minute()) : json::value(nullptr)},
            {"share_of_day", passes.awake},
            {"measured", passes.measured},
            {"starves", passes.starves}};
}

// "22:00-06:00, 12:00-13:00"; "" without any. Spans that leave no time are refused.
std::string quiet_of(const GroupPlan& group)
{
    std::vector<std::string> texts;
    for (const auto& span : merge_spans(group.quiet).value_or(group.quiet)) {
        texts.push_back(format_time_span(span));
    }
    return fmt::format("{}", fmt::join(texts, ", "));
}

// What the running daemon keeps to: by library.
using Limits = std::map<std::string, control::BudgetStatus>;

// The end of the pause that the service asks for; empty if it asks for none.
std::optional<Instant> pause_of(const control::BudgetStatus* limit, Instant now)
{
    const auto until = limit == nullptr ? std::nullopt : limit->paused_until;
    return until > now ? until : std::nullopt;
}

json::object to_json(const GroupPlan& group, const control::BudgetStatus* limit,
                     const std::optional<Instant>& paused_until)
{
    std::set<std::string> libraries;
    for (const auto& one : group.passes) {
        libraries.insert(one.library);
    }
    json::array passes;
    for (const auto& one : group.passes) {
        passes.push_back(to_json(one));
    }
    const auto load = group.all_known ? group.first_load() : std::nullopt;
    return {
        {"limit_group", group.name},
        {"libraries", json::array(libraries.begin(), libraries.end())},
        {"user", limit != nullptr ? limit->user : ""},
        {"limit", group.limit ? json::value(*group.limit) : json::value(nullptr)},
        {"requests_a_minute", group.requests_a_minute},
        {"canaries_a_minute", group.canaries_a_minute},
        {"quiet", quiet_of(group)},
        {"all_known", group.all_known},
        {"fits", group.fits()},
        {"paused_until", paused_until ? json::value(paused_until->to_text()) : json::value(nullptr)},
        {"first_load_requests", group.all_known ? json::value(group.first_load_requests) : json::value(nullptr)},
        {"first_load_seconds", load ? json::value(std::chrono::duration<double>(*load).count()) : json::value(nullptr)},
        {"passes", std::move(passes)}};
}

void print_passes(const Context& context, const GroupPlan& group)
{
    Table table(
        {{"TABLE"}, {"PASSES"}, {"WHEN"}, {"REQUESTS", Align::right}, {"A MINUTE", Align::right}, {"KNOWN BY"}, {""}});
    for (const auto& one : group.passes) {
        const bool incremental = one.kind == PlannedPasses::Kind::incremental;
        const auto* known_by = one.measured    ? "earlier passes"
                               : !one.requests ? "unknown"
                               : incremental   ? "guess: one page"
                                               : "rows";
        table.add({{one.library + " " + one.resource},
                   {to_string(one.kind)},
                   {one.when},
                   {one.requests ? fmt::format("{:.0f}", *one.requests) : "?"},
                   {one.requests ? number(one.requests_a_minute()) : "?"},
                   {known_by},
                   {one.starves ? "starves" : "", Colour::red}});
    }
    context.terminal.print(table.rows_waiting() > 0 ? table.take(context.terminal) : StyledText("no tables\n"));
}

std::string names_of_starving(const GroupPlan& group)
{
    std::vector<std::string> names;
    for (const auto& one : group.passes) {
        if (one.starves) {
            names.push_back(fmt::format("{} passes of {} {}", to_string(one.kind), one.library, one.resource));
        }
    }
    return fmt::format("{}", fmt::join(names, ", "));
}

std::string_view verdict(const GroupPlan& group)
{
    return !group.fits() ? "not sufficient" : group.all_known ? "sufficient" : "sufficient, as far as known";
}

void print_verdict(const Context& context, const GroupPlan& group)
{
    auto& terminal = context.terminal;
    if (group.canaries_a_minute > 0) {
        terminal.print(fmt::format("plus {} requests a minute to check which library the token belongs to\n",
                                   number(group.canaries_a_minute)));
    }
    if (!group.limit) {
        terminal.print(
            fmt::format("{} requests a minute are needed; there is no limit\n", needed(group.requests_a_minute)));
    } else {
        terminal.print(fmt::format("{} requests a minute are needed, {} allowed: {}\n", needed(group.requests_a_minute),
                                   *group.limit, verdict(group)));
    }
    if (!group.fits()) {
        terminal.print(fmt::format("these starve: {}\n  make their passes less frequent, or set `incremental`\n",
                                   names_of_starving(group)));
    }
    if (const auto load = group.first_load(); load && group.all_known) {
        terminal.print(fmt::format("a first load takes {:.0f} requests: {}\n", group.first_load_requests,
                                   *load > Duration(0) ? "at least " + describe_duration(*load) : "within a minute"));
    }
    if (const auto quiet = quiet_of(group); !quiet.empty()) {
        terminal.print(fmt::format("in the quiet hours ({}) nothing is fetched by schedule, first loads included: the "
                                   "figures are those of the other hours\n",
                                   quiet));
    }
    if (!group.all_known) {
        terminal.print(
            "lists marked ? count as one page a pass, the least: their size is unknown before a first pass; shelfctl "
            "probe measures it\n");
        if (group.limit) {
            terminal.print(fmt::format("a first load of them takes a minute for each {0} pages, and for each {0} items "
                                       "with details\n",
                                       *group.limit));
        }
    }
}

// By library. None if no daemon answers.
Limits limits_in_force(const Context& context)
{
    Limits limits;
    const auto answer = client_of(context).get("/v1/status");
    const auto status = answer && answer->check() ? read_status(answer->body)
                                                  : Result<StatusView>(Error(ErrorKind::not_found, "no daemon"));
    if (status) {
        for (const auto& library : status->libraries) {
            limits[library.name] = library.budget;
        }
    }
    return limits;
}

// A plan at a limit that is not in force would promise too much. Only the daemon knows which libraries are one user of
// the service, and share a limit for that reason.
void apply(const Limits& limits, config::Configuration& configuration)
{
    for (auto& library : configuration.libraries) {
        const auto found = limits.find(library.name);
        if (found == limits.end()) {
            continue;
        }
        auto& service = library.service;
        const auto& budget = found->second;
        if (!budget.user.empty() && library.limit_group() == library.name) {
            library.shared_limit = config::SharedLimit{budget.user, budget.group, budget.limit};
        }
        const bool is_same = library.limit_group() == budget.group;
        if (is_same && budget.limit && service.requests_per_minute) {
            service.requests_per_minute = std::min(*service.requests_per_minute, *budget.limit);
            service.leave = 0;  // the limit in force is without it
        }
    }
}

// Of any library in the group: they have the same limit.
const control::BudgetStatus* limit_of(const GroupPlan& group,
                                      const std::map<std::string, control::BudgetStatus>& limits)
{
    const auto found = std::find_if(limits.begin(), limits.end(),
                                    [&group](const auto& one) { return one.second.group == group.name; });
    return found == limits.end() ? nullptr : &found->second;
}

void print_limit(const Context& context, const control::BudgetStatus& limit)
{
    if (!limit.narrowed_by.empty()) {
        context.terminal.print(fmt::format("the limit in force: {}\n", limit_text(limit)));
    }
    if (!limit.user.empty()) {
        context.terminal.print(fmt::format("{} are one user of the service ({}) and share this limit\n",
                                           fmt::join(limit.libraries, ", "), limit.user));
    }
}

}  // namespace

ExitCode run_plan(const Context& context)
{
    const auto& command = context.command;
    auto loaded = config::load(command.config_file, context.environment, config::KeepOrigins::no);
    for (const auto& fault : loaded.faults) {
        context.terminal.complain(config::to_text(fault));
    }
    if (!loaded.configuration) {
        return ExitCode::config;
    }
    const auto limits = limits_in_force(context);
    apply(limits, *loaded.configuration);
    const auto& all = loaded.configuration->libraries;
    const auto asked =
        std::find_if(all.begin(), all.end(), [&](const auto& one) { return one.name == command.library; });
    if (!command.library.empty() && asked == all.end()) {
        return fail(context, no_library(command, *loaded.configuration));
    }
    std::vector<PlannedLibrary> libraries;
    for (const auto& library : all) {
        libraries.push_back({&library, known_sizes(context, *loaded.configuration, library.name)});
    }
    auto groups = plan_budget(libraries, context.clock.now());
    if (!command.library.empty()) {
        // The whole group, because its other libraries use part of the limit.
        const auto& group = asked->limit_group();
        std::erase_if(groups, [&](const auto& one) { return one.name != group; });
    }
    json::array answer;
    bool fits = true;
    for (const auto& group : groups) {
        fits = fits && group.fits();
        const auto* limit = limit_of(group, limits);
        const auto paused_until = pause_of(limit, context.clock.now());
        if (command.output == Output::json) {
            answer.push_back(to_json(group, limit, paused_until));
            continue;
        }
        if (&group != &groups.front()) {
            context.terminal.print("\n");
        }
        print_passes(context, group);
        print_verdict(context, group);
        if (paused_until) {
            context.terminal.print(describe_pause(*paused_until) + ": nothing is fetched until then\n");
        }
        if (limit != nullptr) {
            print_limit(context, *limit);
        }
    }
    if (command.output == Output::json) {
        context.terminal.print_json(json::serialize(answer) + "\n");
    } else if (groups.empty()) {
        context.terminal.print("nothing is planned: every library is paused\n");
    }
    return fits ? ExitCode::done : ExitCode::failed;
}

}  // namespace shelfd::ctl
