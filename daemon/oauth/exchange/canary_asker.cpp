#include "oauth/exchange/canary_asker.hpp"

#include "oauth/endpoint/clock_trouble.hpp"
#include "oauth/stored/recovery.hpp"
#include "runtime/async/deadline.hpp"

#include <fmt/core.h>

namespace shelfd::oauth {
namespace {

using namespace std::chrono_literals;

// Time for the oracle before a first replay, including its permit. A grace window may be only 25 s long.
constexpr Duration oracle_patience = 3s;

CanaryReading no_reading_in_time()
{
    CanaryReading reading;
    reading.text = "no answer within " + describe_duration(oracle_patience);
    reading.source = TroubleSource::network;
    return reading;
}

}  // namespace

CanaryAsker::CanaryAsker(const TokenKeeperSettings& settings, const TokenKeeperServices& services, const HeldSets& sets,
                         const RefreshMachine& machine)
    : settings_(settings), services_(services), sets_(sets), machine_(machine), spec_(settings.canary)
{
}

CanarySpec CanaryAsker::spec() const
{
    auto spec = spec_;
    spec.library_id = spec.library_id.empty() ? sets_.pinned_library() : spec.library_id;
    return spec;
}

std::string CanaryAsker::mark() const
{
    return mark_of(spec_);
}

asio::awaitable<Result<http::Response>> CanaryAsker::send(const CanarySpec& spec, std::optional<Secret> token)
{
    TokenKeeperServices::Permit permit;
    if (services_.permit_canary) {
        permit = co_await services_.permit_canary(machine_.haste(services_.clock.boot_now()));
    }
    auto request = make_canary_request(spec, std::move(token), settings_.endpoint.route, settings_.canary_timeouts);
    auto outcome = co_await services_.client.send(std::move(request));
    if (services_.canary_ended && permit) {
        services_.canary_ended(permit, outcome);
    }
    co_return outcome;
}

asio::awaitable<CanaryReading> CanaryAsker::ask_other(CanarySpec spec, Secret token)
{
    const auto outcome = co_await send(spec, std::move(token));
    co_return read_canary(spec, outcome, services_.clock.now());
}

asio::awaitable<CanaryReading> CanaryAsker::ask(std::optional<Secret> token)
{
    const auto asked = spec();
    const auto outcome = co_await send(asked, std::move(token));
    auto reading = read_canary(asked, outcome, services_.clock.now());
    if (outcome) {
        fault_ = reading.misconfigured ? reading.text : "";
    }
    if (accepts(reading.answer) && !asked.user_field.empty()) {
        user_fault_ = reading.user.empty()
                          ? fmt::format("the answer of {} has no usable member {} (identity.user_field)", asked.url,
                                        asked.user_field)
                          : "";
    }
    if (reading.service_date) {
        record_clock(clock_trouble_beside(*reading.service_date, services_.clock.now()));
    }
    co_return reading;
}

asio::awaitable<CanaryReading> CanaryAsker::ask_in_time(std::optional<Secret> token)
{
    auto asking = ask(std::move(token));
    auto in_time = co_await with_deadline(services_.clock, std::move(asking), oracle_patience);
    co_return in_time ? std::move(*in_time) : no_reading_in_time();
}

void CanaryAsker::record_clock(std::string trouble)
{
    if (clock_trouble_.empty() && !trouble.empty()) {
        services_.log.warning("the clock is wrong", {{"library", settings_.library}, {"reason", trouble}});
    }
    clock_trouble_ = std::move(trouble);
}

}  // namespace shelfd::oauth
