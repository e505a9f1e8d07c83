#include "sync/pass_run.hpp"

#include "sync/envelope.hpp"
#include "sync/first_query.hpp"
#include "sync/scope.hpp"

#include <boost/asio/this_coro.hpp>
#include <fmt/core.h>

#include <cstdlib>
#include <exception>

namespace shelfd::sync {
namespace {

// A canary answered within this time counts for adjacent passes, too.
constexpr auto identity_max_age = std::chrono::seconds(60);
// How far our clock may be ahead of the service's when it sends no Date.
constexpr auto clock_margin = std::chrono::minutes(5);

PassMachine::Settings settings_for(const LibraryContext& context, const config::Resource& resource)
{
    PassMachine::Settings settings;
    settings.has_identity = context.library.service.identity.has_value();
    settings.first_query = first_query(context.library, resource);
    settings.newest_first = resource.ordering == "-" + resource.key.front();
    return settings;
}

PageSeen seen_of(const Page& page, const mirror::PageFacts& facts)
{
    PageSeen seen;
    seen.count = page.count;
    seen.next_query = page.next_query;
    seen.items = facts.items;
    seen.new_keys = facts.new_to_pass;
    seen.highest_key = facts.highest_key;
    seen.above_newest = facts.above_newest;
    seen.descending = facts.descending;
    return seen;
}

budget::AnswerFacts answer_facts(const http::Response& response, Instant now)
{
    auto header = [&response](std::string_view name) { return response.header(name); };
    auto facts = budget::read_rate_limit(header, http::service_date(response).value_or(now));
    facts.status = response.status;
    facts.retry_after = http::retry_after(response, now);
    facts.requests_sent = response.requests_sent;
    return facts;
}

mirror::Proof mirror_proof(const PassMachine& machine, std::uint32_t requests)
{
    const auto& walk = machine.walk();
    const auto proof = machine.proof();
    mirror::Proof out;
    out.complete = proof.complete();
    out.kind = to_string(proof.kind);
    out.text = fmt::format("{} pages, {} distinct keys of {}", walk.pages, walk.distinct_keys, walk.count_last);
    out.count_start = walk.count_first;
    out.count_end = walk.count_last;
    out.pages = walk.pages;
    out.requests = requests;
    return out;
}

}  // namespace

PassRun::PassRun(LibraryContext& context, const config::Resource& resource, budget::Purpose purpose, Progress& progress,
                 std::function<void()> changed)
    : context_(context), resource_(resource), purpose_(purpose), progress_(progress), changed_(std::move(changed)),
      machine_(settings_for(context, resource))
{
}

asio::awaitable<PassReport> PassRun::run(std::string run_id, std::optional<Instant> late_at)
{
    late_at_ = late_at;
    report_.run_id = std::move(run_id);
    report_.started = context_.clock.now();
    progress_ = Progress{};
    progress_.running = true;
    progress_.started = report_.started;
    std::exception_ptr cancelled;
    auto action = PassAction::give_up;
    try {
        action = co_await walk();
    } catch (...) {
        cancelled = std::current_exception();
    }
    if (cancelled) {
        // What is staged belongs to the lane, and so does dropping it.
        co_await asio::this_coro::reset_cancellation_state(asio::disable_cancellation());
        auto drop = [this] { staging_.reset(); };
        co_await context_.lane.run(drop);
        progress_.running = false;
        std::rethrow_exception(cancelled);
    }
    report_.pages = machine_.walk().pages;
    report_.proof = machine_.proof();
    report_.ended = context_.clock.now();
    if (action == PassAction::give_up) {
        co_await record_failure();
    }
    progress_.running = false;
    changed_();
    co_return std::move(report_);
}

asio::awaitable<PassAction> PassRun::walk()
{
    if (const auto granted = context_.keeper.status().scope; lacks_scope(granted, resource_.needs)) {
        co_return fail(Trouble::forbidden,
                       fmt::format("the token set lacks the scope {}, so nothing was asked; it covers: {}",
                                   resource_.needs, granted));
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
    case PassAction::renew_token: return renew_token();
    case PassAction::wait: return wait();
    case PassAction::publish: return publish();
    case PassAction::finish:
    case PassAction::give_up: break;  // the loop of run() ends with these
    }
    std::abort();
}

asio::awaitable<PassAction> PassRun::ask_identity()
{
    progress_.phase = "identity";
    auto answer = co_await context_.identity.confirm(identity_max_age);
    last_trouble_ = answer.why;
    switch (answer.trouble) {
    case Trouble::none: co_return resume(PassEvent::identity_ours);
    case Trouble::passing: co_return resume(PassEvent::passing_trouble);
    default: co_return fail(answer.trouble, std::move(answer.why));
    }
}

asio::awaitable<PassAction> PassRun::fetch_page()
{
    progress_.phase = machine_.state() == PassState::closing ? "closing" : "pages";
    progress_.page = machine_.page_number();
    changed_();
    if (!token_) {
        auto token = co_await context_.keeper.access();
        if (!token) {
            co_return refuse(token.error());
        }
        token_ = std::move(*token);
    }
    auto outcome = co_await request_page();
    auto answer = classify(outcome);
    last_trouble_ = answer.why;
    switch (answer.kind) {
    case AnswerKind::page: co_return co_await take_page(std::move(*outcome));
    case AnswerKind::unauthorized:
        refused_because_ = outcome->header("WWW-Authenticate");
        co_return resume(PassEvent::unauthorized);
    case AnswerKind::throttled:
        // The limiter waits before the next try, maybe for long.
        progress_.note = last_trouble_;
        co_return resume(PassEvent::throttled);
    case AnswerKind::past_end: co_return resume(PassEvent::page_past_end);
    case AnswerKind::passing: co_return resume(PassEvent::passing_trouble);
    case AnswerKind::forbidden: co_return fail(Trouble::forbidden, std::move(answer.why));
    case AnswerKind::misconfigured: co_return fail(Trouble::needs_person, std::move(answer.why));
    }
    std::abort();
}

asio::awaitable<Result<http::Response>> PassRun::request_page()
{
    const auto& service = context_.library.service;
    http::Request request;
    request.url = service.base_url + resource_.path + "?" + machine_.query();
    for (const auto& [name, value] : service.headers) {
        request.headers.push_back({name, value});
    }
    request.bearer = token_->token->clone();
    request.timeouts = {service.connect_timeout, service.idle_timeout, service.total_timeout};
    request.route.proxy = service.proxy;
    request.route.ca_file = service.ca_file;
    request.max_body = service.max_body;
    auto permit = co_await context_.limiter.acquire(purpose_);
    auto outcome = co_await context_.client.send(std::move(request));
    if (!outcome && outcome.error().delivery == Delivery::not_sent) {
        permit.give_back();
        co_return outcome;
    }
    report_.requests += outcome ? outcome->requests_sent : 1;
    if (outcome) {
        context_.limiter.observe(permit, answer_facts(*outcome, context_.clock.now()));
    }
    co_return outcome;
}

asio::awaitable<PassAction> PassRun::take_page(http::Response response)
{
    const auto date = http::service_date(response);
    auto stage = [this, &response, date] { return stage_page(response.body, date); };
    auto seen = co_await context_.lane.run(stage);
    if (!seen && seen.error().kind() == ErrorKind::protocol) {
        last_trouble_ = seen.error().text();
        co_return resume(PassEvent::passing_trouble);
    }
    if (!seen) {
        co_return refuse(seen.error());
    }
    progress_.rows += seen->new_keys;
    progress_.count = seen->count;
    progress_.note.clear();
    const auto size = std::max<std::uint64_t>(seen->items, 1);
    if (machine_.walk().pages == 0) {
        progress_.pages = static_cast<std::uint32_t>((seen->count + size - 1) / size);
    }
    co_return machine_.page_arrived(*seen);
}

// In the lane.
Result<PageSeen> PassRun::stage_page(std::string& body, std::optional<Instant> service_date)
{
    body.reserve(body.size() + page_padding);
    const auto page = read_page(body);
    if (!page) {
        return page.error();
    }
    if (!staging_) {
        if (auto begun = begin_staging(service_date); !begun) {
            return begun.error();
        }
    }
    const auto facts = staging_->add_page(page->results);
    if (!facts) {
        return facts.error();
    }
    return seen_of(*page, *facts);
}

Result<void> PassRun::begin_staging(std::optional<Instant> service_date)
{
    mirror::PassStart start;
    start.run_id = report_.run_id;
    start.started = report_.started;
    start.as_of = service_date.value_or(report_.started - clock_margin);
    start.token_generation = token_->generation;
    auto staging = context_.mirror.begin_pass(resource_.name, start);
    if (!staging) {
        return staging.error();
    }
    staging_ = std::move(*staging);
    return {};
}

asio::awaitable<PassAction> PassRun::renew_token()
{
    auto token = co_await context_.keeper.reject(token_->generation, refused_because_);
    if (!token) {
        co_return refuse(token.error());
    }
    token_ = std::move(*token);
    co_return resume(PassEvent::token_renewed);
}

asio::awaitable<PassAction> PassRun::wait()
{
    progress_.phase = "waiting";
    progress_.note = last_trouble_;
    changed_();
    co_await context_.clock.sleep_for(machine_.wait_time());
    co_return resume(PassEvent::waited);
}

asio::awaitable<PassAction> PassRun::publish()
{
    progress_.phase = "publishing";
    changed_();
    auto proof = mirror_proof(machine_, report_.requests);
    proof.late_at = late_at_;
    auto work = [this, &proof] { return staging_->publish(proof); };
    auto published = co_await context_.lane.run(work);
    if (!published) {
        co_return refuse(published.error());
    }
    report_.published = *published;
    co_return resume(PassEvent::published);
}

asio::awaitable<void> PassRun::record_failure()
{
    if (report_.trouble == Trouble::none) {
        report_.trouble = Trouble::passing;
        report_.why = machine_.failure().empty() ? last_trouble_ : machine_.failure();
    }
    mirror::RunRecord run;
    run.run_id = report_.run_id;
    run.resource = resource_.name;
    run.started = report_.started;
    run.finished = report_.ended;
    run.error = report_.why;
    run.requests = report_.requests;
    run.pages = report_.pages;
    auto work = [this, &run]() -> Result<void> {
        if (staging_) {
            staging_->abandon();
            staging_.reset();
        }
        // What sent nothing is a state, not a run.
        return run.requests > 0 ? context_.mirror.record_run(run) : Result<void>();
    };
    if (const auto recorded = co_await context_.lane.run(work); !recorded) {
        report_.why += "; and the mirror could not note it: " + recorded.error().text();
    }
}

PassAction PassRun::refuse(const Error& error)
{
    return fail(trouble_of(error), error.text());
}

PassAction PassRun::fail(Trouble trouble, std::string why)
{
    report_.trouble = trouble;
    report_.why = std::move(why);
    return resume(PassEvent::failed);
}

}  // namespace shelfd::sync
