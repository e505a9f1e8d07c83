#include "sync/plan/pass_plan.hpp"

#include "http/url.hpp"
#include "mirror/json/item_key.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <utility>

namespace shelfd::sync {
namespace {

using Params = std::map<std::string, std::string>;

// The parameter for the page size. Lists by offset use a name of their own, which the first answer shows.
const std::string& size_param(const config::Library& library, const mirror::Discovery& discovery)
{
    static const std::string limit = "limit";
    const bool by_offset = discovery.envelope == Envelope::offset ||
                           (discovery.envelope == Envelope::array && discovery.further == Further::offset);
    return by_offset ? limit : library.service.page_size_param;
}

Params fixed_params(const config::Library& library, const config::Resource& resource,
                    const mirror::Discovery& discovery)
{
    auto params = library.service.params;
    for (const auto& [name, value] : resource.params) {
        params[name] = value;
    }
    if (resource.answers == config::Answers::list) {
        params[size_param(library, discovery)] = std::to_string(library.service.page_size);
    }
    return params;
}

std::string format(const Params& params)
{
    http::Params query;
    for (const auto& [name, value] : params) {
        query.push_back({name, value});
    }
    return http::format_query(query);
}

// With newest keys first, rows added during the walk appear at the top, where they do not shift others; so this order
// is requested if the configuration names none. Keys of several members have no such order.
bool chooses_order(const config::Resource& resource, const mirror::Discovery& discovery)
{
    const bool orderable = resource.answers == config::Answers::list && resource.own_key().size() == 1;
    const bool may_be_obeyed = discovery.ordering == mirror::ParameterSupport::unknown ||
                               discovery.ordering == mirror::ParameterSupport::obeyed;
    return resource.ordering.empty() && orderable && may_be_obeyed;
}

void add_filter(Params& params, const config::Incremental& incremental, Instant since)
{
    const bool days = incremental.format == config::Incremental::Format::date;
    params[incremental.param] = days ? since.to_text().substr(0, 10) : since.to_text();
}

PassPlan plan(const config::Library& library, const config::Resource& resource, const mirror::Discovery& discovery,
              Params params)
{
    PassPlan plan;
    plan.path = resource.path;
    plan.envelope = discovery.envelope;
    plan.confirmed_to = discovery.changes_from;
    const auto key = resource.own_key();
    const auto newest_first = key.empty() ? "" : "-" + key.front();
    plan.end_habit = end_habit_of(discovery);
    plan.newest_first = resource.ordering.empty() || resource.ordering == newest_first;
    if (!resource.ordering.empty()) {
        params[library.service.ordering_param] = resource.ordering;
    } else if (chooses_order(resource, discovery)) {
        plan.plain_query = format(params);
        params[library.service.ordering_param] = newest_first;
    }
    plan.first_query = format(params);
    if (const auto order = params.find(library.service.ordering_param); order != params.end()) {
        auto& text = order->second;
        text = text.starts_with('-') ? text.substr(1) : "-" + text;
        plan.reversed_query = format(params);
    }
    return plan;
}

}  // namespace

std::shared_ptr<EndHabit> end_habit_of(const mirror::Discovery& discovery)
{
    auto habit = std::make_shared<EndHabit>();
    habit->further = discovery.further;
    habit->whole_rows = discovery.whole_rows;
    habit->tried_at = discovery.further_tried_at;
    return habit;
}

PassPlan plan_full(const config::Library& library, const config::Resource& resource, const mirror::Discovery& discovery)
{
    auto full = plan(library, resource, discovery, fixed_params(library, resource, discovery));
    full.previous_key_set = discovery.key_set;
    return full;
}

// The service's Date is cut to the second, the dates of its rows to their resolution. A day may be of any time zone.
Duration reach_of(const config::Incremental& incremental, const mirror::Discovery& discovery)
{
    constexpr Duration one_second = std::chrono::seconds(1);
    constexpr Duration one_day = std::chrono::hours(24);
    constexpr Duration farthest_zone = std::chrono::hours(14);
    const auto shown = std::max(discovery.resolution.value_or(one_second), one_second);
    const bool days = incremental.format == config::Incremental::Format::date || shown >= one_day;
    return std::max(incremental.overlap, days ? one_day + farthest_zone : shown + one_second);
}

PassPlan plan_incremental(const config::Library& library, const config::Resource& resource,
                          const mirror::Discovery& discovery)
{
    auto params = fixed_params(library, resource, discovery);
    const auto since = *discovery.changes_from - reach_of(*resource.incremental, discovery);
    add_filter(params, *resource.incremental, since);
    auto incremental = plan(library, resource, discovery, std::move(params));
    incremental.kind = PassKind::incremental;
    incremental.since = since;
    return incremental;
}

std::string changes_query(const config::Library& library, const config::Resource& resource,
                          const mirror::Discovery& discovery, Instant since)
{
    auto params = fixed_params(library, resource, discovery);
    add_filter(params, *resource.incremental, since);
    return format(params);
}

std::string filter_query(const config::Library& library, const config::Resource& resource,
                         const mirror::Discovery& discovery, Instant since)
{
    auto params = fixed_params(library, resource, discovery);
    params[size_param(library, discovery)] = "10";
    add_filter(params, *resource.incremental, since);
    return format(params);
}

namespace {

// In the form that the rows use, so that the service compares equal forms.
std::string format_bound(const schedule::Windows& windows, const mirror::Discovery& discovery, Instant at)
{
    const bool days = discovery.place_form == mirror::PlaceForm::unknown
                          ? windows.is_by_days()
                          : discovery.place_form == mirror::PlaceForm::days;
    return days ? windows.day_of(at) : at.to_short_text();
}

std::string name_of(const schedule::Windows& windows, const schedule::Window& window)
{
    const auto first = windows.is_by_days() ? windows.day_of(window.from) : window.from.to_short_text();
    if (window.to.seconds() == mirror::behind_all) {
        return "from " + first + " on";
    }
    if (!windows.is_by_days()) {
        return first;
    }
    const auto last = windows.day_of(window.to - Duration(1));
    return first == last ? first : first + " to " + last;
}

mirror::Slice slice_of(const config::Window& wanted, const schedule::Windows& windows, const schedule::Window& window)
{
    mirror::Slice slice;
    slice.name = name_of(windows, window);
    slice.first = window.from.seconds();
    slice.past = window.to.seconds();
    slice.field = wanted.field;
    slice.open = wanted.to.empty();
    slice.place_of = [windows](std::string_view text) -> std::optional<std::int64_t> {
        const auto at = windows.instant_of(text);
        return at ? std::optional(at->seconds()) : std::nullopt;
    };
    return slice;
}

}  // namespace

PassPlan plan_window(const config::Library& library, const config::Resource& resource,
                     const mirror::Discovery& discovery, const schedule::Windows& windows, const WindowChoice& choice)
{
    const auto& wanted = *resource.window;
    auto params = fixed_params(library, resource, discovery);
    params[wanted.from] = format_bound(windows, discovery, choice.window.from);
    if (!wanted.to.empty() && choice.window.to.seconds() != mirror::behind_all) {
        params[wanted.to] = format_bound(windows, discovery, choice.window.to);
    }
    auto one = plan(library, resource, discovery, std::move(params));
    if (choice.is_plain && !one.plain_query.empty()) {
        one.first_query = std::exchange(one.plain_query, {});
        one.reversed_query.clear();
        one.newest_first = false;
    }
    one.kind = PassKind::window;
    one.previous_key_set = choice.key_set;
    one.slice = slice_of(wanted, windows, choice.window);
    return one;
}

std::string bound_query(const config::Library& library, const config::Resource& resource,
                        const mirror::Discovery& discovery, const schedule::Windows& windows, Instant first)
{
    const auto& wanted = *resource.window;
    auto params = fixed_params(library, resource, discovery);
    params[size_param(library, discovery)] = "1";
    params[wanted.from] = format_bound(windows, discovery, first);
    if (!wanted.to.empty()) {
        params[wanted.to] = format_bound(windows, discovery, first + std::chrono::hours(30));
    }
    return format(params);
}

std::string list_path(const config::Resource& resource, const std::string& parent)
{
    auto path = resource.path;
    if (!resource.parent) {
        return path;
    }
    const auto part = mirror::read_key(parent).value_or(mirror::ItemKey()).first;
    const auto value = http::percent_encode(part.is_text ? part.text : std::to_string(part.integer));
    const auto mark = "{" + resource.parent->as + "}";
    for (auto at = path.find(mark); at != std::string::npos; at = path.find(mark, at + value.size())) {
        path.replace(at, mark.size(), value);
    }
    return path;
}

PassPlan plan_list(const config::Library& library, const config::Resource& resource, const mirror::Discovery& discovery,
                   const ListChoice& list)
{
    auto params = fixed_params(library, resource, discovery);
    const auto since =
        list.whole ? std::nullopt : std::optional(*list.changes_from - reach_of(*resource.incremental, discovery));
    if (since) {
        add_filter(params, *resource.incremental, *since);
    }
    auto one = plan(library, resource, discovery, std::move(params));
    one.since = since;
    one.kind = list.whole ? PassKind::full : PassKind::incremental;
    one.path = list_path(resource, list.parent);
    one.previous_key_set = list.whole ? list.key_set : "";
    one.repeats = list.repeats;
    one.previous_as_of = list.as_of;
    if (list.whole) {
        one.changes_from = list.changes_from;
        one.whole_at = list.whole_at;
    }
    if (http::has_dot_segment(one.path)) {
        one.fault =
            fmt::format("with its key, the path is {}, the path of another page: no request was sent", one.path);
    }
    auto& slice = one.slice.emplace();
    slice.name = slice.value = list.parent;
    slice.member = resource.parent->as;
    return one;
}

std::string glimpse_query(const config::Library& library, const config::Resource& resource,
                          const mirror::Discovery& discovery)
{
    auto params = fixed_params(library, resource, discovery);
    params[size_param(library, discovery)] = "1";
    return format(params);
}

const char* to_string(PassKind kind)
{
    switch (kind) {
    case PassKind::full: return "full";
    case PassKind::incremental: return "incremental";
    case PassKind::window: return "window";
    }
    std::abort();
}

mirror::RunMode run_mode_of(PassKind kind)
{
    switch (kind) {
    case PassKind::full: return mirror::RunMode::full;
    case PassKind::incremental: return mirror::RunMode::incremental;
    case PassKind::window: return mirror::RunMode::window;
    }
    std::abort();
}

mirror::RunMode run_mode_of(const PassPlan& plan)
{
    return plan.run_mode.value_or(run_mode_of(plan.kind));
}

}  // namespace shelfd::sync
