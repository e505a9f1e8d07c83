// A set moves to another machine. The mark "moved away" is durable on both copies, and every older record is wiped,
// before the set is told to anybody: from then on this daemon neither uses nor refreshes it, whatever crashes. So no
// crash leaves two owners. Nor is the set lost: a mark holds the whole set, and until it has arrived elsewhere
// `shelfctl auth adopt` takes it back. Only a person can know whether it has.
#include "oauth/keeper/token_keeper.hpp"

#include <fmt/format.h>

namespace shelfd::oauth {

asio::awaitable<Result<ImportOutcome>> TokenKeeper::move_in(MovedSet moved)
{
    const auto fault = [](const char* what, const std::string& theirs, const std::string& ours) {
        return Error(ErrorKind::usage,
                     fmt::format("this set was issued {} {}, and the configuration says {}; nothing was changed", what,
                                 theirs, ours));
    };
    if (moved.from.service != settings_.endpoint.base_url) {
        co_return fault("by", moved.from.service, settings_.endpoint.base_url);
    }
    if (moved.from.client_id != settings_.endpoint.client_id) {
        co_return fault("to the application", moved.from.client_id, settings_.endpoint.client_id);
    }
    ImportOrder order;
    order.moved = std::move(moved.from);
    auto importing = import_as(std::move(moved.set), std::move(order));
    co_return co_await std::move(importing);
}

// The access token has ended, as it will within a week, so that only a refresh can tell whose the set is: that spends
// its refresh token, so what the document says must be proof enough.
std::optional<Error> TokenKeeper::refuse_untried(const Provenance& from) const
{
    const auto refuse = [&from](const std::string& why) {
        return Error(ErrorKind::usage,
                     fmt::format("the access token of this set has ended, so it must be refreshed before anything else "
                                 "is known of it, and {}; nothing was changed, and where it came from, `shelfctl auth "
                                 "adopt {}` takes it back",
                                 why, from.library));
    };
    if (machine_.can_refresh()) {
        return refuse(fmt::format("{0} holds a set that renews itself (to destroy that one: shelfctl auth forget {0})",
                                  settings_.library));
    }
    const auto ours = canary_spec().library_id;
    if (!ours.empty() && !from.library_id.empty() && ours != from.library_id) {
        return refuse(fmt::format("it is of library {}, where {} is expected", from.library_id, ours));
    }
    if (!settings_.canary.identity_field.empty() && from.library_id.empty() && from.library != settings_.library) {
        return refuse(fmt::format("it does not say whose it is, only that it was called {} there", from.library));
    }
    return std::nullopt;
}

bool TokenKeeper::is_moved_out() const
{
    return set_ && set_->origin == Origin::moved_out;
}

std::optional<Error> TokenKeeper::refuse_move_out() const
{
    const auto& library = settings_.library;
    if (!barred_.empty()) {
        return Error(ErrorKind::corrupt, barred_);
    }
    if (is_moved_out()) {
        return Error(ErrorKind::usage,
                     fmt::format("the set of {} was moved already; where it never arrived: shelfctl auth adopt {}",
                                 library, library));
    }
    if (!set_ || set_->origin == Origin::none || set_->refresh.empty()) {
        return Error(ErrorKind::usage, library + " holds no set that could go on elsewhere");
    }
    if (candidate_ || is_unproven() || set_->origin == Origin::untried) {
        return Error(ErrorKind::busy,
                     "a set that was handed in is not settled yet; see: shelfctl auth status " + library);
    }
    if (!machine_.can_refresh() || machine_.doubt().open) {
        return Error(ErrorKind::needs_person,
                     fmt::format("this set would not go on elsewhere either: {}", why_not().text()));
    }
    return std::nullopt;
}

asio::awaitable<Result<Secret>> TokenKeeper::run_move_out(std::string where)
{
    if (auto refusal = refuse_move_out()) {
        co_return std::move(*refusal);
    }
    const auto clone_of_kept = [this] { return kept_ ? std::optional<TokenSet>(kept_->clone()) : std::nullopt; };
    auto before = set_->clone();
    auto kept = clone_of_kept();
    // The mark goes on keeping what is kept: it may yet be taken back.
    auto next = set_->clone();
    next.generation = std::max(set_->generation, mirror_generation_) + 1;
    next.origin = Origin::moved_out;
    next.moved_at = services_.clock.now();
    next.moved_to = std::move(where);
    auto marking = replace_set(std::move(next), clone_of_kept());
    auto trouble = co_await std::move(marking);
    const bool is_marked = trouble.empty();
    trouble = is_marked ? trouble_ : trouble;
    if (trouble.empty()) {
        // A copy without the mark would come back to life one day; so would an older record.
        old_access_ = Secret();
        auto work = [this, &trouble] { trouble = pair_.wipe_all_but_newest().trouble; };
        co_await run_on_disk(work);
        trouble += storage_trouble_;
    }
    if (trouble.empty()) {
        kept_.reset();
        services_.log.warning("the token set was moved away; nothing is refreshed here any more",
                              {{"library", settings_.library}, {"to", set_->moved_to}});
        co_return write_moved_set(*set_, settings_.library, services_.clock.now());
    }
    if (is_marked) {
        before.generation = set_->generation + 1;
        auto restoring = replace_set(std::move(before), std::move(kept));
        static_cast<void>(co_await std::move(restoring));
    }
    co_return Error(ErrorKind::storage,
                    fmt::format("both copies of the journal must say that the set is gone before it is told, and one "
                                "cannot ({}); it stays here, see: shelfctl auth status {}",
                                trouble, settings_.library));
}

}  // namespace shelfd::oauth
