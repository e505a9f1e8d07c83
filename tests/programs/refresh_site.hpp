// A site whose token set is due for a refresh, again and again: store, mirror and service are put back before each try.
#pragma once

#include "oauth/set/token_set.hpp"
#include "site.hpp"
#include "traced_run.hpp"

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace shelfd {

struct RefreshSiteOptions {
    enum class Due {
        by_age,     // half of its life is over; the access token lives, so that the canary can tell what became of it
        by_refusal  // the access token has expired
    };
    Due due = Due::by_age;
    SiteOptions::Line line = SiteOptions::Line::plain;
    std::chrono::seconds grace{0};
    bool revokes_family = false;
};

// What became of the set, as the service and the store see it together.
struct SetFate {
    bool alive = false;  // what the store holds is the newest set of the service
    bool in_doubt = false;
    oauth::Standing standing = oauth::Standing::good;
    // Since everything was put back.
    std::uint64_t posts = 0;    // to the token endpoint
    std::uint64_t intents = 0;  // in the journals, whatever became of them
    std::uint64_t rotations = 0;
    std::uint64_t reuses = 0;
};

class RefreshSite {
public:
    explicit RefreshSite(RefreshSiteOptions options);

    // Everything as it was when `keep` was called last; a grace window that was open then is as open again.
    void put_back();
    // What `put_back` goes back to from now on: the store, the mirror and the service as they are.
    void keep();

    // The set that the store holds is as old as the first one was: due.
    void make_due();

    // shelfd --once, to its end; traced when there is an injection or a wish for it.
    enum class Trace { no, yes };
    TracedRun run(Trace trace, const std::string& injection = "");
    // Runs, undisturbed, until nothing is in doubt that time alone resolves.
    SetFate settle();
    SetFate fate();

    Site& site() { return site_; }
    std::string journal(char copy) const;

private:
    void give_set(Duration age);
    void write_set(oauth::TokenSet set, Duration age) const;

    RefreshSiteOptions options_;
    Site site_;
    TempDirectory kept_;
    sim::TokenBook kept_tokens_;
    Instant kept_at_;
    std::uint64_t kept_intents_ = 0;
};

std::string to_text(const SetFate& fate);

}  // namespace shelfd
