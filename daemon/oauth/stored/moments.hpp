// Converts between the clock of this boot and the moments that journal records hold.
#pragma once

#include "oauth/set/token_set.hpp"
#include "runtime/async/clock.hpp"

#include <algorithm>

namespace shelfd::oauth {

class Moments {
public:
    Moments(const Clock& clock, const Id& boot_id) : clock_(clock), boot_id_(boot_id) {}

    Moment now() const { return at(clock_.boot_now()); }
    Moment at(BootTime boot) const { return {clock_.now() - (clock_.boot_now() - boot), boot, boot_id_}; }

    // Converts a past moment. After a reboot it uses the wall clock, but no earlier time than that of the newest
    // record.
    BootTime past(const Moment& moment) const
    {
        const auto wall = std::max(clock_.now(), newest_record_);
        return is_of_this_boot(moment) ? moment.boot : clock_.boot_now() - std::max(wall - moment.wall, Duration(0));
    }
    // Converts a future moment, at most a day away.
    BootTime coming(const Moment& moment) const
    {
        constexpr Duration day = std::chrono::hours(24);
        const auto wait = std::clamp<Duration>(moment.wall - clock_.now(), Duration(0), day);
        return is_of_this_boot(moment) ? moment.boot : clock_.boot_now() + wait;
    }
    void set_newest_record(Instant wall) { newest_record_ = wall; }

private:
    bool is_of_this_boot(const Moment& moment) const { return moment.boot_id == boot_id_ && boot_id_ != Id{}; }

    const Clock& clock_;
    Id boot_id_;
    Instant newest_record_;
};

}  // namespace shelfd::oauth
