// Reads the body of a request to the control API: a flat JSON object of values and lists of texts.
#pragma once

#include "base/instant.hpp"
#include "base/result.hpp"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace shelfd::control {

// Read the members, then call `finish`, which reports the first error: a member of another type, a required one that is
// missing, or an unknown one (so that a misspelt "ful": true is not taken for false).
class RequestFields {
public:
    // An empty body is an empty object. Errors: usage.
    static Result<RequestFields> parse(std::string_view body);

    std::string required_text(std::string_view name);
    std::string text(std::string_view name);                // "" if absent
    bool flag(std::string_view name);                       // false if absent
    std::vector<std::string> texts(std::string_view name);  // none if absent
    std::uint64_t count(std::string_view name);             // 0 if absent
    std::optional<Duration> seconds(std::string_view name);

    Result<void> finish() const;

private:
    using Value = std::variant<std::string, bool, double, std::vector<std::string>>;

    template <typename T>
    std::optional<T> take(std::string_view name, std::string_view wanted);
    void complain(std::string text);

    std::map<std::string, Value, std::less<>> values_;
    std::optional<std::string> complaint_;
};

}  // namespace shelfd::control
