// Values of the token keeper: a token set, its standing, and facts learned about the service.
#pragma once

#include "base/instant.hpp"
#include "base/secret.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace shelfd::oauth {

// 128 bits that identify a boot, an installation or a machine; all zero = unknown.
using Id = std::array<std::byte, 16>;

// A time on both clocks. Boot time is used while the boot id is the same; after a reboot the wall clock, bounded.
struct Moment {
    Instant wall;
    BootTime boot;
    Id boot_id{};
};

// How the set was obtained. The values are stored.
enum class Origin : std::uint8_t {
    none = 0,            // there is no set: it was forgotten, or the first login has begun
    rotated = 1,         // from the answer to a refresh
    pasted = 2,          // provided by a person; rotated at once because copies may exist
    access_only = 3,     // provided by a person without a refresh token; ends with its access token
    rest_of_answer = 4,  // access token of an answer whose refresh token was cut off; ends with it, as lost
    restored = 5,        // the older set, in force again after a pasted one proved dead
    left_alone = 6,      // provided by a person who asked not to rotate it before half of its lifetime
    granted = 7,         // from the answer to an authorization code; nobody else has seen it
    moved_out = 8,       // moved to another machine; kept only so that it can be taken back
    untried = 9,         // its access token had expired on arrival; refreshed at once, then identified
    unproven = 10,       // an untried set after its refresh; the canary has not identified its library yet
};

// Facts measured about the service; stored for each library and shown in the status.
struct Learned {
    std::optional<bool> rotates;         // a refresh returns a new refresh token
    std::optional<bool> old_token_dies;  // a refresh revokes the old access token; the commit oracle depends on it
    std::optional<bool> canary_refuses;  // the canary answers 401 to a wrong token
    std::string canary;                  // identifies the canary that taught the last two; another one may differ
    Duration grace{0};  // longest time after which a used refresh token was accepted again; 0 = never seen
};

// The lifetime assumed if an answer names none: tokens of the service live for seven days.
inline constexpr Duration assumed_lifetime = std::chrono::hours(7 * 24);

// Limits the rate of refreshes across restarts.
struct Pace {
    Instant day_start;            // the day that `day_count` counts
    std::uint32_t day_count = 0;  // exchanges begun in that day
    std::uint32_t hurried = 0;    // consecutive refreshes caused by a 401 in the first tenth of a lifetime
};

// A token set without its tokens.
struct SetFacts {
    std::uint64_t generation = 0;
    std::string token_type;
    std::string scope;  // as the service writes it: names separated by spaces
    Moment issued;      // when the request for the set was sent
    Duration lifetime{};
    Origin origin = Origin::none;
    std::optional<Instant> moved_at;  // for Origin::moved_out
    std::string moved_to;             // destination that a person named; "" = none
    std::uint64_t keep = 0;           // generation of the older set kept until this one is proven; 0 = none
    std::string service;              // origin that issued it: "https://api.example.com"
    std::string client_id;
    std::string library_id;  // learned and pinned; "" = unknown
    // What a person must know about how the set came into force, until it is refreshed: since when, and one sentence
    // without secrets.
    std::optional<Instant> remark_at;
    std::string remark;
    bool from_login = false;  // the set, or an ancestor, came from an authorization code: a person's own
    Learned learned;
    Pace pace;
};

struct TokenSet : SetFacts {
    Secret access;   // "" = none
    Secret refresh;  // "" = none

    TokenSet clone() const;
};

// The standing of a set; stored, so that a verdict survives a restart. The values are stored.
enum class Standing : std::uint8_t {
    good = 0,           // can be refreshed
    in_doubt = 1,       // an exchange was sent and its outcome is ambiguous; resolved without a person
    configuration = 2,  // the service refuses our client, not our token; no token was spent
    foreign = 3,        // somebody else rotated the set, or it was revoked; never sent again
    lost = 4,           // the new set was destroyed on its way to us
};

// Content of INTENT and VERDICT records: all that a restart must know about the attempts since the newest TOKEN, so
// that only the newest of these records has to survive.
struct Note {
    Standing standing = Standing::good;
    bool earlier_doubt = false;       // an earlier attempt is unresolved
    bool access_was_alive = false;    // at the first unresolved sending; if false, a later 401 proves nothing
    bool committed = false;           // the oracle reported that the service rotated
    std::uint32_t replays = 0;        // sendings since the first unresolved one
    std::uint32_t server_errors = 0;  // 5xx in a row
    Instant since;                    // since when the standing applies
    Moment first_sent;                // the first unresolved sending
    Moment last_sent;                 // the newest one
    std::string reason;               // one sentence; nothing secret
    // The token endpoint asked for no request before this time.
    std::optional<Moment> told_to_wait;
    // For an INTENT of an authorization code: when the code was sent. The other members are unchanged. If RAW holds an
    // answer, it is a set in addition to the present one.
    std::optional<Moment> code_sent;
    std::string code_service;  // service and application to which the code was sent; the set belongs to them
    std::string code_client_id;
};

// First eight bytes of the SHA-256, in hexadecimal: identifies a token in logs, and finds one that two libraries share.
std::string fingerprint(const Secret& token);

}  // namespace shelfd::oauth
