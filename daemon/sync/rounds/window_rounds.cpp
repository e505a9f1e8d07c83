#include "sync/rounds/window_rounds.hpp"

#include "mirror/json/placing.hpp"
#include "sync/pass/page_fetcher.hpp"
#include "sync/service/page_answer.hpp"

#include <fmt/core.h>

namespace shelfd::sync {
namespace {

// The time of the first row, as written; empty if there is no row or no page.
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

bool is_page(const Fetched& fetched)
{
    return !fetched.no_token && classify(fetched.outcome).kind == AnswerKind::page;
}

// The window of all days to come begins later each day but keeps its key.
std::int64_t key_of(std::int64_t first, std::int64_t past)
{
    return past == mirror::behind_all ? past : first;
}

budget::Purpose purpose_of(WindowReason reason)
{
    switch (reason) {
    case WindowReason::recent: return budget::Purpose::incremental;
    case WindowReason::again:
    case WindowReason::load:
    case WindowReason::asked: return budget::Purpose::full;
    case WindowReason::seek:
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
    // A day lasts less than 30 hours even if clocks are changed; an instant includes only its own window.
    end = schedule::is_day(to) ? windows.begin_of(windows.day_of(*end + std::chrono::hours(30))) : *end + Duration(1);
    if (*end <= *begin) {
        return Error(ErrorKind::usage, fmt::format("{} comes after {}", from, to));
    }
    if (*end <= windows.since() || *begin > now) {
        return Error(ErrorKind::usage,
                     fmt::format("the ledger begins at {} and ends now: it has nothing between {} and {}",
                                 windows.since().to_short_text(), from, to));
    }
    return TimeRange{*begin, *end};
}

asio::awaitable<Result<void>> WindowRounds::load()
{
    bool any_left = false;
    auto read = [this, &any_left]() -> Result<WindowPlan::Known> {
        SHELFD_TRY_ASSIGN(left, context_.mirror.has_departed(resource_.name));
        any_left = left;
        return context_.mirror.slices(resource_.name);
    };
    SHELFD_CO_TRY_ASSIGN(known, co_await context_.lane.run(read));
    known_ = std::move(known);
    plan_.rows_left(any_left);
    take_words();
    if (!any_left) {
        words_.erase(mirror::behind_all);  // no row is sought there now
    }
    co_return Result<void>();
}

// Reads the trouble of windows that an earlier process recorded. Windows of another step are never walked again.
void WindowRounds::take_words()
{
    if (std::exchange(has_words_, true)) {
        return;
    }
    for (const auto& slice : known_) {
        const auto from = Instant::from_seconds(slice.first);
        if (!slice.trouble.empty() && (slice.past == mirror::behind_all || plan_.windows().at(from).from == from)) {
            words_[key_of(slice.first, slice.past)] = slice.trouble;
        }
    }
}

Round WindowRounds::round_of(const std::vector<WindowChoice>& choices, const mirror::Discovery& discovery) const
{
    Round round;
    for (const auto& choice : choices) {
        round.passes.push_back(plan_window(context_.library, resource_, discovery, plan_.windows(), choice));
    }
    for (auto& pass : round.passes) {
        pass.end_habit = round.passes.front().end_habit;
    }
    round.line.purpose = purpose_of(choices.front().reason);
    round.ordinary = choices.front().reason == WindowReason::recent;
    return round;
}

Round WindowRounds::recent(const mirror::Discovery& discovery) const
{
    const auto now = context_.clock.now();
    auto round = round_of(plan_.recent(now, known_), discovery);
    round.keep_fresh = round.passes.size();
    round.keeps_up = !plan_.is_behind(now, known_);
    return round;
}

std::optional<Round> WindowRounds::backfill(const mirror::Discovery& discovery) const
{
    // Enough to have many under way at once, few enough to end soon.
    const std::size_t most = std::size_t{2} * context_.library.service.in_flight;
    const auto choices = plan_.next(context_.clock.now(), known_, most);
    if (choices.empty()) {
        return std::nullopt;
    }
    auto round = round_of(choices, discovery);
    round.is_brief = true;
    return round;
}

std::optional<Round> WindowRounds::walked_again(const mirror::Discovery& discovery,
                                                std::optional<TimeRange> range) const
{
    const auto now = context_.clock.now();
    const auto wanted = range.value_or(TimeRange{plan_.windows().since(), plan_.windows().at(now).to});
    const auto choices = plan_.between(wanted.from, wanted.to, now, known_);
    if (choices.empty()) {
        return std::nullopt;
    }
    auto round = round_of(choices, discovery);
    round.keep_fresh = plan_.keep_fresh(choices, now, known_);
    round.keeps_up = !range || !plan_.is_behind(now, known_);
    return round;
}

std::optional<Instant> WindowRounds::backfill_at() const
{
    return plan_.next_at(context_.clock.now(), known_);
}

asio::awaitable<void> WindowRounds::learn(const PassReport& pass)
{
    std::vector<Instant> begins;
    for (const auto& window : pass.windows.asked) {
        begins.push_back(Instant::from_seconds(window.first));
    }
    plan_.walked(begins, context_.clock.now(), known_);
    if (pass.windows.failed) {
        const bool is_refused = pass.trouble == Trouble::none;
        plan_.failed(Instant::from_seconds(*pass.windows.failed), pass.pages > 0 || is_refused, context_.clock.now());
    }
    // If keys are not unique, each walk takes the rows of another window, and the pauses between them grow.
    for (const auto first : pass.windows.taking) {
        plan_.failed(Instant::from_seconds(first), true, context_.clock.now());
    }
    std::vector<mirror::SliceTrouble> news;
    for (const auto& window : pass.windows.asked) {
        const auto key = key_of(window.first, window.past);
        auto& word = words_[key];
        if (word != window.why) {
            news.push_back(window);
        }
        word = window.why;
        if (word.empty()) {
            words_.erase(key);
        }
    }
    if (news.empty()) {
        co_return;
    }
    auto note = [this, &news] { return context_.mirror.record_trouble(resource_.name, news); };
    if (const auto noted = co_await context_.lane.run(note); !noted) {
        context_.log.debug("cannot record what is wrong with windows: " + noted.error().text(),
                           {{"library", context_.library.name}, {"resource", resource_.name}});
    }
}

std::string WindowRounds::warning() const
{
    if (words_.empty()) {
        return "";
    }
    const auto others = words_.size() - 1;
    return words_.rbegin()->second +
           (others == 0 ? "" : fmt::format("; and {} other window{}", others, others == 1 ? "" : "s"));
}

asio::awaitable<std::optional<WindowRounds::RowLook>> WindowRounds::inspect_rows(const mirror::Discovery& discovery,
                                                                                 budget::Tally& spent)
{
    RequestLine line{budget::Purpose::incremental};
    PageFetcher fetcher(context_, resource_, resource_.path, line);
    auto look = co_await inspect_with(fetcher, discovery);
    spent.add(fetcher.sent());
    co_return look;
}

// A window that begins at the time of a row must contain it; otherwise each window loses the rows of its first instant.
asio::awaitable<std::optional<WindowRounds::RowLook>> WindowRounds::inspect_with(PageFetcher& fetcher,
                                                                                 mirror::Discovery discovery)
{
    auto any = glimpse_query(context_.library, resource_, discovery);
    auto newest = co_await fetcher.fetch(std::move(any), budget::Reason::filter_try);
    if (!is_page(newest)) {
        co_return std::nullopt;
    }
    auto read = [&] { return read_place(page_body(*newest.outcome), resource_); };
    const auto place = co_await context_.lane.run(read);
    if (!place || place->empty()) {
        co_return RowLook{};
    }
    // Without a zone the service compares local times, and a day is the same in every notation.
    const bool is_local = schedule::is_clock_time(*place);
    RowLook look{is_local || schedule::is_day(*place) ? mirror::PlaceForm::days : mirror::PlaceForm::instants};
    if (is_local && !plan_.windows().is_by_days()) {
        look.fault = fmt::format("{} of the rows has no time zone ({}), and clocks show one hour of the year twice: "
                                 "`step` of `window` must be whole days",
                                 resource_.window->field, *place);
        co_return look;
    }
    const auto at = plan_.windows().instant_of(*place);
    if (!at) {
        co_return look;
    }
    discovery.place_form = look.form;
    auto bound = bound_query(context_.library, resource_, discovery, plan_.windows(), *at);
    auto from_there = co_await fetcher.fetch(std::move(bound), budget::Reason::filter_try);
    if (!is_page(from_there)) {
        co_return std::nullopt;
    }
    auto is_empty = [&] { return is_empty_page(page_body(*from_there.outcome), resource_); };
    if (co_await context_.lane.run(is_empty)) {
        look.fault = fmt::format("there is a row whose {} is {}, but a window that begins then is empty: {} excludes "
                                 "its own value; correct `from` of `window`",
                                 resource_.window->field, *place, resource_.window->from);
    }
    co_return look;
}

}  // namespace shelfd::sync
