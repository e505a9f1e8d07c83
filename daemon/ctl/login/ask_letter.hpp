// The letter that asks the owner of a library for a token set.
#pragma once

#include "config/model/model.hpp"
#include "ctl/login/letter_template.hpp"
#include "ctl/status/status_view.hpp"

#include <optional>
#include <set>
#include <string>

namespace shelfd::ctl {

// What the daemon knows about the present set.
struct PresentAccess {
    control::TokenStatus token;
    std::set<std::string> lacked_scopes;  // that tables need
};
PresentAccess access_of(const control::LibraryStatus& library);

// Says where to click, for which application and scopes, by when and why, and how to hand the set over. Without
// `access` the letter mentions no dates.
std::string ask_letter(const LetterTemplate& letter, const config::Library& library,
                       const std::optional<PresentAccess>& access, Instant now);

// Whether its owner should be written to: there is no set, a person is needed, the access ends, or a scope is missing.
bool needs_owner(const PresentAccess& access);

}  // namespace shelfd::ctl
