#include "sync/library/mirror_claim.hpp"

#include "sync/trouble/error_source.hpp"

#include <fmt/core.h>

namespace shelfd::sync {
namespace {

struct Note {
    mirror::Fact fact;
    const char* what;
    std::string ours;  // "" = not known
};

// In the lane. Returns the sentence that describes a difference, "" if there is none.
Result<std::string> compare(mirror::Mirror& mirror, const Note& note, Claim claim)
{
    if (note.ours.empty()) {
        return std::string();
    }
    SHELFD_TRY_ASSIGN(noted, mirror.fact(note.fact));
    if (noted && *noted != note.ours) {
        return fmt::format("this mirror contains rows of {} {}, but the token set belongs to {}: give the library a "
                           "new name in the configuration, or stop the daemon and move {} away",
                           note.what, *noted, note.ours, mirror.path());
    }
    if (!noted && claim == Claim::take) {
        SHELFD_TRY(mirror.set_fact(note.fact, note.ours));
    }
    return std::string();
}

}  // namespace

asio::awaitable<IdentityCheck::Answer> claim_mirror(LibraryContext& context, Claim claim)
{
    const auto& origin = context.library.service.base_url;
    const auto library_id = context.keeper.status().library_id;
    const auto owner = origin + " " + library_id;
    if (context.state.claimed_for == owner) {
        co_return IdentityCheck::Answer{};
    }
    const Note service{mirror::Fact::origin, "the service", origin};
    const Note library{mirror::Fact::library_id, "library", library_id};
    auto work = [&]() -> Result<std::string> {
        auto difference = compare(context.mirror, service, claim);
        return difference && difference->empty() ? compare(context.mirror, library, claim) : difference;
    };
    const auto difference = co_await context.lane.run(work);
    if (!difference) {
        co_return IdentityCheck::Answer{trouble_of(difference.error()), difference.error().text(), 0, false,
                                        source_of(difference.error())};
    }
    if (!difference->empty()) {
        co_return IdentityCheck::Answer{Trouble::wrong_library, *difference};
    }
    if (claim == Claim::take) {
        context.state.claimed_for = owner;
    }
    co_return IdentityCheck::Answer{};
}

}  // namespace shelfd::sync
