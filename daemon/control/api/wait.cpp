#include "control/api/wait.hpp"

#include "control/api/lookup.hpp"
#include "control/api/reply_json.hpp"

#include <boost/asio/experimental/awaitable_operators.hpp>
#include <fmt/format.h>

#include <algorithm>

namespace shelfd::control {
namespace {

constexpr Duration between_looks = std::chrono::milliseconds(20);

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
    if (request.fresh) {
        return resource.as_of && status.now - *resource.as_of <= *request.fresh;
    }
    return resource.state == State::fresh;
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
    return text;
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
    std::vector<std::string> missing;
    for (const auto& library : status.libraries) {
        if (!request.library.empty() && library.name != request.library) {
            continue;
        }
        for (const auto& resource : library.resources) {
            if (counts(resource, request) && !is_there(resource, status, request)) {
                missing.push_back(describe(library, resource));
            }
        }
    }
    return missing;
}

asio::awaitable<void> wait_until_there(Operations& operations, Clock& clock, WaitRequest request, LineSink sink)
{
    using namespace asio::experimental::awaitable_operators;
    const auto end = clock.boot_now() + request.timeout;
    std::vector<std::string> told;
    for (;;) {
        auto missing = not_there_yet(operations.status(), request);
        if (!missing || missing->empty()) {
            sink(done_line(missing ? Result<void>() : Result<void>(missing.error())), Importance::kept);
            co_return;
        }
        if (clock.boot_now() >= end) {
            auto text = fmt::format("still waiting after {}: {}", describe_duration(request.timeout),
                                    fmt::join(*missing, "; "));
            sink(done_line(Error(ErrorKind::timeout, std::move(text))), Importance::kept);
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
