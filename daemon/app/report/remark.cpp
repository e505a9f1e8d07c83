#include "app/report/remark.hpp"

#include "base/words/cure.hpp"
#include "mirror/values/standing.hpp"

#include <fmt/format.h>

namespace shelfd::app {

void explain_remark(const mirror::ResourceSummary& summary, control::ResourceStatus& status)
{
    if (status.why != summary.why) {
        return;
    }
    // A decision is no trouble: `held` and `explain` show these rows.
    if (summary.why.find(mirror::kept_by_person) != std::string::npos) {
        status.why.clear();
        return;
    }
    if (!summary.cure.empty() && status.do_this.empty()) {
        status.do_this = summary.cure;
        status.is_of_column = true;
        leave_out_cure(summary.cure, status);
    }
    if (summary.lists_walked) {
        const auto& running = status.running;
        const bool is_known = running && running->lists > 0 && running->list > 0;
        status.why = is_known ? fmt::format("{} of {} lists were walked so far", running->list - 1, running->lists)
                     : *summary.lists_walked == 0 ? ""
                                                  : status.why;
    }
}

void leave_out_cure(std::string_view cure, control::ResourceStatus& status)
{
    if (!status.do_this.empty()) {
        status.why = without_cure(status.why, cure);
    }
}

}  // namespace shelfd::app
