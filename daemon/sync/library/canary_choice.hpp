// Without `identity`: which list tells a token that works from one that does not, found out by asking with both.
#pragma once

#include "budget/ledger.hpp"
#include "oauth/endpoint/canary.hpp"
#include "sync/library/context.hpp"

#include <functional>
#include <optional>
#include <vector>

namespace shelfd::sync {

// Some services answer a dead token with 200 and what is public: a list that does so says nothing about the token, and
// a pass over it would take a public part for the whole. A list that refuses a wrong token (401) and takes ours is
// asked around each pass instead, as a page that names the library would be; one that refuses every token would have
// the set refreshed again and again. Which list that is, is kept in `_resources` and tried again weekly. Loop only.
// `context` outlives it.
class CanaryChoice {
public:
    // `spec_of`: the cheapest question to a list.
    CanaryChoice(LibraryContext& context, std::function<oauth::CanarySpec(const config::Resource&)> spec_of)
        : context_(context), spec_of_(std::move(spec_of))
    {
    }

    // Reads what the mirror knows.
    asio::awaitable<Result<void>> load();
    // Finds out, where that is due. What it asked is added to `spent`.
    asio::awaitable<void> choose(budget::Tally& spent);
    // The keeper's canary tells tokens apart, as far as is known.
    bool is_fit() const { return fit_ != nullptr; }
    // None of the lists does, by the last try.
    bool is_known_unfit() const { return fit_ == nullptr && tried_with_ != 0; }
    // Whether it still does; another one is looked for where it does not, once a day at most.
    asio::awaitable<Fitness> prove(budget::Tally& spent);
    // It does not answer like that any more.
    void forget();

private:
    const config::Resource* find(const std::string& name) const;
    bool is_due() const;
    void use(const config::Resource& list);
    asio::awaitable<void> look(budget::Tally& spent);
    asio::awaitable<Fitness> try_wrong_token(const config::Resource& list, budget::Tally& spent);
    asio::awaitable<Fitness> try_list(const config::Resource& list, budget::Tally& spent);
    asio::awaitable<void> note(const config::Resource& list, Fitness fitness);

    LibraryContext& context_;
    std::function<oauth::CanarySpec(const config::Resource&)> spec_of_;
    AsyncMutex choosing_;
    const config::Resource* fit_ = nullptr;
    std::optional<Instant> tried_at_;
    std::uint64_t tried_with_ = 0;  // the generation of the token set, when no list was found fit
};

// What an answer to a token that nobody issued says of whoever gave it.
Fitness fitness_of(const oauth::CanaryReading& to_wrong);

}  // namespace shelfd::sync
