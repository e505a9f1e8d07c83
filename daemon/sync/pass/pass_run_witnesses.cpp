#include "sync/pass/pass_run.hpp"

#include <cstdlib>

namespace shelfd::sync {
namespace {

// Enough to tell a filter from deletions; more would cost what other tables need.
constexpr std::size_t max_witnesses = 50;

}  // namespace

asio::awaitable<PassAction> PassRun::find_missing()
{
    progress_.phase = Phase::witnesses;
    auto find = [this] { return staged_.missing(max_witnesses); };
    auto found = co_await context_.lane.run(find);
    if (!found) {
        co_return fail_with(found.error());
    }
    missing_ = std::move(*found);
    co_return machine_.missing_found({.any = staged_.lacks_rows(), .askable = missing_.size()});
}

asio::awaitable<PassAction> PassRun::ask_witness()
{
    progress_.phase = Phase::witnesses;
    changed_();
    const auto& row = missing_[machine_.witness_number()];
    if (held_is_there_ && row.standing == mirror::MissingRow::Standing::held) {
        co_return resume(PassEvent::row_unclear);
    }
    auto fetched = co_await fetcher_.fetch_target(row.address, budget::Reason::witness);
    if (fetched.no_token) {
        co_return trouble_with_token(*fetched.no_token);
    }
    generation_ = fetched.generation;
    vouching_.answer_arrived(fetched.arrived);
    auto answer = classify_row(fetched.outcome);
    if (answer == RowAnswer::there && plan_.kind == PassKind::window) {
        answer = co_await check_for_move(row, std::move(fetched.outcome->body));
    }
    const bool refused = answer == RowAnswer::unauthorized;
    co_return hear(row, answer, refused ? fetched.outcome->joined("WWW-Authenticate") : "");
}

// A row whose date was corrected is in another window now, and nobody hides it.
asio::awaitable<RowAnswer> PassRun::check_for_move(const mirror::MissingRow& row, std::string item)
{
    auto look = [this, &row, &item] { return staged_.check_for_move(row, item); };
    const bool moved = co_await context_.lane.run(look);
    co_return moved ? RowAnswer::unclear : RowAnswer::there;
}

PassAction PassRun::hear(const mirror::MissingRow& row, RowAnswer answer, std::string refusal)
{
    switch (answer) {
    case RowAnswer::there:
        staged_.add_evidence(row, mirror::Witness::there);
        if (row.standing == mirror::MissingRow::Standing::missing) {
            return resume(PassEvent::row_there);
        }
        // That it is hidden was known: the others are asked for, but no more of those that wait with it.
        held_is_there_ = held_is_there_ || row.standing == mirror::MissingRow::Standing::held;
        return resume(PassEvent::row_unclear);
    case RowAnswer::gone: staged_.add_evidence(row, mirror::Witness::gone); return resume(PassEvent::row_gone);
    case RowAnswer::unclear: staged_.add_evidence(row, mirror::Witness::none); return resume(PassEvent::row_unclear);
    case RowAnswer::throttled:
        last_trouble_ = "the service asks for a pause (429)";
        return resume(PassEvent::throttled);
    case RowAnswer::unauthorized: refused_because_ = std::move(refusal); return resume(PassEvent::unauthorized);
    }
    std::abort();
}

budget::Tally PassRun::spent() const
{
    auto spent = plan_.spent;
    spent.add(fetcher_.sent());
    spent.add(budget::Reason::canary, vouching_.requests());
    return spent;
}

}  // namespace shelfd::sync
