// The part of a status that a person asks for.
#pragma once

#include "base/result.hpp"
#include "base/state/table_state.hpp"
#include "ctl/status/status_view.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace shelfd::ctl {

struct Selection {
    std::string library;              // "" = all
    std::string resource;             // a table, "" = all
    std::optional<TableState> state;  // of tables; empty = any

    bool is_all() const { return library.empty() && resource.empty() && !state; }
};

// Errors for names that the status does not have, with those that it has: not_found; needs_person for a library that
// does not run.
Result<void> check_names(const StatusView& status, const Selection& selection);

// The JSON of a status with the selected tables, their libraries and the problems that affect them; without headline,
// exit code, notices and absent libraries, which concern all. Errors: protocol, if the text is no status.
Result<std::string> select(std::string_view json, const Selection& selection);

// The JSON array of the problems with that id, incident or cause. Errors as above.
Result<std::string> select_problems(std::string_view json, std::string_view id);

}  // namespace shelfd::ctl
