#include "app/library/absent_sets.hpp"

#include "app/library/keeper_settings.hpp"
#include "app/stores/generation_note.hpp"
#include "app/stores/library_places.hpp"
#include "base/words/digits.hpp"
#include "mirror/file/schema.hpp"
#include "runtime/async/task_group.hpp"
#include "storage/sqlite.hpp"

#include <boost/asio/this_coro.hpp>
#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace shelfd::app {
namespace {

// The newest generation that the mirror knows: an older set on disk is a restored copy, which must not be refreshed. 0
// if the mirror cannot be read.
std::uint64_t generation_in(const std::string& mirror)
{
    auto database = storage::Database::open(mirror, storage::OpenMode::read_only);
    const auto noted =
        database ? mirror::read_meta(*database, "token_generation") : Result<std::optional<std::string>>(std::nullopt);
    return noted && *noted ? number_in(**noted).value_or(0) : 0;
}

}  // namespace

struct AbsentSets::One {
    One(std::shared_ptr<const config::Library> which, DaemonServices& services)
        : library(std::move(which)), note(generation_note_of(services.host.refuge, library->name)),
          tasks(services.executor,
                [this, log = services.log](const std::string& what, const std::exception_ptr& error) {
                    log.error(fmt::format("bug: {}: {}: {}; its token set is kept again when the library is opened",  //
                                          library->name, what, describe_exception(error)),
                              {{"library", library->name}});
                })
    {
    }

    std::shared_ptr<const config::Library> library;
    GenerationNote note;
    std::unique_ptr<budget::Limiter> limiter;  // of its own, where those of the daemon cannot be opened
    std::unique_ptr<oauth::TokenKeeper> keeper;
    std::uint64_t generation = 0;
    TaskGroup tasks;
};

AbsentSets::AbsentSets(DaemonServices& services) : services_(services) {}

AbsentSets::~AbsentSets() = default;

asio::awaitable<void> AbsentSets::keep(std::shared_ptr<const config::Library> library,
                                       std::function<std::string(const std::string&)> renewer)
{
    const auto known = sets_.find(library->name);
    if (known != sets_.end() && *known->second->library == *library) {
        co_return;
    }
    if (known != sets_.end()) {
        co_await release(library->name);
    }
    auto opening = open(library);
    auto one = co_await std::move(opening);
    if (one == nullptr) {
        co_return;
    }
    auto& keeper = *one->keeper;
    if (const auto mark = keeper.renews(); !mark.empty()) {
        const auto other = renewer(mark).empty() ? renewer_of(mark) : renewer(mark);
        if (!other.empty()) {
            keeper.stop_renewing_in_favour_of(other);
        }
    }
    auto& kept = *one;
    keeper.set_observer([this, &kept] {
        const auto generation = kept.keeper->status().generation;
        if (generation > kept.generation) {
            kept.generation = generation;
            kept.tasks.spawn(note(kept), "the generation of the token set");
        }
        services_.changed();
    });
    kept.tasks.spawn(keeper.run(), "the token set");
    sets_[library->name] = std::move(one);
    services_.log.info("the library is not running; its token set is refreshed all the same",
                       {{"library", library->name}});
}

// Without it, the mirror tells once it can be opened.
asio::awaitable<void> AbsentSets::note(One& one)
{
    auto write = [&one, generation = one.generation] { (void)one.note.raise(generation); };
    co_await services_.workers.mirrors.lane().run(write);
}

// nullptr if there is no set.
asio::awaitable<std::unique_ptr<AbsentSets::One>> AbsentSets::open(std::shared_ptr<const config::Library> library)
{
    const StorePlaces places{services_.storage, services_.host.refuge};
    auto look = [&places, &library] { return holds_set(places, library->name).value_or(true); };
    if (!co_await services_.workers.mirrors.lane().run(look)) {
        co_return nullptr;
    }
    auto one = std::make_unique<One>(library, services_);
    budget::Limiter* limiter = nullptr;
    if (auto shared = services_.limiters.of(*library)) {
        limiter = *shared;
    } else {
        auto own = budget::Limiter::open({.per_minute = library->service.requests_per_minute, .log_path = ""},
                                         services_.clock, services_.host.boot_id);
        one->limiter = own ? std::move(*own) : nullptr;
        limiter = one->limiter.get();
    }
    if (limiter == nullptr) {
        co_return nullptr;
    }
    auto count = [](std::uint32_t) {};
    auto opening =
        oauth::TokenKeeper::open(keeper_settings(*library, services_),
                                 keeper_services(*library, services_, *limiter, count), store_of(*library, services_));
    one->keeper = co_await std::move(opening);
    auto read = [&places, &one] {
        const auto& name = one->library->name;
        return std::max(one->note.read(), generation_in(places.mirror(name) + "/" + name + ".db"));
    };
    const auto generation = co_await services_.workers.mirrors.lane().run(read);
    one->generation = one->keeper->status().generation;
    if (one->generation > 0 && generation > 0) {
        one->keeper->record_mirror_generation(generation);
    }
    co_return one;
}

asio::awaitable<void> AbsentSets::release(std::string library)
{
    co_await asio::this_coro::reset_cancellation_state(asio::disable_cancellation());
    const auto found = sets_.find(library);
    if (found == sets_.end()) {
        co_return;
    }
    auto one = std::move(found->second);
    sets_.erase(found);
    one->tasks.cancel();
    co_await one->keeper->wait_exchange_done();
    co_await one->tasks.join();
    co_await one->keeper->repair_journals_at_exit();
    one->keeper->set_observer({});
}

asio::awaitable<void> AbsentSets::release_all_but(std::set<std::string> libraries)
{
    std::vector<std::string> ending;
    for (const auto& [name, one] : sets_) {
        if (!libraries.contains(name)) {
            ending.push_back(name);
        }
    }
    for (const auto& name : ending) {
        co_await release(name);
    }
}

asio::awaitable<void> AbsentSets::settle() const
{
    for (const auto& [name, one] : sets_) {
        co_await one->keeper->wait_idle();
    }
}

const oauth::TokenKeeper* AbsentSets::find(const std::string& library) const
{
    const auto found = sets_.find(library);
    return found == sets_.end() ? nullptr : found->second->keeper.get();
}

std::string AbsentSets::holder_of(const std::string& fingerprint, const std::string& except) const
{
    const auto found = std::find_if(sets_.begin(), sets_.end(), [&](const auto& one) {
        return one.first != except && one.second->keeper->holds(fingerprint);
    });
    return found == sets_.end() ? "" : found->first;
}

std::string AbsentSets::renewer_of(const std::string& fingerprint) const
{
    const auto found = std::find_if(sets_.begin(), sets_.end(), [&](const auto& one) {
        return !fingerprint.empty() && one.second->keeper->renews() == fingerprint;
    });
    return found == sets_.end() ? "" : found->first;
}

}  // namespace shelfd::app
