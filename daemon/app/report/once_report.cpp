#include "app/report/once_report.hpp"

#include <algorithm>

namespace shelfd::app {
namespace {

// True if the last walk over a list of this library was published and could not prove it complete for a reason that its
// remark says: the service lists fewer rows than it counts, or leads nowhere.
bool has_unproven_list(const LibraryUnit& unit)
{
    const auto& lists = unit.tables().lists();
    return std::any_of(lists.begin(), lists.end(), [](const auto& worker) {
        const auto& pass = worker->report().last_pass;
        return pass && pass->published && pass->kind != sync::PassKind::incremental && !pass->proof.complete() &&
               !pass->remark.empty();
    });
}

// For want of a disk or of descriptors, not because of what is in it.
bool lacks_journal(const LibraryUnit& unit)
{
    return !unit.keeper().status().journals.trouble.empty();
}

}  // namespace

ExitCode exit_code_of_run(const control::Status& status, const std::vector<std::shared_ptr<LibraryUnit>>& units)
{
    const auto any = [&units](auto holds) {
        return std::any_of(units.begin(), units.end(), [holds](const auto& unit) { return holds(*unit); });
    };
    if (any([](const LibraryUnit& unit) { return unit.bug().has_value(); })) {
        return ExitCode::bug;
    }
    if (any(lacks_journal)) {
        return ExitCode::storage;
    }
    return std::max(control::exit_code(status), any(has_unproven_list) ? ExitCode::failed : ExitCode::done);
}

}  // namespace shelfd::app
