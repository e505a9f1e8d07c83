#include "sync/inquiry/surveying.hpp"

#include "sync/inquiry/inquiry.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace shelfd::sync {
namespace {

// What the survey found before it ended early.
Error stopped_by(Error error, const std::vector<FoundAddress>& addresses)
{
    const auto count_of = [&addresses](AddressVerdict verdict) {
        return std::count_if(addresses.begin(), addresses.end(),
                             [verdict](const FoundAddress& one) { return one.verdict == verdict; });
    };
    const auto lists = count_of(AddressVerdict::list);
    const auto untried = count_of(AddressVerdict::untried);
    return std::move(error).in(fmt::format("the search ended early, with {} list{} found and {} address{} left", lists,
                                           lists == 1 ? "" : "s", untried, untried == 1 ? "" : "es"));
}

}  // namespace

asio::awaitable<SurveyOutcome> survey_service(LibraryContext& context, std::vector<std::string> configured,
                                              SurveyListener listener)
{
    Inquiry inquiry(context, "", budget::Reason::probe);
    ServiceSurvey survey(context.library.service, configured);
    listener.searching(ServiceSurvey::max_search);
    bool answered = false;
    bool announced = false;
    std::optional<Error> stopped;
    for (auto target = survey.next(); target && !stopped; target = survey.next()) {
        if (survey.is_trying() && !std::exchange(announced, true)) {
            listener.trying(survey.to_try());
        }
        const auto outcome = co_await inquiry.ask(target->target, Inquiry::Token::ours, target->method);
        answered = answered || outcome.has_value();
        if (!outcome && (!answered || inquiry.gave_up())) {
            if (target->method == http::Method::options) {
                survey.hear(outcome);  // the address itself was answered
                listener.found(*survey.last_tried());
            }
            stopped = outcome.error();
            survey.stop();
            break;
        }
        auto hear = [&] { survey.hear(outcome); };
        co_await context.lane.run(hear);
        if (const auto* tried = survey.is_trying() ? survey.last_tried() : nullptr) {
            listener.found(*tried);
        }
    }
    for (const auto& address : survey.addresses()) {
        if (address.verdict == AddressVerdict::untried) {
            listener.found(address);
        }
    }
    for (const auto& document : survey.unread()) {
        listener.found(document);
    }
    if (stopped) {
        stopped = stopped_by(std::move(*stopped), survey.addresses());
    }
    co_return SurveyOutcome{survey.addresses(), std::move(stopped)};
}

}  // namespace shelfd::sync
