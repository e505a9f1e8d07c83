#include "oauth/stored/store_finding.hpp"

#include "base/sha256.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace shelfd::oauth {
namespace {

// Evidence that the store is not the one that was written to; "" = none.
std::string copy_evidence(const Recovered& known, const Id& machine)
{
    if (known.two_installations) {
        return "journal.a and journal.b come from two different stores";
    }
    if (machine != Id{} && *known.machine != Id{} && *known.machine != machine) {
        return "the journal was written on another machine";
    }
    return known.elsewhere.empty() ? ""
                                   : fmt::format("the token store was copied, restored from a backup or moved to "
                                                 "another file system ({})",
                                                 known.elsewhere);
}

}  // namespace

StoreFinding assess_store(const Recovered& known, const Id& machine)
{
    if (!known.barred.empty()) {
        return {StoreState::barred, known.barred};
    }
    if (!known.set) {
        return known.unreadable == 0
                   ? StoreFinding{StoreState::open, ""}
                   : StoreFinding{StoreState::damaged,
                                  fmt::format("the journals contain no readable token set, but {} damaged slots",
                                              known.unreadable)};
    }
    auto evidence = copy_evidence(known, machine);
    const auto state = evidence.empty() ? StoreState::open : StoreState::copied;
    return {state, std::move(evidence)};
}

Id machine_mark(const std::string& machine_id)
{
    Id mark{};
    if (!machine_id.empty()) {
        const auto digest = sha256("shelfd token store on " + machine_id);
        std::copy_n(digest.begin(), mark.size(), mark.begin());
    }
    return mark;
}

}  // namespace shelfd::oauth
