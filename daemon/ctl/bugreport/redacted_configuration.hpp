// The configuration without private values, and a redactor that knows them.
#pragma once

#include "config/model/model.hpp"
#include "ctl/bugreport/redaction.hpp"

namespace shelfd::ctl {

// nullptr: the configuration has faults, so that no name and no value is known. Reads the files of secrets that this
// user may read; runs no command.
Redactor make_redactor(const config::Configuration* configuration, Hosts hosts);

// Without secrets and their places, client ids, library ids, notes, contacts, values of parameters, headers and
// variables, queries, and arguments of programs.
config::Configuration redact(const config::Configuration& configuration, const Redactor& redactor);

}  // namespace shelfd::ctl
