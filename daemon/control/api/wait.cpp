#include "control/api/wait.hpp"

#include "base/pause.hpp"
#include "control/api/lookup.hpp"
#include "control/api/reply_json.hpp"
#include "control/model/quiet.hpp"

#include <boost/asio/experimental/awaitable_operators.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

namespace shelfd::control {
namespace {

// The status of a hundred libraries takes 3 ms: with 20 ms from look to look, one who waits took a tenth of a processor
// (measured).
constexpr Duration least_pause = std::chrono::milliseconds(20);
constexpr Duration most_pause = std::chrono::seconds(1);
constexpr int looks_share = 20;  // one part in so many of the time goes into looks

Duration pause_after(Duration look)
{
    return std::clamp<Duration>(look * looks_share, least_pause, most_pause);
}

// What a person has just done, such as an import, shows as a pass only when the daemon has noticed it.
constexpr Duration patience = std::chrono::seconds(1);

// If the named library is paused as a whole, its tables count: the wait must end.
bool counts(const LibraryStatus& library, const ResourceStatus& resource, const WaitRequest& request)
{
    if (!request.resource.empty()) {
        return resource.name == request.resource;
    }
    if (!request.library.empty() && resource.state == State::paused && state_of(library) == State::paused) {
        return true;
    }
    // Details take hours and lists minutes, so details are waited for only by name.
    return !is_at_rest(resource.state) && !resource.detail;
}

bool is_there(const ResourceStatus& resource, const Status& status, const WaitRequest& request)
{
    if (request.as_of) {
        return resource.as_of && *resource.as_of >= *request.as_of && !resource.repeats_pass;
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

// No pass that begins now can succeed, also of a table whose last pass went well.
bool has_no_usable_set(const LibraryStatus& library, const ResourceStatus& resource)
{
    return library.token.needs_person && !library.token.access_usable && !resource.running &&
           resource.state != State::paused;
}

// Held rows keep a table from being fresh, not from advancing.
bool needs_person(const LibraryStatus& library, const ResourceStatus& resource, const Status& status,
                  const WaitRequest& request)
{
    if (has_no_usable_set(library, resource)) {
        return true;
    }
    const bool advances = resource.state == State::held && (request.fresh || request.as_of);
    const bool is_tried = resource.running || (resource.next_due && *resource.next_due <= status.now);
    return is_at_rest(resource.state) || (needs_somebody(resource.state) && !advances && !is_tried);
}

// What keeps it: the pause that the service asked for, the limit, or the trouble that the pass meets.
std::string delay_of(const LibraryStatus& library, const Running& running, Instant now)
{
    if (const auto until = library.budget.paused_until; until && *until > now) {
        return ", " + describe_pause(*until);
    }
    if (!running.note.empty()) {
        return ", waiting: " + running.note;
    }
    return running.waits_for_limit_since ? fmt::format(", waiting for the request limit{} since {}",
                                                       running.limit.empty() ? "" : " (" + running.limit + ")",
                                                       running.waits_for_limit_since->to_short_text())
                                         : "";
}

std::string describe(const LibraryStatus& library, const ResourceStatus& resource, const WaitRequest& request,
                     Instant now)
{
    if (resource.state == State::paused) {
        return fmt::format("{}; to fetch again: shelfctl library resume {}", for_people(resource.state), library.name);
    }
    // A fresh table is waited for because it is not young enough.
    const bool is_old = resource.state == State::fresh && resource.as_of && (request.as_of || request.fresh);
    auto text = is_old ? "as of " + resource.as_of->to_short_text() : std::string(for_people(resource.state));
    if (has_no_usable_set(library, resource) && !needs_somebody(resource.state)) {
        return text + (library.token.reason.empty() ? "" : ", " + library.token.reason);
    }
    bool tells_quiet = false;
    if (resource.running) {
        const auto place = describe_place(*resource.running);
        text += (place.empty() ? "" : ", " + place) + delay_of(library, *resource.running, now);
    } else if (!resource.why.empty()) {
        text += ", " + resource.why;
        tells_quiet = resource.why_tells_quiet;
    } else if (resource.as_of && !is_old) {
        text += fmt::format(", as of {}", resource.as_of->to_short_text());
    }
    // It holds for all tables of the library, also for those of which no pass is under way.
    const auto& pause = library.budget.paused_until;
    const bool is_to_come = !needs_somebody(resource.state) && !is_at_rest(resource.state);
    if (pause && *pause > now && is_to_come && !says_pause(text)) {
        text += ", " + describe_pause(*pause);
    }
    if (const auto until = resource.quiet_until; until && !tells_quiet) {
        text += ", " + describe_quiet(*until, library.name);
    }
    return text;
}

// Joins tables of a library with the same words: "antwerp recipes, stock: filling".
class Missing {
public:
    explicit Missing(std::vector<MissingTables> first) : all_(std::move(first)) {}

    void add(const std::string& library, const std::string& table, const std::string& why)
    {
        const auto [place, is_new] = places_.try_emplace({library, why}, all_.size());
        if (is_new) {
            all_.push_back({library, {}, why});
        }
        all_[place->second].tables.push_back(table);
    }

    std::vector<MissingTables> take() && { return std::move(all_); }

private:
    std::vector<MissingTables> all_;
    std::map<std::pair<std::string, std::string>, std::size_t> places_;  // by library and reason
};

template <typename Use>
void each_missing(const Status& status, const WaitRequest& request, const Use& use)
{
    for (const auto& library : status.libraries) {
        for (const auto& resource : library.resources) {
            if (is_meant(library.name, request) && counts(library, resource, request) &&
                !is_there(resource, status, request)) {
                use(library, resource);
            }
        }
    }
}

std::vector<MissingTables> absent_ones(const Status& status, const WaitRequest& request)
{
    std::vector<MissingTables> found;
    for (const auto& name : status.absent) {
        if (is_meant(name, request)) {
            found.push_back({name, {}, "not running"});
        }
    }
    return found;
}

std::vector<std::string> texts_of(const std::vector<MissingTables>& missing)
{
    std::vector<std::string> texts;
    std::transform(missing.begin(), missing.end(), std::back_inserter(texts),
                   [](const auto& one) { return one.text(); });
    return texts;
}

// The last line if the wait ends now.
std::optional<Result<void>> outcome_of(const WaitRequest& request, const Result<std::vector<MissingTables>>& missing,
                                       const std::vector<MissingTables>& stuck, bool time_is_over)
{
    if (!missing) {
        return Result<void>(missing.error());
    }
    if (missing->empty()) {
        return Result<void>();
    }
    if (!stuck.empty()) {
        return Result<void>(Error(ErrorKind::needs_person,
                                  fmt::format("waiting does not help, a person must act: {}; see: shelfctl status{}{}",
                                              fold(stuck), request.library.empty() ? "" : " ", request.library)));
    }
    if (time_is_over) {
        return Result<void>(
            Error(ErrorKind::timeout, fmt::format("still waiting after {}: {}; see: shelfctl status{}{}",
                                                  describe_duration(request.timeout), fold(*missing),
                                                  request.library.empty() ? "" : " ", request.library)));
    }
    return std::nullopt;
}

}  // namespace

Result<std::vector<MissingTables>> not_there_yet(const Status& status, const WaitRequest& request)
{
    if (request.library.empty() && !request.resource.empty()) {
        return Error(ErrorKind::usage, "\"resource\" needs \"library\"");
    }
    if (!request.library.empty()) {
        SHELFD_TRY(check_names(status, request.library, request.resource));
    }
    Missing missing(absent_ones(status, request));
    each_missing(status, request, [&](const LibraryStatus& library, const ResourceStatus& resource) {
        missing.add(library.name, resource.name, describe(library, resource, request, status.now));
    });
    return std::move(missing).take();
}

std::vector<MissingTables> waits_for_person(const Status& status, const WaitRequest& request)
{
    Missing stuck(absent_ones(status, request));
    each_missing(status, request, [&](const LibraryStatus& library, const ResourceStatus& resource) {
        if (needs_person(library, resource, status, request)) {
            stuck.add(library.name, resource.name, describe(library, resource, request, status.now));
        }
    });
    return std::move(stuck).take();
}

asio::awaitable<void> wait_until_there(Operations& operations, Clock& clock, WaitRequest request,
                                       std::function<Status()> look, LineSink sink)
{
    using namespace asio::experimental::awaitable_operators;
    const auto end = clock.boot_now() + request.timeout;
    std::vector<std::string> told;  // by the last line, none at first
    std::optional<BootTime> stuck_since;
    for (;;) {
        const auto now = clock.boot_now();
        const auto status = look();
        auto missing = not_there_yet(status, request);
        auto stuck = waits_for_person(status, request);
        const auto look_taken = clock.boot_now() - now;
        stuck_since = stuck.empty() ? std::nullopt : std::optional(stuck_since.value_or(now));
        if (now < end && stuck_since && now - *stuck_since < patience) {
            stuck.clear();
        }
        const auto outcome = outcome_of(request, missing, stuck, now >= end);
        // The last line folds them, so a program finds them all in the line before it.
        if (auto all = missing ? texts_of(*missing) : told; !all.empty() && all != told) {
            told = std::move(all);
            sink(waiting_line(told, fold(*missing)), outcome ? Importance::kept : Importance::droppable);
        }
        if (outcome) {
            sink(done_line(*outcome), Importance::kept);
            co_return;
        }
        // A table becomes late or too old by age alone, which causes no notification.
        const auto look_again = std::min(end, clock.boot_now() + Duration(std::chrono::seconds(1)));
        auto change = operations.changed();
        auto sleep = clock.sleep_until(look_again);
        co_await (std::move(change) || std::move(sleep));
        // Hundreds of pages a second may arrive, and each is a change.
        if (const auto earliest = std::min(end, now + pause_after(look_taken)); clock.boot_now() < earliest) {
            auto pause = clock.sleep_until(earliest);
            co_await std::move(pause);
        }
    }
}

}  // namespace shelfd::control
