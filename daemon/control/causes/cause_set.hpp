// Joins findings to causes: findings of the same kind and scope are one cause.
#pragma once

#include "control/model/cause.hpp"

#include <map>
#include <string>
#include <utility>
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
    std::optional<TableState> state = {};
    std::optional<Instant> next_try = {};
    std::string next = {};
    bool momentary = false;
};

// Findings of one library must be added one after the other.
class CauseSet {
public:
    // The key of the cause. Its severity is that of the worst finding, its time that of the earliest.
    std::string add(Finding finding);
    // The same, but the cause is shown as `kind`. It keeps the key of the kind of the finding, so that it stays one
    // cause when a restart forgets what told the two apart.
    std::string add_as(CauseKind kind, Finding finding);
    // Adds a table of the last library of that cause, which lasts since `since` at least.
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
    // A library whose tables have reasons of different kinds has all of them in its sentence.
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
