// Reads members of a JSON object by name, with a default for an absent member or one of another type.
#pragma once

#include "base/instant.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace boost::json {
class array;
class object;
}  // namespace boost::json

namespace shelfd::ctl {

// The object must outlive the reader.
class JsonReader {
public:
    explicit JsonReader(const boost::json::object& object) : object_(object) {}

    std::string text(const char* name) const;
    bool flag(const char* name) const;
    std::uint64_t count(const char* name) const;
    double number(const char* name) const;
    std::optional<Instant> instant(const char* name) const;
    std::optional<Duration> seconds(const char* name) const;
    // nullptr if there is no member of that type.
    const boost::json::object* object(const char* name) const;
    const boost::json::array* array(const char* name) const;
    // The objects in an array; other elements are skipped.
    std::vector<const boost::json::object*> objects(const char* name) const;
    // The texts, or the numbers, in an array; other elements are skipped.
    std::vector<std::string> texts(const char* name) const;
    std::vector<std::uint64_t> counts(const char* name) const;

private:
    const boost::json::object& object_;
};

}  // namespace shelfd::ctl
