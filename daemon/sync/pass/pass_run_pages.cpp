// The pages of a pass: requested or recalled, classified, and given to the mirror.
#include "runtime/async/caught.hpp"
#include "sync/library/token_kind.hpp"
#include "sync/library/wal_watch.hpp"
#include "sync/pass/pass_run.hpp"
#include "sync/service/page_answer.hpp"
#include "sync/trouble/error_source.hpp"

#include <boost/asio/experimental/awaitable_operators.hpp>
#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>
#include <tuple>
#include <utility>

namespace shelfd::sync {
namespace {

// If a path is closed for longer, the pass ends instead of waiting with the pages so far.
constexpr Duration max_closed = std::chrono::minutes(1);

// The longest time that a recalled first page may have taken; its real time is not known.
constexpr Duration max_answer = std::chrono::minutes(1);

// As if the pass had requested its first page when it began: it may have waited for the limit.
ClockReading begin_of_pass(const Fetched& page, Instant as_of, Duration since)
{
    const auto waited = std::max(since - page.took, Duration(0));
    return {as_of - waited, page.arrived - page.took - waited};
}

constexpr std::uint64_t hash_seed = 0;  // compared within a walk only

}  // namespace

asio::awaitable<PassAction> PassRun::fetch_page()
{
    board_.ask_for_page(machine_.state() == PassState::closing ? Phase::closing : Phase::pages, machine_.page_number());
    board_.changed();
    if (machine_.state() == PassState::walking && staged_.may_recall()) {
        if (const auto action = co_await recall_page()) {
            co_return *action;
        }
    }
    auto page = co_await next_page();
    if (page.no_token) {
        co_return trouble_with_token(*page.no_token);
    }
    co_return co_await judge(std::move(page));
}

// The next page from the interrupted walk; empty: request it from the service.
asio::awaitable<std::optional<PassAction>> PassRun::recall_page()
{
    auto start = pass_start();
    auto work = [this, &start] { return staged_.recall(machine_.query(), start); };
    auto seen = co_await context_.lane.run(work);
    if (!seen) {
        co_return fail_with(seen.error());
    }
    if (!*seen) {
        co_return std::nullopt;
    }
    as_of_ = start.as_of;
    report_.read_at = as_of_ - max_answer;
    token_.answer_arrived(start.token_generation);
    if (machine_.walk().pages == 0) {
        token_.first_page_arrived();
    }
    vouching_.answer_arrived(context_.clock.boot_now());
    vouching_.rows_arrived((*seen)->fresh, (*seen)->items);
    ++report_.recalled;
    show_page(**seen);
    board_.note("continues the walk of " + as_of_.to_short_text());
    co_return machine_.page_recalled(**seen);
}

// Requests the page again if its 401 is for a token that was renewed meanwhile.
asio::awaitable<Fetched> PassRun::next_page()
{
    for (;;) {
        const auto reason = machine_.state() == PassState::closing ? budget::Reason::closing
                            : staged_.is_asking_for_end()          ? budget::Reason::end_try
                                                                   : budget::Reason::page;
        if (context_.limiter.is_spent(line_.purpose)) {
            leave_place();
        }
        auto fetching = fetch_as(reason);
        auto page = co_await std::move(fetching);
        take_place_again();
        answer_arrived(page);
        if (!page.outcome || !token_.is_outdated(page.outcome->status, page.generation)) {
            co_return page;
        }
    }
}

// The closing look, and the canary beside it where it is asked in any case, take one round trip instead of two.
asio::awaitable<Fetched> PassRun::fetch_as(budget::Reason reason)
{
    using namespace asio::experimental::awaitable_operators;
    auto fetching = fetcher_.fetch(machine_.query(), reason);
    const bool is_personal_token = is_personal(context_.library, context_.keeper.status());
    const bool may_ask = reason == budget::Reason::closing && !is_personal_token && vouching_.may_ask_beside();
    // An answer that waits for that of the canary keeps its place in the room for large bodies.
    if (!may_ask || context_.limiter.is_spent(budget::Purpose::interactive)) {
        co_return co_await std::move(fetching);
    }
    auto page = caught(std::move(fetching));
    auto asked = caught(vouching_.ask_beside());
    auto both = std::move(page) && std::move(asked);
    auto outcomes = co_await std::move(both);
    std::get<1>(outcomes).take();
    co_return std::get<0>(outcomes).take();
}

asio::awaitable<PassAction> PassRun::judge(Fetched page)
{
    auto answer = classify(page.outcome);
    last_trouble_ = {answer.why, answer.source};
    page_fault_ = answer.kind == AnswerKind::bad_request ? PageFault::query : PageFault::none;
    report_.trouble = Trouble::none;
    report_.why.clear();
    report_.cure = {};
    const bool is_no_json = answer.kind == AnswerKind::passing && page.outcome &&
                            (brings_page(page.outcome->status) || page.outcome->status < 500);
    report_.instead = is_no_json ? PassReport::Instead::no_json : PassReport::Instead::nothing_known;
    if (machine_.is_guessing() && refuses_question(page.outcome)) {
        co_return co_await handle_refusal(page.outcome->status);
    }
    if (machine_.is_behind_first_page() && denies_page(page.outcome)) {
        co_return co_await page_denied(page.outcome->status);
    }
    switch (answer.kind) {
    case AnswerKind::page: co_return co_await handle_page(std::move(page));
    case AnswerKind::unauthorized: co_return co_await refused(*page.outcome);
    case AnswerKind::throttled:
        if (const auto closed = closed_for(*page.outcome, context_.clock.now()); closed > Duration(0)) {
            co_return co_await wait_until_open(closed);
        }
        // The limiter may wait long before the next try.
        board_.hold_up(last_trouble_.why, last_trouble_.source, context_.clock.now());
        co_return resume(PassEvent::throttled);
    case AnswerKind::past_end: co_return resume(PassEvent::page_past_end);
    case AnswerKind::passing: co_return resume(PassEvent::passing_trouble);
    case AnswerKind::bad_request:
        report_.instead = is_page_for_people(*page.outcome) ? PassReport::Instead::denial : report_.instead;
        report_.trouble = Trouble::needs_person;
        report_.why = std::move(answer.why);
        co_return resume(PassEvent::order_refused);
    case AnswerKind::forbidden: co_return fail(Trouble::forbidden, std::move(answer.why));
    case AnswerKind::misconfigured:
        if (plan_.slice && plan_.slice->is_list_by_parent() && classify_row(page.outcome) == RowAnswer::gone) {
            report_.list.absent = true;
            report_.as_of = read_time(page, report_.started, context_.clock.now());
            answer.why = fmt::format("the service has no such list ({})", page.outcome->status);
            answer.cure = {};
        }
        if (page.outcome && !report_.list.absent) {
            report_.instead = PassReport::Instead::denial;
        }
        report_.cure = std::move(answer.cure);
        co_return fail(Trouble::needs_person, std::move(answer.why));
    }
    std::abort();
}

// A page that the one before it names is refused.
asio::awaitable<PassAction> PassRun::page_denied(int status)
{
    const bool is_cursor = staged_.envelope() == Envelope::cursor;
    const bool goes_on = !is_not_found(status) || is_cursor;
    auto lacking = lacks_proven_rows(goes_on);
    if (!co_await std::move(lacking)) {
        refused_page_ = status;
        co_return resume(goes_on ? PassEvent::page_refused : PassEvent::page_past_end);
    }
    // The list of another library may be shorter.
    auto asking = vouching_.before(Duration(0));
    auto identity = co_await std::move(asking);
    if (identity.trouble != Trouble::none && identity.trouble != Trouble::passing) {
        co_return fail(identity.trouble, std::move(identity.why), identity.source);
    }
    // The next pass begins at page 1: a cursor may have expired, or the list has shrunk.
    auto why = describe_refused_page(plan_, machine_.walk().pages + 1, status);
    if (plan_.slice) {
        co_return walk_again(std::move(why));
    }
    pages_are_spent_ = true;
    report_.instead = PassReport::Instead::denial;
    report_.cure = Cure(CureKind::split_list);
    why.append("; ").append(report_.cure.words());
    co_return fail(Trouble::needs_person, std::move(why));
}

// The list, or all that the service has on this path, is closed for a while. The limiter serves others meanwhile.
asio::awaitable<PassAction> PassRun::wait_until_open(Duration closed)
{
    if (closed > max_closed) {
        report_.closed_for = closed;
        co_return fail(Trouble::passing, last_trouble_.why, last_trouble_.source);
    }
    co_await pause(closed);
    co_return resume(PassEvent::throttled);
}

// A 401: the keeper decides whether the token is dead. If it is not, and the answer names a wait, the list has a limit.
asio::awaitable<PassAction> PassRun::refused(const http::Response& response)
{
    token_.refused(response.joined("WWW-Authenticate"), limit_of_refusal(response, context_.clock.now()));
    if (token_.wait()) {
        last_trouble_ = {refusal_tells_limit, TroubleSource::limit};
    }
    // A token that was just refreshed is not dead.
    if (token_.wait() && machine_.has_new_token()) {
        co_return co_await wait_until_open(*token_.wait());
    }
    co_return resume(PassEvent::unauthorized);
}

// True if there is memory for the rows of one more page to wait for the next page.
bool PassRun::may_wait(std::uint64_t bytes)
{
    if (!waiting_rows_) {
        waiting_rows_.emplace(context_.memory->rows.share());
    }
    constexpr std::uint64_t bytes_a_byte = 4;  // memory of waiting rows for each byte of a page (measured)
    return waiting_rows_->grow(bytes_a_byte * bytes);
}

asio::awaitable<PassAction> PassRun::handle_page(Fetched page)
{
    const bool is_first = machine_.walk().pages == 0;
    if (is_first) {
        as_of_ = read_time(page, report_.started, context_.clock.now());
        report_.clock = begin_of_pass(page, as_of_, context_.clock.now() - report_.started);
        report_.read_at = report_.clock->service;
        token_.first_page_arrived();
    }
    auto response = std::move(*page.outcome);
    const auto start = pass_start();
    const bool closes = machine_.state() == PassState::closing;
    const auto commit =
        fetcher_.has_next() && may_wait(response.body.size()) ? mirror::Commit::may_wait : mirror::Commit::now;
    // While it waits for the limit, a walk holds as little memory as possible: hundreds of others may wait as well.
    const bool rests = commit == mirror::Commit::now && context_.limiter.is_spent(line_.purpose);
    WalLook wal;
    const Query asked(machine_.query());
    bool repeats_first = false;
    auto stage = [this, &asked, &response, &start, is_first, closes, commit, rests, &wal, &repeats_first] {
        if (is_first || closes) {
            const auto body = mirror::page_hash(response.body, hash_seed);
            repeats_first = closes && first_body_ == body;
            first_body_ = is_first ? body : first_body_;
        }
        auto taken =
            closes ? staged_.handle_closing(response, asked, start) : staged_.take(response, asked, start, commit);
        wal.bytes = context_.mirror.wal_bytes();
        if (rests) {
            context_.mirror.release_memory();
        }
        std::string().swap(response.body);  // now, because the loop may be busy for a while
        return taken;
    };
    auto seen = co_await context_.lane.run(stage);
    response.share.reset();
    if (commit == mirror::Commit::now) {
        waiting_rows_.reset();
    }
    if (line_.place != nullptr) {
        line_.place->progressed();
    }
    record_wal(context_, wal);
    if (!seen && machine_.is_guessing() && !staged_.has_frame()) {
        co_return co_await handle_refusal(400);  // not a page
    }
    if (!seen) {
        co_return page_failed(seen.error(), closes);
    }
    seen->is_early = is_first && asked_early_ && page.ahead;
    vouching_.rows_arrived(repeats_first ? 0 : seen->fresh, closes ? 0 : seen->items);
    show_page(*seen);
    const auto action = machine_.page_arrived(*seen);
    const bool goes_on = action == PassAction::fetch_page && machine_.state() == PassState::walking;
    if (goes_on && must_queue(*seen)) {
        co_return machine_.start_over();
    }
    // If `queries_behind` returns none, the page under way may be the last one.
    if (const auto ahead = staged_.queries_behind(asked); goes_on && !ahead.empty()) {
        fetcher_.fetch_ahead(ahead);
    }
    co_return action;
}

// The mirror, or the walk, did not take the page.
PassAction PassRun::page_failed(const Error& error, bool closes)
{
    if (!closes && staged_.has_frame()) {
        page_fault_ = PageFault::rows;
    }
    if (error.kind() == ErrorKind::protocol) {
        const auto source = page_fault_ == PageFault::rows ? TroubleSource::shape : source_of(error);
        last_trouble_ = {error.text(), staged_.is_key_at_fault() ? TroubleSource::keys : source};
        return resume(PassEvent::passing_trouble);
    }
    // What was read before in another form is perhaps back in a moment: `{"detail": "maintenance"}`.
    const bool is_other_form = error.kind() == ErrorKind::config && !staged_.has_frame();
    report_.instead = is_other_form ? PassReport::Instead::denial : report_.instead;
    return fail_with(error);
}

// The answer to a test for more rows, if it is not a page.
asio::awaitable<PassAction> PassRun::handle_refusal(int status)
{
    auto take = [this, status] { return staged_.handle_refusal(status); };
    co_return machine_.page_arrived(co_await context_.lane.run(take));
}

// The list may turn out to be long while others as long are walked; when its turn comes, its rows have moved.
bool PassRun::must_queue(const PageSeen& seen)
{
    if (plan_.kind != PassKind::full || plan_.slice || line_.turn == nullptr) {
        return false;
    }
    const auto counted = seen.count.value_or(0) / std::max<std::uint64_t>(seen.items, 1);
    must_queue_ = !line_.turn->may_go_on(std::max<std::uint64_t>(machine_.walk().pages, counted));
    return must_queue_;
}

mirror::PassStart PassRun::pass_start() const
{
    mirror::PassStart start;
    start.run_id = report_.run_id;
    start.mode = run_mode_of(plan_);
    start.asks_changes = plan_.kind == PassKind::incremental;
    start.started = report_.started;
    start.as_of = as_of_;
    start.token_generation = token_.generation();
    start.slice = plan_.slice;
    return start;
}

void PassRun::show_page(const PageSeen& seen)
{
    const auto place = machine_.walk().pages == 0 ? PassBoard::Place::first : PassBoard::Place::further;
    board_.page_arrived(place, seen.items, seen.new_keys, seen.count.value_or(0), context_.clock.now());
}

}  // namespace shelfd::sync
