// Decides whether the canary has confirmed the library after the rows that are to become visible or to be deleted.
#pragma once

#include "mirror/values/walk.hpp"
#include "sync/library/identity_check.hpp"

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
    // The newest answer has `items` rows; readers will see `rows` of them as new or changed.
    void rows_arrived(std::uint64_t rows, std::uint64_t items)
    {
        row_at_ = rows > 0 ? std::optional(arrived_) : row_at_;
        meets_known_ = meets_known_ || rows < items;
        // Neither an empty end of the list nor its closing look shows rows that could be those of another library.
        walked_at_ = items > 0 || !walked_at_ ? std::optional(arrived_) : walked_at_;
        is_vouched_ = is_vouched_ && rows == 0;
        is_confirmed_ = false;
    }
    void begin_anew()
    {
        row_at_.reset();
        walked_at_.reset();
        meets_known_ = false;
        is_vouched_ = false;
        is_confirmed_ = false;
    }
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
    // After the last page. With `confirms`, an answer is needed that was requested after the walk, even if no row
    // becomes visible.
    asio::awaitable<Answer> behind(Duration max_age, Rows rows, bool confirms = false);
    // True if all rows so far are new to the table, as in a first load: then `behind` will ask only because of them,
    // and the canary may be asked while the closing look at page 1 is under way. The answer counts if it is ours and no
    // row arrives after it; else `behind` asks again.
    bool may_ask_beside() const { return row_at_ && !meets_known_ && !others_; }
    // Returns true if the answer was ours.
    asio::awaitable<bool> ask_beside();

    // Whether the newest answer of the canary has a row of ours before it that readers will see.
    bool has_rows() const { return row_at_.has_value(); }
    // Whether the canary answered as us after the newest page with rows (after page 1 if there are none), or nobody can
    // be asked. If not, an empty answer may have been that of another library.
    bool is_confirmed() const { return is_confirmed_ || (walked_at_ && identity_.is_confirmed_after(*walked_at_)); }

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
    std::optional<BootTime> row_at_;     // when the newest page with visible rows arrived
    std::optional<BootTime> walked_at_;  // when the newest page with rows arrived, or page 1
    bool meets_known_ = false;           // some row is in the table as it arrived
    bool is_vouched_ = false;            // ask_beside() had our answer, and no row has arrived since
    bool is_confirmed_ = false;          // see is_confirmed()
    bool impossible_ = false;
    std::uint32_t requests_ = 0;
    Others others_;
};

// What publishing would do to rows that stay.
Vouching::Rows rows_of(const mirror::ValueLoss& loss);

}  // namespace shelfd::sync
