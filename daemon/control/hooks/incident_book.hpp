// The machine of alerts: decides from causes and time which hook is called for what. No I/O, no clock.
#pragma once

#include "control/hooks/hook_rule.hpp"
#include "control/hooks/incident.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace shelfd::control {

// An incident, as each hook sees it:
//
//   state      | happens                                          | hook gets    | then
//   -----------+--------------------------------------------------+--------------+----------
//   –          | a cause is seen for the first time               | –            | waiting
//   waiting    | it lasts longer than the hook's `after`          | opened       | told
//   waiting    | it is over                                       | –            | –
//   told       | it is worse than at the hook's last call         | escalated    | told
//   told       | libraries, tables or reasons joined: `told.hpp`  | changed      | told
//   told       | `repeat` has passed since the hook's last call   | repeated     | told
//   told       | it is absent for `quiet_time`                    | recovered    | –
//   told       | it is seen again before that                     | –            | told
//   any        | all libraries that the hook sees are silenced    | –            | the same
//
// If an incident ends before its first call was tried, CallQueue drops the call and its end. While a call waits that
// was not tried yet, only `escalated` is announced: `tell` decides what the call says when it is made. A cause that
// comes back within an hour keeps its id, and must then be absent twice as long before it is over, an hour at most.
// After a start, an incident of an earlier process ends only when everything that it affected was looked at, or after
// `settling`. A library that it affected stays listed until passes show that it is well.
// An incident whose every table is affected by another cause now (`has_moved`) is not over: it becomes that one. If
// that one was announced as an incident of its own, the former is silent, and over when those tables are well.
class IncidentBook {
public:
    static constexpr Duration settling = std::chrono::minutes(10);
    static constexpr std::size_t max_open = 1'000;  // pages: twice as many
    // Who was called at night may look after a weekend.
    static constexpr Duration remembered = std::chrono::hours(7 * 24);
    static constexpr std::size_t max_remembered = 50;  // announced, and ended more than an hour ago

    // What outlives the process.
    struct Record {
        std::vector<Incident> open;
        std::vector<Incident> closed;  // within the last hour; announced ones of the last week, last ended last
        std::map<std::string, Instant> silences;  // by library: until when
        std::uint64_t last_number = 0;
    };

    // Hooks and the ids of incidents for which a call waits that was not tried yet.
    using Waiting = std::set<std::pair<std::string, std::string>>;

    // Whether what an earlier process saw wrong with a library would show by now.
    using Looked = std::function<bool(const Cause&, const Affected&)>;

    explicit IncidentBook(Instant now) : started_(now) {}
    IncidentBook(Record record, Instant now);

    // All current causes and hooks. Every announcement counts as delivered: the caller keeps it until it is. Causes
    // beyond `max_open` are left out.
    std::vector<Announcement> update(const std::vector<Cause>& causes, const std::vector<HookRule>& rules, Instant now,
                                     const Waiting& waiting = {}, const Looked& looked = {});

    // What a call that is made now says: the present state of the incident, which counts as told. Empty if the incident
    // is no longer open, or was not announced to that hook.
    std::optional<Announcement> tell(const HookRule& rule, const std::string& incident, CallEvent event, Instant now);
    // The hook has accepted a call of the incident.
    void accept(const std::string& hook, const std::string& incident, Instant now);

    // Announces nothing that affects only this library before `until`; the end of an incident is announced all the
    // same. A silence that lasts longer stays; a time in the past ends it. Returns until when the library is silent.
    Instant silence(const std::string& library, Instant until, Instant now);
    // Silences and ended incidents of libraries that were renamed become those of their present names. `former`: by
    // present name.
    void follow(const std::map<std::string, std::string>& former);

    const Record& record() const { return record_; }
    // Whether the record has changed since the last call of this function in a way that must be kept.
    bool take_changed() { return std::exchange(changed_, false); }

    // How long a cause must be absent before it is over.
    static Duration quiet_time(const Incident& incident);

private:
    void settle(const Looked& looked);
    void carry_over(const Cause& cause, const std::vector<Cause>& causes);
    void find_ends(const std::vector<Cause>& causes, Instant now);
    void see(Cause cause, Instant now);
    bool reopen(const Cause& cause, Instant now);
    void add_unseen(Cause& cause, Instant now);
    void announce(Incident& incident, const std::vector<HookRule>& rules, Instant now, const Waiting& waiting,
                  std::vector<Announcement>& out);
    void close(const std::vector<Cause>& causes, const std::vector<HookRule>& rules, Instant now,
               std::vector<Announcement>& out);
    void forget(const std::string& key);
    void remember(Incident incident);
    void forget_old(Instant now);
    bool is_awaited(const Incident& incident, Instant now) const;

    Record record_;
    Instant started_;
    std::set<std::string> seen_;  // since then, or looked for, by key; until it is over
    // By key: what an earlier process left, and was not seen since.
    std::map<std::string, std::vector<Affected>> unseen_;
    std::map<std::string, std::vector<Affected>> left_;  // likewise, until it was absent once
    std::set<std::string> moved_;                        // by key: its tables belong to another incident now
    bool changed_ = false;
};

}  // namespace shelfd::control
