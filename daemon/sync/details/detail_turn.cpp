#include "sync/details/detail_turn.hpp"

#include "sync/library/mirror_claim.hpp"
#include "sync/library/service_request.hpp"
#include "sync/library/token_kind.hpp"
#include "sync/service/item_address.hpp"
#include "sync/trouble/error_source.hpp"

#include <boost/asio/this_coro.hpp>
#include <fmt/core.h>

#include <algorithm>
#include <numeric>
#include <utility>

namespace shelfd::sync {
namespace {

// Limits of a batch: it is published when it reaches one of them.
constexpr std::size_t max_answers = 50;
constexpr std::size_t max_bytes = std::size_t{1} << 20;
constexpr Duration max_wait = std::chrono::seconds(10);
// How long a turn takes more items; between turns the worker looks at the whole queue and reports.
constexpr Duration max_supply = std::chrono::minutes(2);
// How long the canary's acceptance of a token counts for further 401s of single items.
constexpr Duration works_for = std::chrono::minutes(1);

constexpr const char* lost_many =
    "the service answers 404 for the last items, which the list still shows, so they were not deleted: a permission "
    "was reduced, or the address changed; the details stay: restore the permission, or correct `detail`";

}  // namespace

DetailTurn::DetailTurn(LibraryContext& context, const config::Resource& resource, DetailMachine& machine,
                       mirror::DetailRun run, PassBoard& board)
    : context_(context), resource_(resource), machine_(machine), run_(std::move(run)), board_(board),
      tries_one_(machine.tries_one()), line_{budget::Purpose::rolling}, fetcher_(context, resource, "", line_),
      vouching_(context.identity), tasks_(context.executor, context.failures_of(resource)),
      held_(context.memory->rows.share()), began_(context.clock.boot_now())
{
}

asio::awaitable<DetailTurnReport> DetailTurn::run(MoreDetails first, Supply supply)
{
    supply_ = std::move(supply);
    board_.follow(line_.flow);
    add(std::move(first));
    std::exception_ptr cancelled;
    try {
        co_await fetch_and_publish();
    } catch (...) {
        cancelled = std::current_exception();
    }
    if (cancelled) {
        co_await asio::this_coro::reset_cancellation_state(asio::disable_cancellation());
    }
    tasks_.cancel();
    co_await tasks_.join();
    co_await fetcher_.close();
    if (cancelled) {
        // No canary can be asked any more. The answers are ours if it has answered since the last of them, or if they
        // show readers nothing new.
        if (!answers_.empty() && !has_gone_items(answers_)) {
            std::swap(batch_, answers_);
            co_await publish(context_.identity.is_confirmed_after(answered_.last) ? mirror::NewRows::published
                                                                                  : mirror::NewRows::withheld);
        }
        std::rethrow_exception(cancelled);
    }
    report_.requests = fetcher_.sent().total();
    co_return std::move(report_);
}

asio::awaitable<void> DetailTurn::fetch_and_publish()
{
    while (fetching_ > 0 || !answers_.empty()) {
        if (wants_more()) {
            co_await get_more();
            continue;
        }
        if (fetching_ == 0 || is_batch_ready()) {
            co_await confirm_and_publish();
            held_.resize(std::accumulate(answers_.begin(), answers_.end(), std::uint64_t{0},
                                         [](auto sum, const auto& one) { return sum + one.body.size(); }));
            continue;
        }
        if (answers_.empty()) {
            co_await arrived_.wait();
        } else {
            co_await context_.clock.wait_until(answered_.first + max_wait, arrived_);
        }
    }
}

// Only while requests are under way: otherwise the turn is over.
bool DetailTurn::wants_more() const
{
    return fetching_ > 0 && !is_dry_ && !tries_one_ && goes_on() &&
           items_.size() < context_.library.service.in_flight && context_.clock.boot_now() < began_ + max_supply;
}

asio::awaitable<void> DetailTurn::get_more()
{
    is_dry_ = true;  // unless look_again() is called meanwhile
    auto asking = supply_(under_way_);
    auto more = co_await std::move(asking);
    is_dry_ = is_dry_ && more.items.empty();
    add(std::move(more));
}

void DetailTurn::look_again()
{
    is_dry_ = false;
    arrived_.notify_all();
}

// New and changed items precede those that wait here.
void DetailTurn::add(MoreDetails more)
{
    for (const auto& item : more.items) {
        under_way_.insert(item.key);
    }
    const bool goes_before = more.purpose < line_.purpose;
    line_.purpose = std::min(line_.purpose, more.purpose);
    items_.insert(goes_before ? items_.begin() : items_.end(), std::make_move_iterator(more.items.begin()),
                  std::make_move_iterator(more.items.end()));
    std::stable_partition(items_.begin(), items_.end(),
                          [](const auto& item) { return item.rank == mirror::DetailRank::changed; });
    // Counted before the first one runs, since it may end at once.
    const std::size_t most = context_.library.service.in_flight;
    const auto loops = std::min(items_.size(), most - std::min(most, fetching_));
    fetching_ += loops;
    for (std::size_t i = 0; i < loops; ++i) {
        tasks_.spawn(fetch_some());
    }
}

bool DetailTurn::is_batch_ready() const
{
    return !answers_.empty() &&
           (answers_.size() >= max_answers || held_.bytes() >= max_bytes || context_.memory->rows.is_full() ||
            context_.clock.boot_now() >= answered_.first + max_wait);
}

asio::awaitable<void> DetailTurn::fetch_some()
{
    while (!items_.empty() && goes_on()) {
        const auto item = std::move(items_.front());
        items_.pop_front();
        co_await fetch(item);
        arrived_.notify_all();
    }
    --fetching_;
    arrived_.notify_all();
}

asio::awaitable<void> DetailTurn::fetch(const mirror::DetailItem& item)
{
    const auto asked = context_.clock.now();
    auto target = detail_target(context_.library, resource_, item);
    if (!target) {
        const auto verdict = machine_.heard(DetailEvent::no_address, {item.tries, false}, context_.random());
        take(item, asked, {verdict, target.error().text(), "", asked});
        co_return;
    }
    auto heard = co_await ask(item, std::move(*target));
    if (heard) {
        take(item, asked, std::move(*heard));
    }
}

asio::awaitable<std::optional<DetailTurn::Heard>> DetailTurn::ask(const mirror::DetailItem& item, std::string target)
{
    DetailTry so_far{item.tries, false, item.has_detail, item.key};
    while (goes_on()) {
        auto fetched = co_await fetcher_.fetch_target(target, budget::Reason::detail);
        if (fetched.no_token) {
            stop_for(trouble_of(*fetched.no_token), fetched.no_token->text(), source_of(*fetched.no_token));
            co_return std::nullopt;
        }
        auto judged = judge(fetched, so_far);
        if (judged.verdict.action == DetailAction::renew_token) {
            auto refusal = fetched.outcome->joined("WWW-Authenticate");
            auto refuser = refuser_of(context_, target, fetched.generation, item.fetched_at);
            const auto found = co_await renew_token(fetched.generation, std::move(refusal), std::move(refuser));
            so_far.renewed = found != TokenFound::none;
            if (found != TokenFound::works) {
                continue;
            }
            judged = judge(fetched, so_far);
        }
        if (judged.verdict.action == DetailAction::leave) {
            report_.fault = std::move(judged.heard.why);
            co_return std::nullopt;
        }
        Heard out{judged.verdict, std::move(judged.heard.why), "", context_.clock.now()};
        if (fetched.outcome) {
            out.fetched_at = service_time(*fetched.outcome, out.fetched_at, out.fetched_at);
            out.body = std::move(fetched.outcome->body);
        }
        co_return out;
    }
    co_return std::nullopt;
}

DetailTurn::Judged DetailTurn::judge(const Fetched& fetched, DetailTry& item)
{
    auto heard = classify_detail(fetched.outcome, context_.clock.now());
    if (heard.event == DetailEvent::unauthorized) {
        item.renewed = item.renewed || is_known_to_work(fetched.generation);
        if (item.renewed) {
            heard = classify_refusal(*fetched.outcome, context_.clock.now());
            refused_with_ = std::min(refused_with_.value_or(fetched.generation), fetched.generation);
        }
    }
    item.told = heard.wait;
    report_.fault_source = heard.why.empty() ? report_.fault_source : heard.source;
    const auto verdict = machine_.heard(heard.event, item, context_.random());
    if (heard.event == DetailEvent::gone && verdict.action == DetailAction::postpone) {
        heard.why = lost_many;
    }
    return {std::move(heard), verdict};
}

// If it died since, the canary shows that before the answers are published.
bool DetailTurn::is_known_to_work(std::uint64_t generation) const
{
    const auto& known = context_.state.working_token;
    return known && known->generation == generation && context_.keeper.status().generation == generation &&
           context_.clock.boot_now() < known->at + works_for;
}

asio::awaitable<DetailTurn::TokenFound> DetailTurn::renew_token(std::uint64_t generation, std::string refusal,
                                                                std::optional<oauth::CanarySpec> refuser)
{
    const auto token = co_await context_.keeper.reject(generation, refusal, std::move(refuser));
    if (token) {
        co_return TokenFound::renewed;
    }
    if (token.error().kind() == ErrorKind::refused && token.error().status == 401) {
        context_.state.working_token = WorkingToken{generation, context_.clock.boot_now()};
        co_return TokenFound::works;
    }
    stop_for(trouble_of(token.error()), token.error().text(), source_of(token.error()));
    co_return TokenFound::none;
}

void DetailTurn::take(const mirror::DetailItem& item, Instant asked, Heard heard)
{
    using Kind = mirror::DetailAnswer::Kind;
    answered_.last = context_.clock.boot_now();
    answered_.first = answers_.empty() ? answered_.last : answered_.first;
    auto& answer = answers_.emplace_back();
    answer.key = item.key;
    if (item.tries > 0) {
        tried_before_.insert(item.key);
    }
    answer.kind = heard.verdict.action == DetailAction::keep   ? Kind::item
                  : heard.verdict.action == DetailAction::drop ? Kind::gone
                                                               : Kind::failed;
    answer.asked = asked;
    answer.fetched_at = heard.fetched_at;
    answer.retry_at = context_.clock.now() + heard.verdict.wait;
    answer.why = std::move(heard.why);
    if (answer.kind == Kind::item) {
        answer.body = std::move(heard.body);
        held_.resize(held_.bytes() + answer.body.size());
        board_.item_arrived(context_.clock.now());
    } else if (answer.kind == Kind::failed) {
        report_.fault = answer.why;
        if (machine_.has_lost_many()) {
            spare_gone_items(answer.retry_at, answer.why);
        }
    }
}

void DetailTurn::stop_for(Trouble trouble, std::string why, TroubleSource source)
{
    if (report_.trouble == Trouble::none) {
        report_.trouble = trouble;
        report_.source = source;
        report_.why = std::move(why);
    }
}

}  // namespace shelfd::sync
