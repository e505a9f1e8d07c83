// Reads the members of a JSON object that a person or a script wrote, and says which one cannot be.
#pragma once

#include "sim/json.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace shelfd::sim {

// Absent members give the default. Every wrong type and, in the end, every unknown member is a complaint, so that a
// misspelt fault does not pass for one that never fired.
class MemberReader {
public:
    // Keeps a reference to `object`.
    explicit MemberReader(const Json& object);

    std::string word(std::string_view key, std::string fallback = "");
    std::size_t whole(std::string_view key, std::size_t fallback);
    bool flag(std::string_view key, bool fallback);
    // The member as it is; nothing when absent.
    const Json* member(std::string_view key);
    // A member that the caller reads itself.
    void known(std::string_view key) { known_.emplace_back(key); }

    void complain(std::string_view key, std::string_view what);
    std::optional<std::string> first_complaint() const;

private:
    const Json& object_;
    std::vector<std::string> known_;
    std::vector<std::string> complaints_;
};

}  // namespace shelfd::sim
