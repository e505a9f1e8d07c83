// Findings join to causes: what has the same kind and scope is one cause.
#pragma once

#include "control/hooks/cause.hpp"

#include <map>
#include <string>
#include <vector>

namespace shelfd::control {

// One thing that is wrong with one library or table.
struct Finding {
    CauseKind kind = CauseKind::service;
    std::string scope;  // tells causes of one kind apart
    Severity severity = Severity::ticket;
    std::string origin = {};
    std::string library = {};
    std::string table = {};  // "" = the library as a whole
    std::string why = {};
    std::string do_this = {};
    std::optional<Instant> since = {};
    std::optional<Instant> deadline = {};
    std::optional<Instant> late_at = {};
    bool momentary = false;
};

// Findings of one library follow each other.
class CauseSet {
public:
    // The key of the cause. Its severity is that of the worst finding, its time that of the earliest.
    std::string add(Finding finding);
    // A table that suffers from the last library of that cause.
    void add_table(const std::string& key, const std::string& table, const std::optional<Instant>& late_at);
    // Trouble on the way to a service: it is `network` where most findings name the network, else `service`.
    std::string add_way(Finding finding, bool names_network);
    std::vector<Cause> take() &&;

private:
    std::map<std::string, Cause> causes_;
    std::map<std::string, int> network_share_;  // by key: findings that name the network, less those that do not
};

}  // namespace shelfd::control
