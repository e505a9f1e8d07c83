// How much one scrape says.
#pragma once

#include "base/result.hpp"

#include <cstddef>
#include <set>
#include <string>
#include <string_view>

namespace shelfd::control {

// Libraries whose scrape has every series: each table by name, and values that are normal. The others have a dozen
// series each, so that hundreds of them fit in one scrape.
class MetricsScope {
public:
    // Tables that are named because they are not fresh, if no more than these are.
    static constexpr std::size_t max_named = 500;

    MetricsScope() = default;

    static MetricsScope everything();
    // A query like "detail=antwerp&detail=ghent", or "detail=all". Errors: usage for another parameter.
    static Result<MetricsScope> parse(std::string_view query);

    bool has_details(const std::string& library) const { return all_ || libraries_.contains(library); }

private:
    bool all_ = false;
    std::set<std::string, std::less<>> libraries_;
};

}  // namespace shelfd::control
