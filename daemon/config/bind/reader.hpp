// Reads values from layered tables: for each key the nearest table wins.
#pragma once

#include "config/model/model.hpp"
#include "config/tree/node.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace shelfd::config {

// Reads checked nodes into values; an absent or faulty node leaves the value unchanged. Records the origin of each
// value under `prefix` + key, unless `origins` is null. The nodes must outlive the reader.
class Reader {
public:
    Reader(std::vector<const Node*> layers, std::string prefix, Origins* origins);

    // The nearest node, faulty or not; nullptr if the key is absent from all tables.
    const Node* find(std::string_view key) const;
    bool has(std::string_view key) const { return find(key) != nullptr; }
    // True if one of the tables has an unknown key.
    bool has_unknown() const;
    // True if the key is absent and no unknown key could be its misspelling: report it as missing.
    bool lacks(std::string_view key) const;

    void read(std::string_view key, std::string& value) const;
    void read(std::string_view key, bool& value) const;
    void read(std::string_view key, std::uint32_t& value) const;
    void read(std::string_view key, Duration& value) const;
    void read(std::string_view key, std::vector<std::string>& value) const;
    void read(std::string_view key, std::map<std::string, std::string>& value) const;

    // Returns the node for the caller to read, or nullptr, and records its origin.
    const Node* take(std::string_view key) const;

private:
    std::vector<const Node*> layers_;  // nearest first
    std::string prefix_;
    Origins* origins_;
};

// A string, integer or boolean as text.
std::string scalar_text(const Node& node);

}  // namespace shelfd::config
