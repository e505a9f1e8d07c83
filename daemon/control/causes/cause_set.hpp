// Joins findings to causes: findings of the same kind and scope are one cause.
#pragma once

#include "control/model/cause.hpp"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace shelfd::control {

// One thing that is wrong with one library or table. Members without a comment: see Affected and Cause.
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
    std::optional<TableState> state = {};
    std::optional<Instant> next_try = {};
    std::string next = {};
    bool momentary = false;
};

// Findings of one library must be added one after the other.
class CauseSet {
public:
    // Returns the key of the cause. The cause has the severity of its worst finding and the earliest `since` of all.
    std::string add(Finding finding);
    // The same, but the cause is shown as `kind`. Its key still has the kind of the finding: after a restart the daemon
    // may not know what told the two kinds apart, and the cause must stay the same.
    std::string add_as(CauseKind kind, Finding finding);
    // Adds a table to the library that was added to that cause last. The cause began at `since`, or earlier.
    void add_table(const std::string& key, const std::string& table, const std::optional<Instant>& late_at,
                   const std::optional<Instant>& since = {});
    // Applies `fill` to every library that is affected, and its cause.
    template <typename Fill>
    void complete(Fill fill)
    {
        for (auto& [key, cause] : causes_) {
            for (auto& affected : cause.affected) {
                fill(cause, affected);
            }
        }
    }
    // Trouble between this machine and a service: `network` if most findings name the network, else `service`.
    std::string add_way(Finding finding, bool names_network);
    // If the tables of a library have reasons of different kinds, its sentence says three of them, and how many more
    // there are.
    std::vector<Cause> take() &&;

private:
    struct Reason {
        std::string kind;
        std::string why;
        std::vector<std::string> tables;
    };
    void note_reason(const std::string& key, const Finding& finding);
    void tell_reasons(const std::string& key, Cause& cause) const;

    std::map<std::string, Cause> causes_;
    std::map<std::string, CauseKind> shown_as_;
    // By key and library, in the order in which they were found.
    std::map<std::pair<std::string, std::string>, std::vector<Reason>> reasons_;
    std::map<std::string, int> network_share_;  // by key: findings that name the network, less those that do not
};

}  // namespace shelfd::control
