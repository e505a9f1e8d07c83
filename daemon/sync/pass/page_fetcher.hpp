// Sends the requests of one walk, some of them ahead of the page that is awaited.
#pragma once

#include "budget/ledger.hpp"
#include "config/model/model.hpp"
#include "http/client.hpp"
#include "runtime/async/async_event.hpp"
#include "runtime/async/task_group.hpp"
#include "sync/library/context.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace shelfd::sync {

struct Fetched {
    Result<http::Response> outcome;
    std::optional<Error> no_token;  // the keeper had none to send with: nothing was sent, `outcome` repeats it
    std::uint64_t generation = 0;   // of the token set it was sent with
    bool ahead = false;             // it was asked for before anybody waited for it
    BootTime arrived = {};
};

// How requests that belong together, those of a round say, stand in line at the limiter.
struct RequestLine {
    budget::Purpose purpose = budget::Purpose::full;
    std::uint32_t urgent = 0;  // so many more are what somebody waits for
    budget::Flow flow = {};
    WalkTurns::Turn* turn = nullptr;   // of the pass that these requests are for; outlives them
    WalkGate::Place* place = nullptr;  // likewise
};

// Loop only. Each request waits for its turn at the limiter, and is counted here and in the library's ledger. `line`
// outlives it. `close` before the end of its life.
class PageFetcher {
public:
    PageFetcher(LibraryContext& context, const config::Resource& resource, std::string path, RequestLine& line);
    PageFetcher(const PageFetcher&) = delete;
    PageFetcher& operator=(const PageFetcher&) = delete;

    // The answer to a GET of the path with `query`; the one fetched ahead where that is a 200.
    asio::awaitable<Fetched> fetch(std::string query, budget::Reason reason);
    // The answer to a GET of another target at the same origin: a path, perhaps with a query.
    asio::awaitable<Fetched> fetch_target(std::string target, budget::Reason reason);
    // Begins those requests that are not under way, as far as there is room for their answers; forgets what was fetched
    // ahead and is not among them.
    void fetch_ahead(const std::vector<std::string>& queries);
    // Returns when what is fetched ahead has arrived, or at `latest`.
    asio::awaitable<void> await_ahead(BootTime latest);
    // Whether the page behind the newest one that was asked for is here, so that it comes without a wait.
    bool has_next() const;
    // Ends what is under way. Also for callers that were cancelled, once they reset their cancellation state.
    asio::awaitable<void> close();

    const budget::Tally& sent() const { return sent_; }

private:
    struct Ahead;

    asio::awaitable<Fetched> request(std::string target, budget::Reason reason);
    std::string target_of(const std::string& query) const { return path_ + (query.empty() ? "" : "?" + query); }
    std::shared_ptr<Ahead> find_ahead(const std::string& query) const;
    asio::awaitable<void> bring(std::shared_ptr<Ahead> ahead, std::string query);

    LibraryContext& context_;
    const config::Resource& resource_;
    std::string path_;
    RequestLine& line_;
    std::vector<std::shared_ptr<Ahead>> ahead_;  // nearest first
    std::uint64_t page_bytes_ = 128U << 10U;     // of the last page
    budget::Tally sent_;
    TaskGroup tasks_;
};

}  // namespace shelfd::sync
