// The letter that asks the owner of a library for a token set.
#pragma once

#include "config/model/model.hpp"
#include "ctl/status/status_view.hpp"

#include <optional>
#include <string>

namespace shelfd::ctl {

// Where to click, for which application, which scopes, by when and why, and how to hand it over. `token` is what the
// daemon knows about the present set; without it nothing is said about dates.
std::string ask_letter(const config::Library& library, const std::optional<control::TokenStatus>& token, Instant now);

}  // namespace shelfd::ctl
