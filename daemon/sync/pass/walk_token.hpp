// The token set that the answers of one walk were asked with.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

namespace shelfd::sync {

// By its generation. Pure; one object a pass.
class WalkToken {
public:
    void answer_arrived(std::uint64_t generation) { generation_ = generation; }
    void first_page_arrived() { first_generation_ = generation_; }
    // Of the newest answer.
    std::uint64_t generation() const { return generation_; }
    // Page 1 was asked for with another set than the present one.
    bool was_replaced(std::uint64_t present) const { return present != first_generation_; }

    // The newest answer was a 401 with this WWW-Authenticate.
    void refused(std::string challenge) { challenge_ = std::move(challenge); }
    const std::string& challenge() const { return challenge_; }
    // The keeper gave this one for the refused one.
    void renewed(std::uint64_t generation) { renewed_ = generation; }
    // A 401 to a request with a set that was renewed meanwhile says nothing new.
    bool is_outdated(int status, std::uint64_t generation) const { return status == 401 && generation < renewed_; }

private:
    std::uint64_t generation_ = 0;
    std::uint64_t first_generation_ = 0;
    std::uint64_t renewed_ = 0;
    std::string challenge_;
};

}  // namespace shelfd::sync
