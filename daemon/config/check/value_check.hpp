// Checks one value against what its key accepts.
#pragma once

#include "config/check/known_keys.hpp"
#include "config/tree/fault.hpp"
#include "config/tree/node.hpp"

#include <string>

namespace shelfd::config {

// How to check secrets.
enum class Secrets {
    as_anybody,  // what depends on the user is a warning: `config check` may be run by a user who must not read secrets
    usable,      // a file or credential that this process cannot use is a fault
    not_now,     // at the start of the daemon: not at all, it checks them one library after the other; what else this
                 // machine lacks is a warning, since the library or hook that needs it reports it
};

struct CheckContext {
    FaultList& faults;
    std::string credentials_directory;  // "" = the service manager passes no credentials
    Secrets secrets = Secrets::as_anybody;
};

// Adds a fault for whatever `info` does not allow and marks the value as faulty. The caller checks values of type
// `table`. Opens the files that secrets and certificates name; contents of secrets are read and discarded.
void check_value(Node& value, const KeyInfo& info, const CheckContext& context);

// "an integer from 1 to 10000", for faults and help.
std::string describe(const KeyInfo& info);

// Adds the fault `text` at `position` and marks the value.
void refuse(Node& value, const Position& position, std::string text, const CheckContext& context);
// The same for something that is missing on this machine: with Secrets::not_now a warning, and the value is kept.
void report_missing(Node& value, const Position& position, std::string text, const CheckContext& context);
// If the value is of another kind, adds a fault "KEY must be …, not a list" and returns false.
bool expect_kind(Node& value, const KeyInfo& info, Node::Kind kind, const CheckContext& context);

// Checkers of collections (collection_check.cpp), secrets (secret_check.cpp) and planned times (calendar_check.cpp).
void check_text_list(Node& value, const KeyInfo& info, const CheckContext& context);
void check_text_map(Node& value, const KeyInfo& info, const CheckContext& context);
void check_header_map(Node& value, const KeyInfo& info, const CheckContext& context);
void check_key(Node& value, const KeyInfo& info, const CheckContext& context);
void check_word_list(Node& value, const KeyInfo& info, const CheckContext& context);
void check_program(Node& value, const KeyInfo& info, const CheckContext& context);
void check_secret_header_map(Node& value, const KeyInfo& info, const CheckContext& context);
void check_selection(Node& value, const KeyInfo& info, const CheckContext& context);
void check_secret(Node& value, const KeyInfo& info, const CheckContext& context);
void check_clock_list(Node& value, const KeyInfo& info, const CheckContext& context);
void check_span_list(Node& value, const KeyInfo& info, const CheckContext& context);
void check_day_list(Node& value, const KeyInfo& info, const CheckContext& context);
void check_zone(Node& value, const KeyInfo& info, const CheckContext& context);

}  // namespace shelfd::config
