#include "app/report/daemon_report.hpp"

#include "app/report/advice.hpp"
#include "app/report/budget_report.hpp"
#include "app/report/status_report.hpp"
#include "base/version.hpp"
#include "control/causes/cause_finder.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include <unistd.h>

namespace shelfd::app {

namespace {

// What the daemon does meanwhile: for nobody else the set stays alive.
std::string describe_absent_set(const oauth::TokenKeeper* keeper)
{
    if (keeper == nullptr) {
        return "";
    }
    const auto token = keeper->status();
    if (token.needs_person || token.state == TokenState::none) {
        return fmt::format("; its token set: {}{}", token.reason,
                           token.do_this.empty() ? "" : fmt::format(" ({})", token.do_this));
    }
    return token.next_refresh
               ? fmt::format(", and keeps its token set refreshed, next at {}", token.next_refresh->to_short_text())
               : ", and keeps its token set refreshed";
}

}  // namespace

DaemonReport::DaemonReport(const DaemonServices& services, const EffectiveConfiguration& configuration,
                           LibrarySet& libraries, Instant started)
    : services_(services), configuration_(configuration), libraries_(libraries), started_(started)
{
    libraries_.restarts().report_with([this](const LibraryUnit& unit) { return report(unit); });
}

control::Status DaemonReport::status() const
{
    control::Status status;
    status.version = version;
    status.pid = getpid();
    status.now = services_.clock.now();
    status.started = started_;
    status.config_file = configuration_.file();
    status.config_loaded = configuration_.loaded_at();
    for (const auto& part : parts_) {
        for (auto& notice : part()) {
            status.notices.push_back(std::move(notice));
        }
    }
    for (auto& notice : configuration_.notices()) {
        status.notices.push_back(std::move(notice));
    }
    for (const auto& [library, absence] : libraries_.absent()) {
        constexpr auto seconds = std::chrono::floor<std::chrono::seconds>(LibrarySet::between_openings).count();
        status.absent.push_back(library);
        status.notices.push_back({.text = fmt::format("{} is not running: {}", library, absence.why),
                                  .do_this = absence.cure.empty() ? "correct that" : absence.cure,
                                  .since = absence.since,
                                  .next = fmt::format("tries again every {} seconds{}", seconds,
                                                      describe_absent_set(libraries_.absent_set(library))),
                                  .absent = library});
    }
    for (auto& notice : report_limiters(services_.limiters)) {
        status.notices.push_back(std::move(notice));
    }
    report_libraries(status);
    report_sharers(status.libraries);
    advise_renames(status.libraries);
    forget_told_disk(status);
    status.problems = control::find_causes(status);
    date(status.problems, status.now);
    return status;
}

void DaemonReport::advise_renames(std::vector<control::LibraryStatus>& libraries) const
{
    const auto former = former_ ? former_() : std::map<std::string, std::string>();
    for (auto& library : libraries) {
        const auto found = former.find(library.name);
        if (found == former.end() || library.token.state != TokenState::none) {
            continue;
        }
        const auto advice = fmt::format("if {1} is its former name: shelfctl library rename {1} {0}; otherwise: {2}",
                                        library.name, found->second, library.token.do_this);
        for (auto& table : library.resources) {
            table.do_this = table.do_this == library.token.do_this ? advice : table.do_this;
        }
        library.token.do_this = advice;
    }
}

// In configuration order, also those that are opened again just now.
void DaemonReport::report_libraries(control::Status& status) const
{
    for (const auto& unit : libraries_.units()) {
        status.libraries.push_back(report(*unit));
    }
    if (libraries_.restarts().is_empty()) {
        return;
    }
    for (auto& library : libraries_.restarts().report(status.now)) {
        const bool is_listed = libraries_.absent().contains(library.name);
        if (!is_listed) {
            status.libraries.push_back(std::move(library));
        }
    }
    std::map<std::string, std::size_t> places;
    for (const auto& library : configuration_.libraries()) {
        places.emplace(library->name, places.size());
    }
    const auto place_of = [&places](const control::LibraryStatus& library) {
        const auto found = places.find(library.name);
        return found == places.end() ? places.size() : found->second;
    };
    std::stable_sort(status.libraries.begin(), status.libraries.end(),
                     [&](const auto& one, const auto& other) { return place_of(one) < place_of(other); });
}

control::LibraryStatus DaemonReport::report(const LibraryUnit& unit) const
{
    const auto now = services_.clock.now();
    const auto describe = [&unit, now] { return report_library(unit, now); };
    return report_or_bug(unit.library().name, now, services_.host.journal, describe);
}

// A cause that does not know its begin lasts since it was seen first.
void DaemonReport::date(std::vector<control::Cause>& causes, Instant now) const
{
    std::map<std::string, Instant> seen;
    for (auto& cause : causes) {
        if (!cause.since) {
            const auto before = first_seen_.find(cause.key);
            cause.since = before == first_seen_.end() ? now : std::min(before->second, now);
            seen.emplace(cause.key, *cause.since);
        }
    }
    first_seen_ = std::move(seen);
}

}  // namespace shelfd::app
