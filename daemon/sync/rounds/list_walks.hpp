// Carries out one round over lists by parent: the driver of ListRoundMachine.
#pragma once

#include "sync/rounds/first_page_prefetch.hpp"
#include "sync/rounds/list_round_machine.hpp"
#include "sync/rounds/missed_lists.hpp"
#include "sync/rounds/repeated_walk.hpp"
#include "sync/rounds/round.hpp"

#include <boost/asio/awaitable.hpp>

#include <memory>
#include <optional>
#include <string>

namespace shelfd::sync {

// One object for each round. Loop only. Each list is published separately; all of them make one run. The report is that
// of the round: proven if all its lists are. If some lists could not be walked and others could, it has a remark.
class ListWalks {
public:
    ListWalks(LibraryContext& context, const config::Resource& resource, Round round, PassBoard& board);

    asio::awaitable<PassReport> run(std::optional<Instant> late_at);

private:
    asio::awaitable<void> walk_all();
    asio::awaitable<void> walk(std::size_t place);
    asio::awaitable<RepeatedWalk> prove(std::size_t place, PassReport walked);
    PassPlan plan_of(std::size_t place) const;
    std::unique_ptr<PassRun> make_pass(PassPlan plan);
    bool may_go_ahead(std::size_t place) const;
    asio::awaitable<bool> record_missed();
    asio::awaitable<void> close(std::optional<Instant> late_at);
    mirror::RunMode mode() const;
    ListEnd end_of(const PassReport& walk) const;
    ListEnd settle(std::size_t place, PassReport walk);
    void take(const ListChoice& list, PassReport walk);
    void miss(const ListChoice& list, ListEnd end, const PassReport& walk);
    void add_proof(const Proof& proof);
    void conclude(const mirror::ListsStanding& lists);
    mirror::RunRecord run_so_far() const;

    LibraryContext& context_;
    const config::Resource& resource_;
    Round round_;
    PassBoard& board_;

    ListRoundMachine machine_;
    FirstPagePrefetch early_;
    PassReport report_;
    std::shared_ptr<EndHabit> end_habit_;
    std::size_t walked_ = 0;
    bool filter_works_ = false;        // some list answered a request for changes
    MissedLists missed_;               // not reported to the mirror yet
    Trouble trouble_ = Trouble::none;  // of the last list that was missed
    TroubleSource source_ = TroubleSource::service;
    std::string why_;
};

}  // namespace shelfd::sync
