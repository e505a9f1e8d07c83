// The lists by parent of one resource: what the mirror knows of them, and the rounds that follow from it.
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

namespace shelfd::sync {

// Loop only. `context`, `resource` and `rhythm` outlive it.
class ListRounds {
public:
    // A round that was cut short is resumed until the next one is due, by the way from its begin.
    ListRounds(LibraryContext& context, const config::Resource& resource, const Rhythm& rhythm);

    // Reads what the mirror knows.
    asio::awaitable<Result<void>> load();

    enum class Kind {
        changes,   // what changed in each list, where that is known to work
        whole,     // every list
        backfill,  // between two of these: lists of new parents, and those worth another try
    };
    // The rows of parents that went leave the table before: their parent had its witnesses. While the parent's table
    // was never filled, the round has an obstacle. `anew`: whatever was done before.
    asio::awaitable<Round> prepare(Kind kind, bool anew);
    // When a list is worth another try, as far as is known now.
    std::optional<Instant> backfill_at() const { return again_.empty() ? std::nullopt : again_at_; }
    // How the round went.
    void learn(const PassReport& report);

    // Of what `load` read.
    struct Outlook {
        std::uint64_t lists = 0;
        std::uint64_t never_asked = 0;
        std::uint64_t requests = 0;  // of a round over the whole of each
        std::string parent;          // one of them, the one with most rows: its key, as JSON text; "" = there is none
    };
    const Outlook& outlook() const { return outlook_; }

private:
    Result<Round> read(Kind kind, bool anew, const mirror::PassStart& start);
    Result<void> look();

    LibraryContext& context_;
    const config::Resource& resource_;
    const Rhythm& rhythm_;
    Outlook outlook_;
    std::map<std::string, std::uint32_t> again_;  // lists worth another try, and how often they were tried again
    std::optional<Instant> again_at_;
    // Lists for which the service failed before it stopped a round. Nobody knows yet whether that is their own matter:
    // sound ones go before them, so that those which always fail stop no round again.
    std::set<std::string> failed_;
    Backoff backoff_;
};

}  // namespace shelfd::sync
