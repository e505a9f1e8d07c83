// The query of a page, parsed once.
#pragma once

#include "http/url.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

namespace shelfd::sync {

// The text as received, without '?', and its parameters.
class Query {
public:
    Query(std::string text) : text_(std::move(text)), params_(http::parse_query(text_)) {}
    Query(std::string_view text) : Query(std::string(text)) {}
    Query(const char* text) : Query(std::string(text)) {}
    explicit Query(http::Params params) : text_(http::format_query(params)), params_(std::move(params)) {}

    const std::string& text() const { return text_; }
    const http::Params& params() const { return params_; }
    bool has(std::string_view name) const { return find(name) != nullptr; }
    // The first value of that name; nullptr if there is none.
    const std::string* find(std::string_view name) const
    {
        const auto found =
            std::find_if(params_.begin(), params_.end(), [&](const auto& one) { return one.name == name; });
        return found == params_.end() ? nullptr : &found->value;
    }
    // See http::merge_params.
    Query with(const http::Params& over) const { return Query(http::merge_params(params_, over)); }

    friend bool operator==(const Query& one, const Query& other) { return one.text_ == other.text_; }

private:
    std::string text_;
    http::Params params_;
};

}  // namespace shelfd::sync
