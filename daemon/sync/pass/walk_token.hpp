// The token set used for the answers of one walk, by its generation.
#pragma once

#include "base/instant.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace shelfd::sync {

// Pure; one object for each pass.
class WalkToken {
public:
    void answer_arrived(std::uint64_t generation) { generation_ = generation; }
    void first_page_arrived() { first_generation_ = generation_; }
    // Of the newest answer.
    std::uint64_t generation() const { return generation_; }
    // True if page 1 was requested with another set than the present one.
    bool was_replaced(std::uint64_t present) const { return present != first_generation_; }

    // The newest answer was a 401 with this WWW-Authenticate, and the wait that it asks for, if any.
    void refused(std::string challenge, std::optional<Duration> wait)
    {
        challenge_ = std::move(challenge);
        wait_ = wait;
    }
    const std::string& challenge() const { return challenge_; }
    // If the canary accepts the token, such a 401 tells of a limit on the list.
    std::optional<Duration> wait() const { return wait_; }
    // The keeper replaced the refused token with this one.
    void renewed(std::uint64_t generation) { renewed_ = generation; }
    // True for a 401 to a request whose set was renewed meanwhile.
    bool is_outdated(int status, std::uint64_t generation) const { return status == 401 && generation < renewed_; }

private:
    std::uint64_t generation_ = 0;
    std::uint64_t first_generation_ = 0;
    std::uint64_t renewed_ = 0;
    std::string challenge_;
    std::optional<Duration> wait_;
};

}  // namespace shelfd::sync
