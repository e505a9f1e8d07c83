// Decides whether the canary has confirmed the library after the rows that are to become visible or to be deleted.
#pragma once

#include "mirror/values/walk.hpp"
#include "sync/library/identity_check.hpp"
#include "sync/plan/pass_plan.hpp"

#include <cstdint>
#include <functional>
#include <optional>

namespace shelfd::sync {

// Rows of another library, or the public part of ours, look like any others. They become visible only if the canary has
// answered after the last of them arrived, whatever the token and the pass. Rows are deleted, or lose members, only if
// the canary also refuses a wrong token. If a canary existed when the pass began and none is left, nothing becomes
// visible; passes that begin without one ask nobody, and status says so. One object for each pass or turn of details.
// Loop only; `identity` must outlive it.
class Vouching {
public:
    explicit Vouching(IdentityCheck& identity) : identity_(identity), had_canary_(identity.is_possible()) {}

    void answer_arrived(BootTime at) { arrived_ = at; }
    // The newest answer has `rows` rows that readers will see.
    void rows_arrived(std::uint64_t rows) { row_at_ = rows > 0 ? std::optional(arrived_) : row_at_; }
    void begin_anew() { row_at_.reset(); }
    // Waits for requests of later passes: one canary after all of them serves those passes too.
    using Others = std::function<asio::awaitable<void>()>;
    void wait_for(Others others) { others_ = std::move(others); }

    using Answer = IdentityCheck::Answer;
    // Before the first page. An answer up to `max_age` old, shared with adjacent passes, is accepted; 0 = none is.
    asio::awaitable<Answer> before(Duration max_age);
    enum class Rows {
        stay,
        change,     // many of them
        lose,       // some lose members
        lose_many,  // the same, and many change
        go,         // some are deleted
    };
    // After the last page.
    asio::awaitable<Answer> behind(Duration max_age, Rows rows);

    // Whether the newest answer of the canary has a row of ours before it that readers will see.
    bool has_rows() const { return row_at_.has_value(); }

    // True if rows or members are missing and nothing distinguishes a working token from a wrong one.
    bool is_impossible() const { return impossible_; }
    void nobody_to_ask() { impossible_ = true; }
    std::uint32_t requests() const { return requests_; }

private:
    asio::awaitable<Answer> prove_fit(Rows rows);
    Answer heard(Answer answer);

    IdentityCheck& identity_;
    bool had_canary_;
    BootTime arrived_{};
    std::optional<BootTime> row_at_;  // when the newest page with visible rows arrived
    bool impossible_ = false;
    std::uint32_t requests_ = 0;
    Others others_;
};

// What publishing would do to rows that stay.
Vouching::Rows rows_of(const mirror::ValueLoss& loss);

// The oldest answer of the canary that a pass without new rows may use. A personal token follows its user from one
// library to another at any moment, so its answer is not shared.
Duration identity_max_age(bool is_personal, PassKind kind);

}  // namespace shelfd::sync
