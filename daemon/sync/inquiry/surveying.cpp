#include "sync/inquiry/surveying.hpp"

#include "sync/inquiry/inquiry.hpp"

#include <utility>

namespace shelfd::sync {

asio::awaitable<Result<std::vector<FoundAddress>>>
survey_service(LibraryContext& context, std::vector<std::string> configured, SurveyListener listener)
{
    Inquiry inquiry(context, "", budget::Reason::probe);
    ServiceSurvey survey(context.library.service, configured);
    listener.searching(ServiceSurvey::max_search);
    bool answered = false;
    bool announced = false;
    for (auto target = survey.next(); target; target = survey.next()) {
        if (survey.is_trying() && !std::exchange(announced, true)) {
            listener.trying(survey.to_try());
        }
        const auto outcome = co_await inquiry.ask(*target);
        answered = answered || outcome.has_value();
        if (!outcome && (!answered || outcome.error().kind() == ErrorKind::throttled)) {
            co_return outcome.error();
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
    co_return survey.addresses();
}

}  // namespace shelfd::sync
