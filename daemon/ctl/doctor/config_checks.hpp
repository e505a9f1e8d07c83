// Checks of the configuration and of the files that it names. Pure.
#pragma once

#include "ctl/doctor/finding.hpp"
#include "ctl/survey/facts.hpp"

namespace shelfd::ctl {

Findings check_configuration(const Facts& facts);
// The directories of [storage] are there.
Findings check_storage(const Facts& facts);
// Whether the daemon can read the secrets; their content is never read.
Findings check_secrets(const Facts& facts);
Findings check_certificates(const Facts& facts);
Findings check_socket(const Facts& facts);

}  // namespace shelfd::ctl
