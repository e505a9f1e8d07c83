// The verbs of shelfctl by subject: names, arguments, options and their meanings.
#pragma once

#include "ctl/line/verb_adder.hpp"

namespace shelfd::ctl {

// Call each once, in the order of the manual.
void add_start(VerbAdder& add);
void add_look_verbs(VerbAdder& add);
void add_sync_verbs(VerbAdder& add);
void add_sql(VerbAdder& add);
void add_mirror_verbs(VerbAdder& add);
void add_held(VerbAdder& add);
void add_inquiries(VerbAdder& add);
void add_auth(VerbAdder& add);
void add_library(VerbAdder& add);
void add_alerts(VerbAdder& add);
void add_care(VerbAdder& add);
void add_config(VerbAdder& add);
void add_rest(VerbAdder& add);

}  // namespace shelfd::ctl
