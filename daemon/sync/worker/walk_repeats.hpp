// Decides whether a walk that proved nothing is repeated at once.
#pragma once

#include "sync/pass/pass_report.hpp"

#include <cstdint>
#include <string>

namespace shelfd::sync {

// If rows moved during the walk, the next walk may prove the list; if the count never fits, none does. Pure.
class WalkRepeats {
public:
    // An ordinary pass was published. Only a walk over the whole list can prove something.
    enum class Pass { walk, other };
    void published(const PassReport& report, Pass pass);
    void failed() { is_due_ = false; }

    // True if the next pass repeats the last one.
    bool is_due() const { return is_due_; }

private:
    bool is_worth_another(const std::string& met);

    std::uint32_t repeats_ = 0;  // in a row
    bool is_due_ = false;
    std::string met_before_;   // by the newest walk that proved nothing
    std::string met_in_vain_;  // by a repeated walk that met the same as the walk before it
};

}  // namespace shelfd::sync
