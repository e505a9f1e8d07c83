// A very small HTTP client, so that scripts can speak to the simulator where no curl and no jq are installed.
#pragma once

#include "base/result.hpp"

#include <string>

namespace shelfd::sim {

struct Question {
    std::string url;     // http:// only
    std::string method;  // "GET", "POST", "DELETE"
    std::string body;
    std::string bearer;  // an access token, "" for none
};

// The body of a 2xx answer; anything else is an error that says what came.
Result<std::string> ask(const Question& question);

// "libraries.0.rows.library/recipes" of a JSON text: strings bare, everything else as JSON.
Result<std::string> pick_field(const std::string& json, const std::string& path);

}  // namespace shelfd::sim
