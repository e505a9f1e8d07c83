// The forms in which a value may stand in a text. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace shelfd::ctl {

// As it is, percent-encoded, form-encoded, and base64 in both alphabets with each of the three alignments, without the
// characters that depend on its neighbours.
std::vector<std::string> forms_of(const std::string& value);
// "api.example.com" of "https://user@api.example.com:443/x"; "" if there is none.
std::string host_of(std::string_view url);

}  // namespace shelfd::ctl
