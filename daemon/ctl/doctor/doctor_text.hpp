// The findings as text and as JSON.
#pragma once

#include "ctl/doctor/access.hpp"
#include "ctl/doctor/finding.hpp"
#include "ctl/doctor/mends.hpp"
#include "ctl/screen/terminal.hpp"

#include <string>
#include <vector>

namespace shelfd::ctl {

enum class Passed { folded, listed };

// What is ok is one line, unless `listed`.
StyledText doctor_text(const Findings& findings, const std::vector<Mended>& mended, Passed passed,
                       const Terminal& terminal);
std::string doctor_json(const Findings& findings, const std::vector<Mended>& mended,
                        const std::vector<MirrorReaders>& readers);

}  // namespace shelfd::ctl
