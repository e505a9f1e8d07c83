#include "sync/pass/pass_run.hpp"

#include "sync/library/mirror_claim.hpp"
#include "sync/library/wal_watch.hpp"
#include "sync/trouble/scope.hpp"

#include <boost/asio/this_coro.hpp>
#include <fmt/core.h>

#include <cstdlib>
#include <exception>
#include <utility>

namespace shelfd::sync {
namespace {

// How far our clock may be ahead of the service's when it sends no Date.
constexpr auto clock_margin = std::chrono::minutes(5);

// A path that is closed for longer is none to wait for with what was read so far.
constexpr Duration max_closed = std::chrono::minutes(1);

PassMachine::Settings settings_for(const LibraryContext& context, const PassPlan& plan)
{
    PassMachine::Settings settings;
    settings.has_identity = context.identity.is_possible();
    settings.first_query = plan.first_query;
    settings.plain_query = plan.plain_query;
    settings.previous_key_set = plan.previous_key_set;
    settings.repeats = plan.repeats;
    settings.newest_first = plan.newest_first;
    settings.seeks_missing = plan.kind != PassKind::incremental;
    settings.max_first_attempts = plan.failed_before ? 1 : settings.max_first_attempts;
    return settings;
}

}  // namespace

PassRun::PassRun(LibraryContext& context, const config::Resource& resource, PassPlan plan, RequestLine& line,
                 Progress& progress, std::function<void()> changed)
    : context_(context), resource_(resource), plan_(std::move(plan)), progress_(progress), changed_(std::move(changed)),
      machine_(settings_for(context, plan_)), line_(line), fetcher_(context, resource, plan_.path, line),
      staged_(context, resource, plan_), vouching_(context.identity)
{
    report_.kind = plan_.kind;
}

asio::awaitable<PassReport> PassRun::run(std::string run_id, std::optional<Instant> late_at,
                                         std::optional<RoundSoFar> round)
{
    late_at_ = late_at;
    round_ = round;
    report_.run_id = std::move(run_id);
    const auto now = context_.clock.now();
    report_.started = asked_early_ ? report_.started : now;
    Progress shown;
    shown.running = true;
    shown.list = progress_.list;
    shown.lists = progress_.lists;
    shown.round_started = progress_.round_started;
    progress_ = std::move(shown);
    progress_.started = now;
    std::exception_ptr cancelled;
    try {
        co_await carry_out();
    } catch (...) {
        cancelled = std::current_exception();
    }
    if (cancelled) {
        // What is staged belongs to the lane, and so does dropping it. A stop may come when the walk has ended, too.
        co_await asio::this_coro::reset_cancellation_state(asio::disable_cancellation());
        co_await fetcher_.close();
        auto drop = [this] { staged_.drop(); };
        co_await context_.lane.run(drop);
        progress_.running = false;
        std::rethrow_exception(cancelled);
    }
    progress_.running = false;
    changed_();
    co_return std::move(report_);
}

asio::awaitable<void> PassRun::carry_out()
{
    const auto action = co_await run_machine();
    co_await fetcher_.close();
    report_.spent = spent();
    report_.pages = machine_.walk().pages;
    report_.proof = vouching_.is_impossible() ? Proof{} : machine_.proof();
    report_.is_unvouched = vouching_.is_impossible();
    report_.learned = learned();
    if (plan_.end_habit && report_.learned.end) {
        *plan_.end_habit = *report_.learned.end;
    }
    report_.ended = context_.clock.now();
    if (action == PassAction::give_up) {
        co_await record_failure();
    }
}

asio::awaitable<PassAction> PassRun::run_machine()
{
    if (const auto granted = context_.keeper.status().scope; lacks_scope(granted, resource_.needs)) {
        co_return fail(Trouble::forbidden,
                       fmt::format("the token set lacks the scope {}, so nothing was asked; it covers: {}",
                                   resource_.needs, granted));
    }
    if (!plan_.fault.empty()) {
        report_.unaskable = plan_.slice && plan_.slice->is_list_by_parent();
        co_return fail(Trouble::needs_person, plan_.fault);
    }
    auto action = resume(PassEvent::begin);
    while (action != PassAction::finish && action != PassAction::give_up) {
        action = co_await perform(action);
        changed_();
    }
    co_return action;
}

asio::awaitable<PassAction> PassRun::perform(PassAction action)
{
    switch (action) {
    case PassAction::ask_identity: return ask_identity();
    case PassAction::fetch_page: return fetch_page();
    case PassAction::start_over: return start_over();
    case PassAction::find_missing: return find_missing();
    case PassAction::ask_witness: return ask_witness();
    case PassAction::renew_token: return renew_token();
    case PassAction::wait: return wait();
    case PassAction::publish: return publish();
    case PassAction::finish:
    case PassAction::give_up: break;  // the loop of run_machine() ends with these
    }
    std::abort();
}

asio::awaitable<PassAction> PassRun::ask_identity()
{
    progress_.phase = Phase::identity;
    const bool would_delete = machine_.state() == PassState::confirming && staged_.lacks_rows();
    const auto max_age = identity_max_age(context_, plan_.kind);
    auto asking = machine_.state() == PassState::confirming
                      ? vouching_.behind(max_age, would_delete ? Vouching::Rows::go : Vouching::Rows::stay)
                      : vouching_.before(max_age);
    auto answer = co_await std::move(asking);
    if (answer.trouble == Trouble::none) {
        answer = co_await claim_mirror(context_, Claim::look);
    }
    last_trouble_ = answer.why;
    if (answer.trouble == Trouble::none && would_delete && context_.keeper.status().generation != first_generation_) {
        co_return walk_again("rows are missing from a list whose token was replaced while it was walked, perhaps "
                             "because it had died: the list is walked again");
    }
    if (answer.unsure && would_delete && !vouching_.is_impossible()) {
        co_return walk_again("rows are missing, and nothing tells now whether the token still works: the list is "
                             "walked again");
    }
    switch (answer.trouble) {
    case Trouble::none: co_return resume(PassEvent::identity_ours);
    case Trouble::passing: co_return resume(PassEvent::passing_trouble);
    default: co_return fail(answer.trouble, std::move(answer.why));
    }
}

asio::awaitable<PassAction> PassRun::fetch_page()
{
    progress_.phase = machine_.state() == PassState::closing ? Phase::closing : Phase::pages;
    progress_.page = machine_.page_number();
    changed_();
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

// A page that was sent with a token that is known to be refused says nothing new.
asio::awaitable<Fetched> PassRun::next_page()
{
    for (;;) {
        const auto reason = machine_.state() == PassState::closing ? budget::Reason::closing
                            : staged_.is_asking_for_end()          ? budget::Reason::end_try
                                                                   : budget::Reason::page;
        leave_place_if_spent();
        auto page = co_await fetcher_.fetch(machine_.query(), reason);
        take_place_again();
        generation_ = page.generation;
        vouching_.answer_arrived(page.arrived);
        const bool is_old_news = page.outcome && page.outcome->status == 401 && page.generation < renewed_;
        if (!is_old_news) {
            co_return page;
        }
    }
}

asio::awaitable<PassAction> PassRun::judge(Fetched page)
{
    auto answer = classify(page.outcome);
    last_trouble_ = answer.why;
    rows_are_at_fault_ = false;
    query_was_refused_ = answer.kind == AnswerKind::bad_request;
    report_.trouble = Trouble::none;
    report_.why.clear();
    report_.no_json = answer.kind == AnswerKind::passing && page.outcome && brings_page(page.outcome->status);
    if (machine_.is_guessing() && refuses_question(page.outcome)) {
        co_return co_await handle_refusal(page.outcome->status);
    }
    if (machine_.is_behind_first_page() && denies_page(page.outcome)) {
        report_.refused_page = page.outcome->status;
        const bool is_refusal = report_.refused_page == 400 || report_.refused_page == 422;
        const bool goes_on = is_refusal || staged_.envelope() == Envelope::cursor;
        co_return resume(goes_on ? PassEvent::page_refused : PassEvent::page_past_end);
    }
    switch (answer.kind) {
    case AnswerKind::page: co_return co_await handle_page(std::move(*page.outcome), page.ahead);
    case AnswerKind::unauthorized:
        refused_because_ = page.outcome->joined("WWW-Authenticate");
        co_return resume(PassEvent::unauthorized);
    case AnswerKind::throttled:
        report_.closed_for = closed_for(*page.outcome, context_.clock.now());
        if (report_.closed_for > max_closed) {
            co_return fail(Trouble::passing, std::move(answer.why));
        }
        if (report_.closed_for > Duration(0)) {
            co_return co_await wait_until_open();
        }
        // The limiter waits before the next try, maybe for long.
        hold_up();
        co_return resume(PassEvent::throttled);
    case AnswerKind::past_end: co_return resume(PassEvent::page_past_end);
    case AnswerKind::passing: co_return resume(PassEvent::passing_trouble);
    case AnswerKind::bad_request:
        report_.trouble = Trouble::needs_person;
        report_.why = std::move(answer.why);
        co_return resume(PassEvent::order_refused);
    case AnswerKind::forbidden: co_return fail(Trouble::forbidden, std::move(answer.why));
    case AnswerKind::misconfigured:
        if (plan_.slice && plan_.slice->is_list_by_parent() && classify_row(page.outcome) == RowAnswer::gone) {
            report_.absent = true;
            report_.as_of = time_of(*page.outcome);
            answer.why = "the service has no such list (404)";
        }
        co_return fail(Trouble::needs_person, std::move(answer.why));
    }
    std::abort();
}

// Whether there is room for the rows of one more page to wait for the next one.
bool PassRun::may_wait(std::uint64_t bytes)
{
    if (!waiting_rows_) {
        waiting_rows_.emplace(context_.memory->rows.share());
    }
    constexpr std::uint64_t bytes_a_byte = 4;  // of a page, as rows that wait (measured)
    return waiting_rows_->grow(bytes_a_byte * bytes);
}

asio::awaitable<PassAction> PassRun::handle_page(http::Response response, bool was_ahead)
{
    const bool is_first = machine_.walk().pages == 0;
    if (is_first) {
        as_of_ = time_of(response);
        // The answer may be as old as the request for it, and its Date tells when it was sent.
        report_.read_at = as_of_ - std::max(context_.clock.now() - report_.started, Duration(0));
        first_generation_ = generation_;
    }
    const auto start = pass_start();
    const bool closes = machine_.state() == PassState::closing;
    const auto commit =
        fetcher_.has_next() && may_wait(response.body.size()) ? mirror::Commit::may_wait : mirror::Commit::now;
    // What waits for its turn at the limit holds as little as it can: hundreds of others may wait as well.
    const bool rests = commit == mirror::Commit::now && context_.limiter.is_spent(line_.purpose);
    WalLook wal;
    auto stage = [this, &response, &start, closes, commit, rests, &wal] {
        auto taken = closes ? staged_.handle_closing(response, machine_.query(), start)
                            : staged_.take(response, machine_.query(), start, commit);
        wal.bytes = context_.mirror.wal_bytes();
        if (rests) {
            context_.mirror.release_memory();
        }
        std::string().swap(response.body);  // the loop may be long in coming back to it
        return taken;
    };
    auto seen = co_await context_.lane.run(stage);
    if (commit == mirror::Commit::now) {
        waiting_rows_.reset();
    }
    record_wal(context_, wal);
    if (!seen && machine_.is_guessing() && !staged_.has_frame()) {
        co_return co_await handle_refusal(400);  // something else than a page
    }
    rows_are_at_fault_ = !seen && !closes && staged_.has_frame();
    if (!seen && seen.error().kind() == ErrorKind::protocol) {
        last_trouble_ = seen.error().text();
        co_return resume(PassEvent::passing_trouble);
    }
    if (!seen) {
        co_return fail_with(seen.error());
    }
    seen->is_early = is_first && asked_early_ && was_ahead;
    vouching_.rows_arrived(seen->fresh);
    show_page(*seen);
    const auto asked = machine_.query();
    const auto action = machine_.page_arrived(*seen);
    const bool goes_on = action == PassAction::fetch_page && machine_.state() == PassState::walking;
    if (goes_on && must_queue(*seen)) {
        co_return machine_.start_over();
    }
    // Where nothing more is known, what is under way may be the last page.
    if (const auto ahead = staged_.queries_behind(asked); goes_on && !ahead.empty()) {
        fetcher_.fetch_ahead(ahead);
    }
    co_return action;
}

Instant PassRun::time_of(const http::Response& response) const
{
    return service_time(response, report_.started - clock_margin, context_.clock.now());
}

mirror::PassStart PassRun::pass_start() const
{
    mirror::PassStart start;
    start.run_id = report_.run_id;
    start.mode = plan_.run_mode.value_or(mode_of(plan_.kind));
    start.asks_changes = plan_.kind == PassKind::incremental;
    start.started = report_.started;
    start.as_of = as_of_;
    start.token_generation = generation_;
    start.slice = plan_.slice;
    return start;
}

asio::awaitable<PassAction> PassRun::renew_token()
{
    auto token = co_await context_.keeper.reject(generation_, refused_because_);
    if (!token) {
        co_return trouble_with_token(token.error());
    }
    renewed_ = token->generation;
    co_return resume(PassEvent::token_renewed);
}

}  // namespace shelfd::sync
