// The lists by parent of one resource: what the mirror knows of them, and the rounds to make.
#pragma once

#include "base/backoff.hpp"
#include "sync/library/context.hpp"
#include "sync/pass/pass_report.hpp"
#include "sync/plan/list_plan.hpp"
#include "sync/plan/rhythm.hpp"
#include "sync/rounds/round.hpp"

#include <boost/asio/awaitable.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace shelfd::sync {

// Loop only. `context`, `resource` and `rhythm` must outlive this object.
class ListRounds {
public:
    // A round that was interrupted is resumed until the next one is due, counted from its beginning.
    ListRounds(LibraryContext& context, const config::Resource& resource, const Rhythm& rhythm);

    // Reads what the mirror knows.
    asio::awaitable<Result<void>> load();

    enum class Kind {
        changes,   // only the changes of each list, if that works
        whole,     // every list
        backfill,  // between two rounds: lists of new parents, and lists to try again
    };
    // First removes the rows of parents that were deleted, which needs no further evidence. If the parent's table was
    // never filled, the returned round has an obstacle. `anew`: lists walked before count as due.
    asio::awaitable<Round> prepare(Kind kind, bool anew);
    // When a list is to be tried again, as far as is known.
    std::optional<Instant> backfill_at() const { return again_.empty() ? std::nullopt : again_at_; }
    // Reports how the round ended. Call `load` afterwards.
    asio::awaitable<void> learn(const PassReport& report);
    // What kept the last whole walks from proving their lists; "" = nothing. Rounds for changes do not end it.
    std::string warning() const;

    // What `load` read.
    struct Outlook {
        std::uint64_t lists = 0;
        std::uint64_t never_asked = 0;
        std::uint64_t requests = 0;  // for a round over each whole list
        std::string parent;          // parent of the list with most rows: its key, as JSON text; "" = none
    };
    const Outlook& outlook() const { return outlook_; }

private:
    Result<Round> read(Kind kind, bool anew, const mirror::PassStart& start);
    Result<void> look();
    Result<void> record_unproven(const std::vector<mirror::SliceTrouble>& walked);

    LibraryContext& context_;
    const config::Resource& resource_;
    const Rhythm& rhythm_;
    Outlook outlook_;
    std::map<std::string, std::string> unproven_;  // lists whose last whole walk did not prove them, and why
    Kind kind_ = Kind::whole;                      // of the present round
    std::map<std::string, std::uint32_t> again_;   // lists to try again, and how often that was done
    std::optional<Instant> again_at_;
    // Lists for which the service failed before it stopped a round. Whether the failure is their own is not known yet:
    // the next round walks them last, so that a list that always fails does not keep others from being walked.
    std::set<std::string> failed_;
    Backoff backoff_;
};

}  // namespace shelfd::sync
