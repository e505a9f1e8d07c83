#include "sync/pass/pass_run.hpp"

#include "sync/library/mirror_claim.hpp"
#include "sync/library/service_request.hpp"
#include "sync/library/token_kind.hpp"
#include "sync/trouble/error_source.hpp"
#include "sync/trouble/scope.hpp"

#include <boost/asio/this_coro.hpp>
#include <fmt/core.h>

#include <cstdlib>
#include <exception>
#include <utility>

namespace shelfd::sync {
namespace {

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
                 PassBoard& board)
    : context_(context), resource_(resource), plan_(std::move(plan)), board_(board),
      machine_(settings_for(context, plan_)), line_(line), fetcher_(context, resource, plan_.path, line),
      staged_({context.library, resource, plan_, context.keeper.status()}, context.clock, context.mirror),
      vouching_(context.identity)
{
    report_.kind = plan_.kind;
}

void PassRun::ask_early()
{
    if (plan_.fault.empty()) {
        asked_early_ = true;
        report_.started = context_.clock.now();
        fetcher_.fetch_ahead({plan_.first_query});
    }
}

asio::awaitable<budget::Tally> PassRun::abandon()
{
    co_await fetcher_.close();
    co_return fetcher_.sent();
}

asio::awaitable<PassReport> PassRun::run(std::string run_id, std::optional<Instant> late_at,
                                         std::optional<RoundSoFar> round)
{
    late_at_ = late_at;
    round_ = round;
    report_.run_id = std::move(run_id);
    const auto now = context_.clock.now();
    report_.started = asked_early_ ? report_.started : now;
    board_.begin(now);
    board_.follow(line_.flow);
    std::exception_ptr cancelled;
    try {
        co_await carry_out();
    } catch (...) {
        cancelled = std::current_exception();
    }
    if (cancelled) {
        // Staged rows are dropped in the lane, which owns them. A stop may also come after the walk has ended.
        co_await asio::this_coro::reset_cancellation_state(asio::disable_cancellation());
        co_await fetcher_.close();
        auto drop = [this] { staged_.drop(); };
        co_await context_.lane.run(drop);
        board_.end();
        std::rethrow_exception(cancelled);
    }
    board_.end();
    board_.changed();
    co_return std::move(report_);
}

asio::awaitable<void> PassRun::carry_out()
{
    const auto action = co_await run_machine();
    co_await fetcher_.close();
    report_.spent = spent();
    report_.pages = machine_.walk().pages;
    report_.proof = ended_walk().proof();
    report_.is_unvouched = vouching_.is_impossible();
    report_.takes_rows = taken_.are_many;
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
        co_return fail(Trouble::forbidden, describe_missing_scope(granted, resource_.needs), TroubleSource::scope);
    }
    if (!plan_.fault.empty()) {
        report_.list.unaskable = plan_.slice && plan_.slice->is_list_by_parent();
        co_return fail(Trouble::needs_person, plan_.fault);
    }
    auto action = resume(PassEvent::begin);
    while (action != PassAction::finish && action != PassAction::give_up) {
        if (action == PassAction::wait || board_.is_obstacle_over()) {
            co_await tell_of_obstacle();
        }
        action = co_await perform(action);
        board_.changed();
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
    case PassAction::give_up: break;  // run_machine() ends its loop with these
    }
    std::abort();
}

asio::awaitable<PassAction> PassRun::ask_identity()
{
    board_.enter(Phase::identity);
    const bool is_behind = machine_.state() == PassState::confirming;
    const bool would_delete = is_behind && staged_.lacks_rows();
    Result<Vouching::Rows> rows = Vouching::Rows::stay;
    if (is_behind) {
        rows = co_await weigh_loss();
    }
    if (!rows) {
        co_return fail_with(rows.error());
    }
    const auto max_age = identity_max_age(is_behind);
    auto asking = is_behind ? vouching_.behind(max_age, *rows, must_confirm()) : vouching_.before(max_age);
    auto answer = co_await std::move(asking);
    if (answer.unsure) {
        report_.lost_canary = true;
        co_return walk_again(std::move(answer.why));
    }
    if (answer.trouble == Trouble::none) {
        answer = co_await claim_mirror(context_, Claim::look);
    }
    last_trouble_ = {answer.why, answer.source};
    if (answer.trouble == Trouble::none && would_delete && token_.was_replaced(context_.keeper.status().generation)) {
        co_return walk_again("rows are missing from a list whose token was replaced during the walk, perhaps because "
                             "it was invalid: the list is walked again");
    }
    switch (answer.trouble) {
    case Trouble::none: co_return resume(PassEvent::identity_ours);
    case Trouble::passing: co_return resume(PassEvent::passing_trouble);
    default:
        if (answer.trouble == Trouble::needs_person && context_.keeper.status().access_usable) {
            report_.instead = PassReport::Instead::denial;
        }
        co_return fail(answer.trouble, std::move(answer.why), answer.source);
    }
}

asio::awaitable<PassAction> PassRun::find_missing()
{
    board_.enter(Phase::witnesses);
    auto find = [this] { return staged_.missing(Witnesses::max_rows); };
    auto found = co_await context_.lane.run(find);
    if (!found) {
        co_return fail_with(found.error());
    }
    witnesses_.choose(std::move(*found));
    co_return machine_.missing_found({.any = staged_.lacks_rows(), .askable = witnesses_.size()});
}

asio::awaitable<PassAction> PassRun::ask_witness()
{
    board_.enter(Phase::witnesses);
    board_.changed();
    const auto number = machine_.witness_number();
    const auto& row = witnesses_.row(number);
    if (witnesses_.is_settled(number)) {
        co_return resume(PassEvent::row_unclear);
    }
    auto fetched = co_await fetcher_.fetch_target(row.address, budget::Reason::witness);
    if (fetched.no_token) {
        co_return trouble_with_token(*fetched.no_token);
    }
    answer_arrived(fetched);
    auto answer = classify_row(fetched.outcome);
    if (answer == RowAnswer::there && plan_.kind == PassKind::window) {
        // A row whose date was corrected is now in another window; the list does not hide it.
        auto look = [this, &row, &fetched] { return staged_.check_for_move(row, fetched.outcome->body); };
        const bool moved = co_await context_.lane.run(look);
        answer = moved ? RowAnswer::unclear : answer;
    }
    if (answer == RowAnswer::gone && !staged_.shows_absence(row)) {
        answer = RowAnswer::unclear;
    }
    const auto verdict = witnesses_.heard(number, answer);
    if (verdict.evidence) {
        staged_.add_evidence(row, *verdict.evidence);
    } else if (verdict.event == PassEvent::throttled) {
        last_trouble_ = {fmt::format("rate limited by the service ({})", fetched.outcome->status),
                         TroubleSource::limit};
    } else if (verdict.event == PassEvent::unauthorized) {
        co_return co_await refused(*fetched.outcome);
    }
    co_return resume(verdict.event);
}

void PassRun::answer_arrived(const Fetched& answer)
{
    token_.answer_arrived(answer.generation);
    vouching_.answer_arrived(answer.arrived);
}

asio::awaitable<PassAction> PassRun::renew_token()
{
    auto first_page = plan_.path + (plan_.first_query.empty() ? "" : "?" + plan_.first_query);
    auto refuser = co_await refuser_of(context_, resource_.name, std::move(first_page), token_.generation());
    const auto token = co_await context_.keeper.reject(token_.generation(), token_.challenge(), std::move(refuser));
    if (!token && token.error().kind() == ErrorKind::refused && token_.wait()) {
        co_return co_await wait_until_open(*token_.wait());
    }
    if (!token) {
        co_return trouble_with_token(token.error());
    }
    token_.renewed(token->generation);
    co_return resume(PassEvent::token_renewed);
}

asio::awaitable<PassAction> PassRun::start_over()
{
    auto work = [this] { staged_.begin_anew(); };
    co_await context_.lane.run(work);
    fetcher_.fetch_ahead({});
    asked_early_ = false;
    report_.recalled = 0;
    vouching_.begin_anew();
    board_.start_over();
    if (std::exchange(must_queue_, false)) {
        board_.enter(Phase::queued);
        board_.changed();
        leave_place();
        co_await line_.turn->wait_until_free();
        take_place_again();
    }
    co_return resume(PassEvent::dropped);
}

asio::awaitable<PassAction> PassRun::wait()
{
    co_await pause(machine_.wait_time());
    co_return resume(PassEvent::waited);
}

asio::awaitable<void> PassRun::pause(Duration time)
{
    board_.enter(Phase::waiting);
    board_.hold_up(last_trouble_.why, last_trouble_.source, context_.clock.now());
    board_.changed();
    if (line_.turn != nullptr) {
        line_.turn->pause();
    }
    leave_place();
    co_await context_.clock.sleep_for(time);
    if (line_.turn != nullptr && machine_.walk().pages == 0) {
        co_await line_.turn->wait_until_free();
    } else if (line_.turn != nullptr) {
        line_.turn->go_on();
    }
    take_place_again();
}

// While the pass waits for the service, walks of other libraries may work.
void PassRun::leave_place()
{
    if (line_.place != nullptr) {
        line_.place->pause();
    }
}

void PassRun::take_place_again()
{
    if (line_.place != nullptr) {
        line_.place->go_on();
    }
}

PassAction PassRun::trouble_with_token(const Error& error)
{
    if (trouble_of(error) != Trouble::passing) {
        // A single list that refuses a token which works may be a fault of the service for a moment.
        const bool is_denial = error.kind() == ErrorKind::refused && error.status == 401;
        report_.instead = is_denial ? PassReport::Instead::denial : report_.instead;
        return fail_with(error);
    }
    last_trouble_ = {error.text(), source_of(error)};
    return resume(PassEvent::passing_trouble);
}

PassAction PassRun::fail_with(const Error& error)
{
    report_.cause = error.kind();
    report_.cure = cure_of(error.cure());
    return fail(trouble_of(error), error.text(), source_of(error));
}

// From page 1: pages fetched with that token prove nothing, however often they are used.
PassAction PassRun::walk_again(std::string why)
{
    pages_are_spent_ = true;
    return fail(Trouble::passing, std::move(why));
}

PassAction PassRun::fail(Trouble trouble, std::string why, TroubleSource source)
{
    report_.trouble = trouble;
    report_.source = source;
    report_.why = std::move(why);
    return resume(PassEvent::failed);
}

}  // namespace shelfd::sync
