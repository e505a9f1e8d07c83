// Whether the canary answered as us behind what is about to be shown, or to be taken away.
#pragma once

#include "sync/identity_check.hpp"

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
    // The newest answer has rows that readers will see.
    void rows_arrived() { row_at_ = arrived_; }
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

}  // namespace shelfd::sync
