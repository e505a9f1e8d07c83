// Gathers all facts.
#pragma once

#include "ctl/context/context.hpp"
#include "ctl/survey/facts.hpp"
#include "ctl/survey/system_facts.hpp"

namespace shelfd::ctl {

// Never fails: what cannot be read is missing, with the reason where there is one. Blocks on the file system, and up to
// a minute on the daemon.
Facts survey(const Context& context, const SystemRoots& roots = {});

}  // namespace shelfd::ctl
