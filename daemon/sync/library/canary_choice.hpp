// For services without `identity`: chooses a list that shows whether a token works, by a wrong token and ours.
#pragma once

#include "budget/tally.hpp"
#include "oauth/endpoint/canary.hpp"
#include "sync/library/context.hpp"

#include <functional>
#include <optional>
#include <vector>

namespace shelfd::sync {

// Some services answer a dead token with 200 and the public rows: such a list shows nothing about the token, and a pass
// would take the public rows for the whole. A list that refuses a wrong token (401) and accepts ours is requested
// around each pass, as an identity page would be; a list that refuses every token would cause endless refreshes. The
// choice is stored in `_resources` and tested again weekly. Loop only. `context` must outlive this object.
class CanaryChoice {
public:
    // `spec_of` returns the cheapest request to a list.
    CanaryChoice(LibraryContext& context, std::function<oauth::CanarySpec(const config::Resource&)> spec_of)
        : context_(context), spec_of_(std::move(spec_of))
    {
    }

    // Reads what the mirror knows.
    asio::awaitable<Result<void>> load();
    // Chooses a list if that is due. Adds its requests to `spent`.
    asio::awaitable<void> choose(budget::Tally& spent);
    // True if the keeper's canary is known to distinguish tokens.
    bool is_fit() const { return fit_ != nullptr; }
    // True if no list does, according to the last test.
    bool is_known_unfit() const { return fit_ == nullptr && tried_with_ != 0; }
    // Tests whether the chosen list still does; if not, looks for another one, at most once a day while there is none.
    asio::awaitable<Fitness> prove(budget::Tally& spent);
    // Call when the chosen list no longer answers as expected.
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
    std::uint64_t tried_with_ = 0;  // generation of the token set for which no list was fit; otherwise 0
};

// What the answer to a token that the service never issued shows about the list.
Fitness fitness_of(const oauth::CanaryReading& to_wrong);

}  // namespace shelfd::sync
