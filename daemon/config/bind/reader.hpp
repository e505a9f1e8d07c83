// Values out of layered tables: what is written nearer wins, key by key.
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

// Reads checked nodes into values; one that is absent or faulty leaves the value as it is. Each value read is noted in
// `origins` under `prefix` + key, unless that is null. The nodes must outlive it.
class Reader {
public:
    Reader(std::vector<const Node*> layers, std::string prefix, Origins* origins);

    // The nearest one, faulty ones included: something stands there.
    const Node* find(std::string_view key) const;
    bool has(std::string_view key) const { return find(key) != nullptr; }
    // A key of its tables is none of theirs.
    bool has_unknown() const;
    // Nothing stands there, and no unknown key that may be it, misspelt: worth a fault of its own.
    bool lacks(std::string_view key) const;

    void read(std::string_view key, std::string& value) const;
    void read(std::string_view key, bool& value) const;
    void read(std::string_view key, std::uint32_t& value) const;
    void read(std::string_view key, Duration& value) const;
    void read(std::string_view key, std::vector<std::string>& value) const;
    void read(std::string_view key, std::map<std::string, std::string>& value) const;

    // The node to be read by the caller, or nullptr; noted as an origin.
    const Node* take(std::string_view key) const;

private:
    std::vector<const Node*> layers_;  // nearest first
    std::string prefix_;
    Origins* origins_;
};

// A string, integer or boolean as text.
std::string scalar_text(const Node& node);

}  // namespace shelfd::config
