// Members of a JSON object by name, with a default for what is absent or of another type.
#pragma once

#include "base/instant.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace boost::json {
class array;
class object;
}  // namespace boost::json

namespace shelfd::ctl {

// Refers to the object; lives no longer.
class JsonReader {
public:
    explicit JsonReader(const boost::json::object& object) : object_(object) {}

    std::string text(const char* name) const;
    bool flag(const char* name) const;
    std::uint64_t count(const char* name) const;
    double number(const char* name) const;
    std::optional<Instant> instant(const char* name) const;
    std::optional<Duration> seconds(const char* name) const;
    // nullptr when there is none of that type.
    const boost::json::object* object(const char* name) const;
    const boost::json::array* array(const char* name) const;

private:
    const boost::json::object& object_;
};

}  // namespace shelfd::ctl
