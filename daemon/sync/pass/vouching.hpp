// Whether the canary answered as us behind what is about to be shown, or to be taken away.
#pragma once

#include "sync/library/identity_check.hpp"
#include "sync/plan/pass_plan.hpp"

#include <cstdint>
#include <functional>
#include <optional>

namespace shelfd::sync {

// Rows of another library, or the public part of ours, look like any others: they are shown only where who we are was
// said after the last of them came, whatever the token and the pass. Rows go only where, besides, whoever said it
// refuses a wrong token. One object a pass, or a turn of details. Loop only; `identity` outlives it.
class Vouching {
public:
    explicit Vouching(IdentityCheck& identity) : identity_(identity) {}

    void answer_arrived(BootTime at) { arrived_ = at; }
    // The newest answer has so many rows that readers will see.
    void rows_arrived(std::uint64_t rows) { row_at_ = rows > 0 ? std::optional(arrived_) : row_at_; }
    void begin_anew() { row_at_.reset(); }
    // What is under way for passes behind this one: one question behind all of it serves them, too.
    using Others = std::function<asio::awaitable<void>()>;
    void wait_for(Others others) { others_ = std::move(others); }

    using Answer = IdentityCheck::Answer;
    // Before the first page: `max_age` is that of an answer which serves adjacent passes, too; 0 = there is none.
    asio::awaitable<Answer> before(Duration max_age);
    enum class Rows { stay, go };
    // Behind the last page.
    asio::awaitable<Answer> behind(Duration max_age, Rows rows);

    // Rows are missing, and nothing tells a token that works from a wrong one.
    bool is_impossible() const { return impossible_; }
    void nobody_to_ask() { impossible_ = true; }
    std::uint32_t requests() const { return requests_; }

private:
    asio::awaitable<Answer> prove_fit();

    IdentityCheck& identity_;
    BootTime arrived_{};
    std::optional<BootTime> row_at_;  // when the newest page with such rows came
    bool impossible_ = false;
    std::uint32_t requests_ = 0;
    Others others_;
};

// How old an answer of the canary may be for a pass that shows no row which came after it. A personal token follows its
// user from one library to another at any moment.
Duration identity_max_age(bool is_personal, PassKind kind);

}  // namespace shelfd::sync
