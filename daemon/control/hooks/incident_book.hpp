// The machine of alerts: from the causes of now and the time to what hooks are told. No I/O, no clock.
#pragma once

#include "control/hooks/hook_rule.hpp"
#include "control/hooks/incident.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace shelfd::control {

// An incident, as each hook sees it:
//
//   state      | happens                                          | hook is told | then
//   -----------+--------------------------------------------------+--------------+----------
//   –          | a cause is seen for the first time               | –            | waiting
//   waiting    | it lasts longer than the hook's `after`          | opened       | told
//   waiting    | it is over                                       | –            | –
//   told       | it is worse than what the hook was told          | escalated    | told
//   told       | `repeat` has passed since the hook was told      | repeated     | told
//   told       | it is not seen for the time of `quiet_time`      | recovered    | –
//   told       | it is seen again before that                     | –            | told
//   any        | all its libraries are silenced                   | –            | the same
//
// What comes back within an hour keeps its id, and has to stay away twice as long as the last time before it counts as
// over, an hour at most. After a start nothing is over for `settling`: passes have to be made first.
class IncidentBook {
public:
    static constexpr Duration settling = std::chrono::minutes(10);
    static constexpr std::size_t max_open = 1'000;

    // What outlives the process.
    struct Record {
        std::vector<Incident> open;
        std::vector<Incident> closed;             // within the last hour
        std::map<std::string, Instant> silences;  // by library: until when
        std::uint64_t last_number = 0;
    };

    explicit IncidentBook(Instant now) : started_(now) {}
    IncidentBook(Record record, Instant now) : record_(std::move(record)), started_(now) {}

    // All causes there are now, and the hooks there are now. Every announcement counts as told: whoever gets it keeps
    // it until it is delivered. Causes beyond `max_open` are left out.
    std::vector<Announcement> update(const std::vector<Cause>& causes, const std::vector<HookRule>& rules, Instant now);

    // Announces nothing that touches this library alone before `until`; what is over is announced all the same. A time
    // that has passed ends the silence.
    void silence(const std::string& library, Instant until, Instant now);

    const Record& record() const { return record_; }
    // Whether the record has changed since the last call of this function in a way that must be kept.
    bool take_changed() { return std::exchange(changed_, false); }

    // How long a cause must not be seen before it is over.
    static Duration quiet_time(const Incident& incident);

private:
    void see(const Cause& cause, Instant now);
    bool reopen(const Cause& cause, Instant now);
    void announce(Incident& incident, const std::vector<HookRule>& rules, Instant now, std::vector<Announcement>& out);
    void close(const std::vector<Cause>& causes, const std::vector<HookRule>& rules, Instant now,
               std::vector<Announcement>& out);
    void forget_old(Instant now);
    bool is_silenced(const Cause& cause, Instant now) const;

    Record record_;
    Instant started_;
    bool changed_ = false;
};

}  // namespace shelfd::control
