// Sends the requests of one walk, some of them ahead of the page that is awaited.
#pragma once

#include "budget/tally.hpp"
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
    std::optional<Error> no_token;  // the keeper had no token: nothing was sent, and `outcome` repeats the error
    std::uint64_t generation = 0;   // of the token set used
    bool ahead = false;             // requested before the walk needed it
    BootTime arrived = {};
    Duration took{0};  // from the sending of the request
};

// The service's time at which the rows of an answer were read at the earliest. The service may read them when the
// request arrives, and write the Date when it sends the answer. For a request of a pass that began at `started`.
Instant read_time(const Fetched& page, Instant started, Instant now);

// How the requests of a pass or round wait at the limiter.
struct RequestLine {
    budget::Purpose purpose = budget::Purpose::full;
    std::uint32_t urgent = 0;  // this many further requests are sent as interactive, for a caller who waits
    budget::Flow flow = {};
    WalkTurns::Turn* turn = nullptr;   // of the pass that sends the requests; must outlive them
    WalkGate::Place* place = nullptr;  // likewise
};

// Loop only. Each request waits for its turn at the limiter, and is counted here and for the library. `line`
// must outlive this object. Call `close` before destruction.
class PageFetcher {
public:
    PageFetcher(LibraryContext& context, const config::Resource& resource, std::string path, RequestLine& line);
    PageFetcher(const PageFetcher&) = delete;
    PageFetcher& operator=(const PageFetcher&) = delete;

    // Returns the answer to a GET of the path with `query`; the one fetched ahead, if that is a page.
    asio::awaitable<Fetched> fetch(std::string query, budget::Reason reason);
    // Returns the answer to a GET of another target at the same origin: a path, perhaps with a query.
    asio::awaitable<Fetched> fetch_target(std::string target, budget::Reason reason);
    // Starts those of `queries` not yet under way, as many as the service's `in_flight` and the room for answers allow;
    // the next one when a page fetched ahead is taken. Drops other pages fetched ahead.
    void fetch_ahead(const std::vector<std::string>& queries);
    // Returns when the pages fetched ahead have arrived, or at `latest`.
    asio::awaitable<void> await_ahead(BootTime latest);
    // True if the next page has been fetched ahead and comes without a wait.
    bool has_next() const;
    // Cancels what is under way. Callers that were cancelled must reset their cancellation state first.
    asio::awaitable<void> close();

    const budget::Tally& sent() const { return sent_; }

private:
    struct Ahead;
    using Pages = std::vector<std::shared_ptr<Ahead>>;

    // Whether a large answer waits for room in WalkMemory::bodies.
    enum class Bodies { unlimited, limited };
    asio::awaitable<Fetched> request(std::string target, budget::Reason reason, Bodies bodies = Bodies::unlimited);
    std::string target_of(const std::string& query) const { return path_ + (query.empty() ? "" : "?" + query); }
    static std::shared_ptr<Ahead> find_in(const Pages& pages, const std::string& query);
    std::shared_ptr<Ahead> start(const std::string& query);
    void start_waiting();
    asio::awaitable<void> bring(std::shared_ptr<Ahead> ahead);

    LibraryContext& context_;
    const config::Resource& resource_;
    std::string path_;
    RequestLine& line_;
    Pages ahead_;                             // nearest first
    std::vector<std::string> waiting_;        // queries behind those
    std::uint64_t page_bytes_ = 128U << 10U;  // of the last page
    budget::Tally sent_;
    TaskGroup tasks_;
};

}  // namespace shelfd::sync
