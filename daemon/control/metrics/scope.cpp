#include "control/metrics/scope.hpp"

#include <fmt/format.h>

namespace shelfd::control {

MetricsScope MetricsScope::everything()
{
    MetricsScope scope;
    scope.all_ = true;
    return scope;
}

// Names of libraries need no percent-encoding.
Result<MetricsScope> MetricsScope::parse(std::string_view query)
{
    MetricsScope scope;
    while (!query.empty()) {
        const auto parameter = query.substr(0, query.find('&'));
        query.remove_prefix(std::min(query.size(), parameter.size() + 1));
        const auto is = parameter.find('=');
        const auto value = is == std::string_view::npos ? "" : parameter.substr(is + 1);
        if (parameter.substr(0, is) != "detail" || value.empty()) {
            return Error(ErrorKind::usage, fmt::format("\"{}\" is not a parameter of metrics: write detail=LIBRARY, "
                                                       "repeated for more libraries, or detail=all",
                                                       parameter));
        }
        if (value == "all") {
            scope.all_ = true;
        } else {
            scope.libraries_.emplace(value);
        }
    }
    return scope;
}

}  // namespace shelfd::control
