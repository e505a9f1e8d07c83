// What is wrong, as one cause for all libraries and tables that it affects: the unit of an alert.
#pragma once

#include "base/instant.hpp"
#include "base/state/table_state.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace shelfd::control {

enum class CauseKind {
    service,           // it answers with failures
    network,           // it cannot be reached from here
    limit,             // it has named a time before which it takes no requests
    token_lost,        // there is no usable token set
    foreign_rotation,  // a set was used or revoked by somebody else, or the store is a copy
    wrong_library,     // a token acts on another library than the configured one
    application,       // the service refuses client_id or client_secret
    refresh,           // a set cannot be refreshed for another reason
    access_ends,       // a set without a refresh token
    permission,        // lists that the service refuses to the set
    held,              // rows that wait for a person before they are deleted
    key_drift,         // items without the key that is configured, or with one twice
    configuration,     // a list that cannot be read as it is configured
    late,              // tables that are late, and no other cause explains it
    disk,              // a disk of this machine cannot be written
    journal_copy,      // token journals have one copy only, or none
    clock,             // the clocks of this machine and of the service are far apart
    wal,               // a reader keeps the WAL of a mirror from being emptied
    snapshot,          // snapshots cannot be made
    bug,               // of this program
    not_running,       // a library that is configured and could not be opened
    daemon,            // trouble of the daemon itself, such as a refused reload
    service_changed,   // a fact that was learned about the service has changed
    consumer_lag,      // a hook does not accept its calls for published rounds
    identity,          // the library of the token is not verified
    filter,            // a filter of `incremental` that the service does not obey
    column_drift,      // a column whose kind does not fit its values any more
    schedule,          // the schedules need more requests than the limit in force allows
    repaired,          // a damaged mirror, or a damaged copy of a token set, was replaced
    test,              // `shelfctl hooks test`
};

// The word in configuration, JSON and metrics: "token_lost".
std::string_view to_string(CauseKind kind);
std::optional<CauseKind> parse_cause_kind(std::string_view word);
// What is wrong, without names: "there is no usable token set".
std::string_view title_of(CauseKind kind);

enum class Severity {
    info,    // passes by itself, or is worth knowing
    ticket,  // somebody has to act
    page,    // syncing has ended or ends within `page_within` unless somebody acts, or data is wrong
};

std::string_view to_string(Severity severity);
std::optional<Severity> parse_severity(std::string_view word);

inline constexpr Duration page_within = std::chrono::hours(4);

// Who can end it: "nobody" (it ends by itself), "operator" of this machine, "owner" of the library, "service".
std::string_view who_can_act(CauseKind kind);

// How long a cause must last before it is announced, unless the hook says so: causes that end by themselves wait.
Duration usual_patience(CauseKind kind);

// How long a cause must be absent before it is over, the first time: shorter if somebody must act to end it.
Duration usual_quiet(CauseKind kind);

// One library that the cause affects. `library` is "" for the daemon itself.
struct Affected {
    std::string library;
    std::vector<std::string> tables;       // none: the library as a whole
    std::string why;                       // one sentence, as in status
    std::string do_this;                   // what to type, "" when nothing
    std::optional<Instant> deadline;       // unless somebody acts, syncing stops then
    std::optional<Instant> late_at;        // of the first of its tables: it is late from then on
    std::optional<TableState> state = {};  // of these tables, the first in precedence; of a token set: needs_person
    std::size_t tables_in_all = 0;         // of the library, without retired ones
    std::optional<Instant> next_try = {};  // when the daemon tries again by itself
    std::string next = {};                 // likewise in words, after "the daemon"; "" = nothing
    std::string note = {};                 // of the library, from the configuration
    std::string contact = {};              // whom to tell at its service, likewise
    std::optional<Instant> since = {};     // of this library
};

struct Cause {
    std::string key;  // the same as long as it is the same cause
    CauseKind kind = CauseKind::service;
    Severity severity = Severity::ticket;
    std::string origin;  // base_url, where the cause lies at a service; else ""
    std::optional<Instant> since;
    bool momentary = false;  // an event: it is announced once and never over
    std::vector<Affected> affected;
    std::string contact = {};   // whom to tell, as `describe_contacts` says
    std::string incident = {};  // the id in alerts, "" = none was opened
};

// "library9" before "library10".
void sort_by_library(std::vector<Affected>& affected);

// Names a cause as long as it lasts: "b7k2m9". The same after a restart.
std::string problem_id(const Cause& cause);

}  // namespace shelfd::control
