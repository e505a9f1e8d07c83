// The lists by parent that a round could not walk, until the mirror has recorded them.
#pragma once

#include "mirror/mirror.hpp"
#include "sync/library/context.hpp"
#include "sync/pass/pass_report.hpp"
#include "sync/rounds/list_round_machine.hpp"

#include <boost/asio/awaitable.hpp>

#include <string>
#include <vector>

namespace shelfd::sync {

// Loop only. `context` must outlive this object.
class MissedLists {
public:
    explicit MissedLists(LibraryContext& context) : context_(context) {}

    // The walk over the list of `parent` ended so, as refused or failed.
    void add(const std::string& parent, ListEnd end, const PassReport& walk);
    bool empty() const { return lists_.empty(); }
    // The service fails, or refuses everything: that shows nothing about single lists. No list counts as empty; those
    // for which it failed are moved into `failed`.
    void blame_service(std::vector<std::string>& failed);
    // Moves all into the mirror, as missed by `run`, and those for which the service failed also into `report`.
    asio::awaitable<Result<void>> record(const mirror::RunRecord& run, PassReport& report);
    // Asks the canary before, if rows would go with a list that the service says is not there.
    asio::awaitable<void> doubt_empty(PassReport& report);

private:
    struct Missed {
        mirror::MissedList list;
        bool failed = false;  // the whole service may have failed
    };

    LibraryContext& context_;
    std::vector<Missed> lists_;
};

// What people should know of such a round; "" = nothing. `as`: the name of the parent's key.
std::string remark_on(const mirror::ListsStanding& lists, const std::string& as);

}  // namespace shelfd::sync
