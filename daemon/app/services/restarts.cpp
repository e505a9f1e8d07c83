#include "app/services/restarts.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

namespace shelfd::app {
namespace {

// Passes have ended, and the next ones are not planned yet; time goes on.
void bring_up_to_date(control::LibraryStatus& library, Instant now)
{
    for (auto& table : library.resources) {
        table.running.reset();
        table.next_due.reset();
        table.quiet_until.reset();
        if (table.state == control::State::fresh && table.late_at && *table.late_at < now) {
            table.state = control::State::late;
        }
    }
}

}  // namespace

Error restart_error(const std::string& library, const std::string& why)
{
    return {ErrorKind::busy, fmt::format("library {} is being opened again {}: try again in a moment", library, why)};
}

void Restarts::begin(std::shared_ptr<const LibraryUnit> unit, const std::string& library,
                     control::RestartStatus restart)
{
    libraries_.insert_or_assign(library, One{std::move(restart), std::move(unit)});
}

void Restarts::unit_ends(const std::string& library, const oauth::TokenKeeper& keeper)
{
    const auto found = libraries_.find(library);
    if (found == libraries_.end()) {
        return;
    }
    keep_mark(library, &keeper);
    auto& one = found->second;
    if (report_ && one.unit) {
        one.last = report_(*one.unit);
    }
    one.unit.reset();
}

void Restarts::keep_mark(const std::string& library, const oauth::TokenKeeper* keeper)
{
    if (keeper != nullptr) {
        marks_[library] = keeper->renews();
    }
}

std::string Restarts::holder_of(const std::string& mark, const std::string& except) const
{
    const auto found = std::find_if(marks_.begin(), marks_.end(), [&](const auto& one) {
        return !mark.empty() && one.first != except && one.second == mark;
    });
    return found == marks_.end() ? "" : found->first;
}

std::optional<Error> Restarts::error_of(const std::string& library) const
{
    const auto found = libraries_.find(library);
    if (found == libraries_.end()) {
        return std::nullopt;
    }
    return restart_error(library, found->second.restart.why);
}

std::optional<Error> Restarts::any_error() const
{
    return libraries_.empty() ? std::nullopt : error_of(libraries_.begin()->first);
}

std::vector<control::LibraryStatus> Restarts::report(Instant now) const
{
    std::vector<control::LibraryStatus> all;
    for (const auto& [name, one] : libraries_) {
        auto last = one.unit && report_ ? report_(*one.unit) : one.last;
        if (last) {
            last->restart = one.restart;
            bring_up_to_date(*last, now);
            all.push_back(std::move(*last));
        }
    }
    return all;
}

}  // namespace shelfd::app
