// Is one value what its key takes?
#pragma once

#include "config/check/known_keys.hpp"
#include "config/tree/fault.hpp"
#include "config/tree/node.hpp"

#include <string>

namespace shelfd::config {

// How secrets are looked at.
enum class Secrets {
    as_anybody,  // what depends on who asks is a warning: `config check` may be run by who must not read them
    usable,      // a file or credential that this process cannot use is a fault
    not_now,     // not at all: the caller does, library by library
};

struct CheckContext {
    FaultList& faults;
    std::string credentials_directory;  // "" = not running under a service manager that passes credentials
    Secrets secrets = Secrets::as_anybody;
};

// Adds a fault for whatever `info` does not allow and marks the value, so that nobody reads it. Values of type `table`
// are the caller's. Looks at files that secrets and certificates name; of secrets, it reads files and forgets them.
void check_value(Node& value, const KeyInfo& info, const CheckContext& context);

// "an integer from 1 to 10000", for faults and for people.
std::string describe(const KeyInfo& info);

// Reports `text` at `position` and marks the value.
void refuse(Node& value, const Position& position, std::string text, const CheckContext& context);
// False, and a fault "KEY must be …, not a list", when the value is of another kind.
bool expect_kind(Node& value, const KeyInfo& info, Node::Kind kind, const CheckContext& context);

// The checkers of collections (collection_check.cpp), of secrets (secret_check.cpp) and of plans (calendar_check.cpp).
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
void check_day_list(Node& value, const KeyInfo& info, const CheckContext& context);
void check_zone(Node& value, const KeyInfo& info, const CheckContext& context);

}  // namespace shelfd::config
