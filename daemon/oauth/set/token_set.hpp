// The values the token keeper keeps: a set of tokens, where it stands, and what the service taught us about it.
#pragma once

#include "base/instant.hpp"
#include "base/secret.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace shelfd::oauth {

// 128 bits that name a boot, an installation or a machine; all zero = unknown.
using Id = std::array<std::byte, 16>;

// A moment on both clocks: boot time counts while the boot id is the same, the wall clock (bounded) after a restart.
struct Moment {
    Instant wall;
    BootTime boot;
    Id boot_id{};
};

// How the set came to us. The values are stored.
enum class Origin : std::uint8_t {
    none = 0,            // there is no set: it was forgotten
    rotated = 1,         // answered to a refresh of ours
    pasted = 2,          // given by a person and to be rotated at once: a copy of it may live elsewhere
    access_only = 3,     // given by a person without a refresh token: ends with its access token
    rest_of_answer = 4,  // the access token of an answer whose refresh token was cut off: ends, and is a loss
    restored = 5,        // the older set, again in force after a pasted one proved dead
    left_alone = 6,      // given by a person who wants it left as it is until half of its life
    granted = 7,         // answered to an authorization code: nobody else has ever seen it
    moved_out = 8,       // given away to another machine: kept only so that it can be taken back
    untried = 9,         // its access token had ended when it came: to be refreshed at once, then asked whose it is
    unproven = 10,       // an untried one that was refreshed: the canary has not said yet whose it is
};

// Facts measured about the service, kept for each library and shown.
struct Learned {
    std::optional<bool> rotates;         // a refresh answers with a new refresh token
    std::optional<bool> old_token_dies;  // a refresh kills the old access token: what the commit oracle rests on
    std::optional<bool> canary_refuses;  // the canary answers 401 to a wrong token
    std::string canary;                  // a mark of the canary that taught the last two; another one may differ
    Duration grace{0};  // the longest time after which a used refresh token still gave the set; 0 = never seen
};

// The service's tokens live for seven days, and nothing else is known of one that comes without a word.
inline constexpr Duration assumed_lifetime = std::chrono::hours(7 * 24);

// What limits the rate of refreshes across restarts.
struct Pace {
    Instant day_start;            // the day that `day_count` counts
    std::uint32_t day_count = 0;  // exchanges begun in it
    std::uint32_t hurried = 0;    // refreshes in a row that a 401 asked for in the first tenth of a lifetime
};

// All of a set but its tokens.
struct SetFacts {
    std::uint64_t generation = 0;
    std::string token_type;
    std::string scope;  // as the service writes it: names separated by a space
    Moment issued;      // when the request was sent that the set answers
    Duration lifetime{};
    Origin origin = Origin::none;
    std::optional<Instant> moved_at;  // of moved_out
    std::string moved_to;             // where a person said that it goes; "" = nobody said
    std::uint64_t keep = 0;           // generation of the older set that stays until this one is proven; 0 = none
    std::string service;              // origin that issued it: "https://api.example.com"
    std::string client_id;
    std::string library_id;   // learned and pinned; "" = not known
    bool from_login = false;  // it, or the one it was refreshed from, answered to an authorization code: a person's own
    Learned learned;
    Pace pace;
};

struct TokenSet : SetFacts {
    Secret access;   // "" = none
    Secret refresh;  // "" = none

    TokenSet clone() const;
};

// Where a set stands, kept on disk so that a restart does not forget a verdict. The values are stored.
enum class Standing : std::uint8_t {
    good = 0,           // can be refreshed
    in_doubt = 1,       // an exchange was sent and its outcome is not known; being resolved without a person
    configuration = 2,  // the service refuses our client, not our token; nothing was spent
    foreign = 3,        // somebody else rotated the set, or it was revoked; never presented again
    lost = 4,           // the new set was destroyed on its way to us
};

// What INTENT and VERDICT say: everything a restart must know about the attempts since the newest TOKEN, so that only
// the newest of them has to survive.
struct Note {
    Standing standing = Standing::good;
    bool earlier_doubt = false;       // an attempt before this one is unresolved
    bool access_was_alive = false;    // at the first unresolved sending: else a 401 later proves nothing
    bool committed = false;           // the oracle said that the service rotated
    std::uint32_t replays = 0;        // sendings since the first unresolved one
    std::uint32_t server_errors = 0;  // 5xx in a row
    Instant since;                    // of the standing
    Moment first_sent;                // the first unresolved sending
    Moment last_sent;                 // the newest one
    std::string reason;               // one sentence; nothing secret
    // The token endpoint asked to be left alone until then.
    std::optional<Moment> told_to_wait;
    // Of an INTENT for an authorization code: when it was sent. The rest is as it was before; the answer, if there is
    // one in RAW, is a set beside the present one.
    std::optional<Moment> code_sent;
    std::string code_service;  // who was asked, and as which application: the set is theirs
    std::string code_client_id;
};

// Eight bytes of SHA-256 in hexadecimal: names a token in logs and finds the same one in two libraries.
std::string fingerprint(const Secret& token);

}  // namespace shelfd::oauth
