#include "sync/window_rounds.hpp"

#include "sync/answer.hpp"
#include "sync/page_fetcher.hpp"

#include <fmt/core.h>

namespace shelfd::sync {
namespace {

// When the first row happened, as it says; nothing where there is no row, or no page.
std::optional<std::string> read_place(std::string& body, const config::Resource& resource)
{
    const auto page = read_page(body, resource.answers);
    return page ? mirror::first_member(page->results, resource.window->field) : std::nullopt;
}

bool is_empty_page(std::string& body, const config::Resource& resource)
{
    const auto page = read_page(body, resource.answers);
    return page && !mirror::first_member(page->results, resource.window->field);
}

budget::Purpose purpose_of(WindowReason reason)
{
    switch (reason) {
    case WindowReason::recent: return budget::Purpose::incremental;
    case WindowReason::again:
    case WindowReason::load:
    case WindowReason::asked: return budget::Purpose::full;
    case WindowReason::settle: break;
    }
    return budget::Purpose::rolling;
}

}  // namespace

Result<TimeRange> range_of(const schedule::Windows& windows, const std::string& from, const std::string& to,
                           Instant now)
{
    const auto read = [&](const std::string& text) {
        const auto day = windows.begin_of(text);
        return day ? day : Instant::from_rfc3339(text);
    };
    const auto begin = read(from);
    auto end = read(to);
    if (!begin || !end) {
        return Error(ErrorKind::usage, fmt::format("\"{}\" is neither a day nor an instant", begin ? to : from));
    }
    // The next day begins within 30 hours, whatever the clocks do; an instant is a moment of its window.
    end = schedule::is_day(to) ? windows.begin_of(windows.day_of(*end + std::chrono::hours(30))) : *end + Duration(1);
    if (*end <= *begin) {
        return Error(ErrorKind::usage, fmt::format("{} comes after {}", from, to));
    }
    if (*end <= windows.since() || *begin > now) {
        return Error(ErrorKind::usage,
                     fmt::format("the ledger begins at {} and ends now: nothing of it lies between {} "
                                 "and {}",
                                 windows.since().to_short_text(), from, to));
    }
    return TimeRange{*begin, *end};
}

asio::awaitable<Result<void>> WindowRounds::load()
{
    auto read = [this] { return context_.mirror.slices(resource_.name); };
    auto known = co_await context_.lane.run(read);
    if (!known) {
        co_return known.error();
    }
    known_ = std::move(*known);
    co_return Result<void>();
}

Round WindowRounds::round_of(const std::vector<WindowChoice>& choices, const mirror::Discovery& discovery) const
{
    Round round;
    for (const auto& choice : choices) {
        round.passes.push_back(plan_window(context_.library, resource_, discovery, plan_.windows(), choice));
    }
    round.purpose = purpose_of(choices.front().reason);
    round.ordinary = choices.front().reason == WindowReason::recent;
    return round;
}

Round WindowRounds::recent(const mirror::Discovery& discovery) const
{
    const auto now = context_.clock.now();
    auto round = round_of(plan_.recent(now, known_), discovery);
    round.keeps_up = !plan_.is_behind(now, known_);
    return round;
}

std::optional<Round> WindowRounds::rest(const mirror::Discovery& discovery) const
{
    const auto choice = plan_.next(context_.clock.now(), known_);
    return choice ? std::optional(round_of({*choice}, discovery)) : std::nullopt;
}

std::optional<Round> WindowRounds::walked_again(const mirror::Discovery& discovery,
                                                std::optional<TimeRange> range) const
{
    const auto now = context_.clock.now();
    const auto wanted = range.value_or(TimeRange{plan_.windows().since(), plan_.windows().at(now).to});
    const auto choices = plan_.between(wanted.from, wanted.to, now, known_);
    return choices.empty() ? std::nullopt : std::optional(round_of(choices, discovery));
}

std::optional<Instant> WindowRounds::rest_at() const
{
    return plan_.next_at(context_.clock.now(), known_);
}

void WindowRounds::learn(const PassReport& pass)
{
    if (pass.failed) {
        plan_.failed(Instant::from_seconds(pass.failed->first), pass.pages > 0, context_.clock.now());
    }
}

asio::awaitable<WindowRounds::RowLook> WindowRounds::look_at_rows(const mirror::Discovery& discovery,
                                                                  budget::Tally& spent)
{
    PageFetcher fetcher(context_, resource_, resource_.path, budget::Purpose::incremental);
    auto query = glimpse_query(context_.library, resource_, discovery);
    auto fetched = co_await fetcher.fetch(std::move(query), budget::Reason::filter_try);
    // Trouble is met by the walk that follows, and dealt with there.
    if (fetched.no_token || classify(fetched.outcome).kind != AnswerKind::page) {
        spent.add(fetcher.sent());
        co_return RowLook{discovery.place_form};
    }
    auto read = [&] { return read_place(fetched.outcome->body, resource_); };
    const auto place = co_await context_.lane.run(read);
    if (!place || place->empty()) {
        spent.add(fetcher.sent());
        co_return RowLook{};
    }
    RowLook look{schedule::is_day(*place) ? days_form : instants_form};
    look.fault = co_await look_at_bound(fetcher, discovery, *place);
    spent.add(fetcher.sent());
    co_return look;
}

// A window that begins where a row lies must bring that row: else each loses what lies on its first moment.
asio::awaitable<std::string> WindowRounds::look_at_bound(PageFetcher& fetcher, mirror::Discovery discovery,
                                                         const std::string& place)
{
    const auto day = plan_.windows().begin_of(place);
    const auto at = day ? day : Instant::from_rfc3339(place);
    if (!at) {
        co_return "";
    }
    discovery.place_form = day ? days_form : instants_form;
    auto query = bound_query(context_.library, resource_, discovery, plan_.windows(), *at);
    auto fetched = co_await fetcher.fetch(std::move(query), budget::Reason::filter_try);
    if (fetched.no_token || classify(fetched.outcome).kind != AnswerKind::page) {
        co_return "";
    }
    auto read = [&] { return is_empty_page(fetched.outcome->body, resource_); };
    if (!co_await context_.lane.run(read)) {
        co_return "";
    }
    co_return fmt::format(
        "there is a row whose {} is {}, and a window that begins then is empty: {} leaves out what lies "
        "on it; correct `from` of `window`",
        resource_.window->field, place, resource_.window->from);
}

}  // namespace shelfd::sync
