#include "app/report/daemon_report.hpp"

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
                                  .do_this = "correct that",
                                  .since = absence.since,
                                  .next = fmt::format("tries again every {} seconds{}", seconds,
                                                      describe_absent_set(libraries_.absent_set(library))),
                                  .absent = library});
    }
    for (auto& notice : report_limiters(services_.limiters)) {
        status.notices.push_back(std::move(notice));
    }
    for (const auto& unit : libraries_.units()) {
        const auto report = [&unit, &status] { return report_library(*unit, status.now); };
        status.libraries.push_back(report_or_bug(unit->library().name, status.now, services_.host.journal, report));
    }
    report_sharers(status.libraries);
    status.problems = control::find_causes(status);
    date(status.problems, status.now);
    return status;
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
