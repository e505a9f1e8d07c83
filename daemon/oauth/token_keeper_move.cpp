// A set moves to another machine. The mark "moved away" is durable on both copies, and every older record is wiped,
// before the set is told to anybody: from then on this daemon neither uses nor refreshes it, whatever crashes. So no
// crash leaves two owners. Nor is the set lost: a mark holds the whole set, and until it has arrived elsewhere
// `shelfctl auth adopt` takes it back. Only a person can know whether it has.
#include "oauth/token_keeper.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <fmt/format.h>

namespace shelfd::oauth {

asio::awaitable<Result<Secret>> TokenKeeper::move_out(std::string where)
{
    const auto outcome = std::make_shared<std::optional<Result<Secret>>>();
    const auto command = std::make_shared<Command>();
    auto act = [](TokenKeeper* keeper, std::string to,
                  std::shared_ptr<std::optional<Result<Secret>>> into) -> asio::awaitable<void> {
        auto moving = keeper->take_move_out(std::move(to));
        into->emplace(co_await std::move(moving));
    };
    command->act = [this, act, where, outcome] { return act(this, where, outcome); };
    if (!co_await done_by_run(command)) {
        co_return Error(ErrorKind::stopped, "the daemon is stopping; see: shelfctl auth status " + settings_.library);
    }
    co_return std::move(**outcome);
}

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
    auto importing = import(std::move(moved.set), ImportMode::seal);
    co_return co_await std::move(importing);
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
    if (candidate_) {
        return Error(ErrorKind::busy, "a login is not settled yet; see: shelfctl auth status " + library);
    }
    if (!machine_.can_refresh() || machine_.doubt().open) {
        return Error(ErrorKind::needs_person,
                     fmt::format("this set would not go on elsewhere either: {}", why_not().text()));
    }
    return std::nullopt;
}

asio::awaitable<Result<Secret>> TokenKeeper::take_move_out(std::string where)
{
    if (auto refusal = refuse_move_out()) {
        co_return std::move(*refusal);
    }
    auto before = set_->clone();
    auto next = set_->clone();
    next.generation = std::max(set_->generation, mirror_generation_) + 1;
    next.keep = 0;
    next.origin = Origin::moved_out;
    next.moved_at = services_.clock.now();
    next.moved_to = std::move(where);
    auto marking = replace_set_shielded(std::move(next));
    auto trouble = co_await asio::co_spawn(services_.executor, std::move(marking), asio::use_awaitable);
    const bool is_marked = trouble.empty();
    if (is_marked) {
        // A copy without the mark would come back to life one day; so would an older record.
        old_access_ = Secret();
        auto work = [this, &trouble] { trouble = pair_.wipe_all_but_newest().trouble; };
        co_await run_on_disk(work);
        trouble += storage_trouble_;
    }
    if (trouble.empty()) {
        services_.log.warning("the token set was moved away; nothing is refreshed here any more",
                              {{"library", settings_.library}, {"to", set_->moved_to}});
        co_return write_moved_set(*set_, settings_.library, services_.clock.now());
    }
    if (is_marked) {
        before.generation = set_->generation + 1;
        auto restoring = replace_set_shielded(std::move(before));
        static_cast<void>(co_await asio::co_spawn(services_.executor, std::move(restoring), asio::use_awaitable));
    }
    co_return Error(ErrorKind::storage,
                    fmt::format("both copies of the journal must say that the set is gone before it is told, and one "
                                "cannot ({}); it stays here, see: shelfctl auth status {}",
                                trouble, settings_.library));
}

}  // namespace shelfd::oauth
