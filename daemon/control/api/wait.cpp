#include "control/api/wait.hpp"

#include "control/api/lookup.hpp"
#include "control/api/reply_json.hpp"
#include "control/model/quiet.hpp"

#include <boost/asio/experimental/awaitable_operators.hpp>
#include <fmt/format.h>

#include <algorithm>

namespace shelfd::control {
namespace {

constexpr Duration between_looks = std::chrono::milliseconds(20);
// What a person has just done, such as an import, shows as a pass only when the daemon has noticed it.
constexpr Duration patience = std::chrono::seconds(1);

bool counts(const ResourceStatus& resource, const WaitRequest& request)
{
    if (!request.resource.empty()) {
        return resource.name == request.resource;
    }
    // Details take hours and lists minutes, so details are waited for only by name.
    return !is_at_rest(resource.state) && !resource.detail;
}

bool is_there(const ResourceStatus& resource, const Status& status, const WaitRequest& request)
{
    if (request.as_of) {
        return resource.as_of && *resource.as_of >= *request.as_of;
    }
    if (request.fresh) {
        return resource.as_of && status.now - *resource.as_of <= *request.fresh;
    }
    return resource.state == State::fresh;
}

bool is_meant(const std::string& library, const WaitRequest& request)
{
    return request.library.empty() || library == request.library;
}

// Held rows keep a table from being fresh, not from advancing.
bool needs_person(const ResourceStatus& resource, const Status& status, const WaitRequest& request)
{
    const bool advances = resource.state == State::held && (request.fresh || request.as_of);
    const bool is_tried = resource.running || (resource.next_due && *resource.next_due <= status.now);
    return is_at_rest(resource.state) || (needs_somebody(resource.state) && !advances && !is_tried);
}

std::string describe(const LibraryStatus& library, const ResourceStatus& resource)
{
    auto text = fmt::format("{} {}: {}", library.name, resource.name, for_people(resource.state));
    const auto place = resource.running ? describe_place(*resource.running) : "";
    if (!place.empty()) {
        text += ", " + place;
    } else if (!resource.why.empty()) {
        text += ", " + resource.why;
    } else if (resource.as_of) {
        text += fmt::format(", as of {}", resource.as_of->to_short_text());
    }
    if (const auto until = resource.quiet_until; until && text.find("quiet hours") == std::string::npos) {
        text += ", " + describe_quiet(*until, library.name);
    }
    return text;
}

template <typename Use>
void each_missing(const Status& status, const WaitRequest& request, const Use& use)
{
    for (const auto& library : status.libraries) {
        for (const auto& resource : library.resources) {
            if (is_meant(library.name, request) && counts(resource, request) && !is_there(resource, status, request)) {
                use(library, resource);
            }
        }
    }
}

std::vector<std::string> absent_ones(const Status& status, const WaitRequest& request)
{
    std::vector<std::string> found;
    for (const auto& name : status.absent) {
        if (is_meant(name, request)) {
            found.push_back(name + ": not running");
        }
    }
    return found;
}

// The last line if the wait ends now.
std::optional<Result<void>> outcome_of(const WaitRequest& request, const Result<std::vector<std::string>>& missing,
                                       const std::vector<std::string>& stuck, bool time_is_over)
{
    if (!missing) {
        return Result<void>(missing.error());
    }
    if (missing->empty()) {
        return Result<void>();
    }
    if (!stuck.empty()) {
        return Result<void>(
            Error(ErrorKind::needs_person,
                  fmt::format("waiting does not help, a person must act: {}; see: shelfctl status{}{}",
                              fmt::join(stuck, "; "), request.library.empty() ? "" : " ", request.library)));
    }
    if (time_is_over) {
        return Result<void>(
            Error(ErrorKind::timeout, fmt::format("still waiting after {}: {}", describe_duration(request.timeout),
                                                  fmt::join(*missing, "; "))));
    }
    return std::nullopt;
}

}  // namespace

Result<std::vector<std::string>> not_there_yet(const Status& status, const WaitRequest& request)
{
    if (request.library.empty() && !request.resource.empty()) {
        return Error(ErrorKind::usage, "\"resource\" needs \"library\"");
    }
    if (!request.library.empty()) {
        SHELFD_TRY(check_names(status, request.library, request.resource));
    }
    std::vector<std::string> missing = absent_ones(status, request);
    each_missing(status, request, [&](const LibraryStatus& library, const ResourceStatus& resource) {
        missing.push_back(describe(library, resource));
    });
    return missing;
}

std::vector<std::string> waits_for_person(const Status& status, const WaitRequest& request)
{
    std::vector<std::string> stuck = absent_ones(status, request);
    each_missing(status, request, [&](const LibraryStatus& library, const ResourceStatus& resource) {
        if (needs_person(resource, status, request)) {
            stuck.push_back(describe(library, resource));
        }
    });
    return stuck;
}

asio::awaitable<void> wait_until_there(Operations& operations, Clock& clock, WaitRequest request,
                                       std::function<Status()> look, LineSink sink)
{
    using namespace asio::experimental::awaitable_operators;
    const auto end = clock.boot_now() + request.timeout;
    std::vector<std::string> told;
    std::optional<BootTime> stuck_since;
    for (;;) {
        const auto status = look();
        const auto now = clock.boot_now();
        auto missing = not_there_yet(status, request);
        auto stuck = waits_for_person(status, request);
        stuck_since = stuck.empty() ? std::nullopt : std::optional(stuck_since.value_or(now));
        if (now < end && stuck_since && now - *stuck_since < patience) {
            stuck.clear();
        }
        if (const auto outcome = outcome_of(request, missing, stuck, now >= end)) {
            sink(done_line(*outcome), Importance::kept);
            co_return;
        }
        if (*missing != told) {
            told = *missing;
            sink(waiting_line(told), Importance::droppable);
        }
        // A table becomes late or too old by age alone, which causes no notification.
        const auto look_again = std::min(end, clock.boot_now() + Duration(std::chrono::seconds(1)));
        auto change = operations.changed();
        auto sleep = clock.sleep_until(look_again);
        co_await (std::move(change) || std::move(sleep));
        // Hundreds of pages a second may arrive, and each is a change.
        auto pause = clock.sleep_until(std::min(end, clock.boot_now() + between_looks));
        co_await std::move(pause);
    }
}

}  // namespace shelfd::control
