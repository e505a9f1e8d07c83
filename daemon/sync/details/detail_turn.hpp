// Fetches items by their own addresses, several at once, and publishes them in batches.
#pragma once

#include "mirror/values/details.hpp"
#include "runtime/async/async_event.hpp"
#include "runtime/async/task_group.hpp"
#include "sync/details/detail_answer.hpp"
#include "sync/details/detail_machine.hpp"
#include "sync/library/context.hpp"
#include "sync/library/progress.hpp"
#include "sync/pass/page_fetcher.hpp"
#include "sync/pass/pass_report.hpp"
#include "sync/pass/vouching.hpp"

#include <boost/asio/awaitable.hpp>

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace shelfd::sync {

struct DetailTurnReport {
    Trouble trouble = Trouble::none;  // of the queue; further items cannot cure it
    std::string why;
    TroubleSource source = TroubleSource::service;  // of that trouble
    std::string fault;                              // the latest error of a single item: "42: why"
    TroubleSource fault_source = TroubleSource::service;
    std::uint64_t answered = 0;
    std::uint64_t added = 0;  // rows that are new in the table
    std::uint64_t requests = 0;
};

// Further items for a turn, in this order.
struct MoreDetails {
    std::vector<mirror::DetailItem> items = {};  // none: the queue has no more for it
    budget::Purpose purpose = budget::Purpose::rolling;
};

// One object for each turn. It begins with a few items and takes more while some are under way, for a minute or two, so
// that a slow item delays no other. Loop only. Cancelling `run` publishes what has arrived before it unwinds, so that
// nothing is requested twice. Throws for cancellation only.
class DetailTurn {
public:
    // Returns more items, except those with these keys.
    using Supply = std::function<asio::awaitable<MoreDetails>(const std::set<std::string>& under_way)>;

    // `run` names the run.
    DetailTurn(LibraryContext& context, const config::Resource& resource, DetailMachine& machine, mirror::DetailRun run,
               PassBoard& board);

    asio::awaitable<DetailTurnReport> run(MoreDetails first, Supply supply);
    // Rows that this turn has added so far.
    std::uint64_t added() const { return report_.added; }
    // The queue may have more items than the last call of the supply returned.
    void look_again();

private:
    // The answer for one item and what becomes of the item.
    struct Heard {
        DetailVerdict verdict;
        std::string why;
        std::string body;
        Instant fetched_at;
    };

    asio::awaitable<void> fetch_and_publish();
    bool wants_more() const;
    asio::awaitable<void> get_more();
    void add(MoreDetails more);
    asio::awaitable<void> fetch_some();
    asio::awaitable<void> fetch(const mirror::DetailItem& item);
    struct Judged {
        DetailHeard heard;
        DetailVerdict verdict;
    };
    struct AnswerTimes {
        BootTime first;
        BootTime last;
    };
    // What the keeper says about the token of a 401.
    enum class TokenFound {
        renewed,  // there is another one
        works,    // the 401 concerns the item
        none,     // the queue stops
    };
    // Empty: the queue stops, and the item keeps its place.
    asio::awaitable<std::optional<Heard>> ask(const mirror::DetailItem& item, std::string target);
    Judged judge(const Fetched& fetched, DetailTry& item);
    bool is_known_to_work(std::uint64_t generation) const;
    asio::awaitable<TokenFound> renew_token(std::uint64_t generation, std::string refusal,
                                            std::optional<oauth::CanarySpec> refuser);
    void take(const mirror::DetailItem& item, Instant asked, Heard heard);
    asio::awaitable<void> confirm_and_publish();
    asio::awaitable<bool> vouch(Vouching::Rows rows);
    void take_back_failures();
    struct Put {
        bool done = false;
        mirror::ValueLoss loss = {};  // of what was withheld
    };
    asio::awaitable<Put> publish(mirror::NewRows new_rows, mirror::Losing losing = mirror::Losing::withheld);
    void spare_gone_items(Instant retry_at, const std::string& why);
    bool is_batch_ready() const;
    static bool has_gone_items(const std::vector<mirror::DetailAnswer>& answers);
    bool goes_on() const { return report_.trouble == Trouble::none && (tries_one_ || !machine_.tries_one()); }
    void stop_for(Trouble trouble, std::string why, TroubleSource source = TroubleSource::service);

    LibraryContext& context_;
    const config::Resource& resource_;
    DetailMachine& machine_;
    mirror::DetailRun run_;
    PassBoard& board_;

    bool tries_one_;  // after trouble: one item alone, to see whether it is over
    RequestLine line_;
    PageFetcher fetcher_;
    Vouching vouching_;
    TaskGroup tasks_;
    AsyncEvent arrived_;
    Supply supply_;
    bool is_dry_ = false;  // it returned no more
    std::deque<mirror::DetailItem> items_;
    std::set<std::string> under_way_;  // keys of `items_`, of requests under way, and of unpublished answers
    std::size_t fetching_ = 0;         // coroutines that send requests
    std::vector<mirror::DetailAnswer> answers_;
    std::vector<mirror::DetailAnswer> batch_;  // being published
    ByteRoom::Share held_;                     // of both
    BootTime began_;
    std::set<std::string> tried_before_;         // keys of items that failed in earlier turns
    AnswerTimes answered_;                       // of `answers_`
    std::optional<std::uint64_t> refused_with_;  // the oldest token set of 401s among `answers_`
    std::uint64_t counted_ = 0;                  // requests reported to the mirror
    DetailTurnReport report_;
};

// How old the canary's answer may be for details to be published.
Duration detail_identity_max_age(const LibraryContext& context);

}  // namespace shelfd::sync
