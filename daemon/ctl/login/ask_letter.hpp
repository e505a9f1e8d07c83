// The letter that asks the owner of a library for a token set.
#pragma once

#include "config/model/model.hpp"
#include "ctl/login/letter_template.hpp"
#include "ctl/status/status_view.hpp"

#include <optional>
#include <string>

namespace shelfd::ctl {

// Says where to click, for which application and scopes, by when and why, and how to hand the set over. `token` is what
// the daemon knows about the present set; without it the letter mentions no dates.
std::string ask_letter(const LetterTemplate& letter, const config::Library& library,
                       const std::optional<control::TokenStatus>& token, Instant now);

// Whether its owner should be written to: there is no set, a person is needed, or the access ends.
bool needs_owner(const control::TokenStatus& token);

}  // namespace shelfd::ctl
