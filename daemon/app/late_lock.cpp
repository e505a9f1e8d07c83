#include "app/late_lock.hpp"

#include "app/library/library_set.hpp"
#include "app/stores/mirror_place.hpp"

#include <optional>

namespace shelfd::app {

Result<StorageLocks> lock_storage_in_place(const config::Storage& storage, const Log& log)
{
    SHELFD_TRY_ASSIGN(locks, lock_storage(storage, check_mirror_root({storage, ""})));
    for (const auto& trouble : locks.troubles) {
        log.error(trouble);
    }
    return std::move(locks);
}

asio::awaitable<void> lock_mirrors_later(StorageLocks& locks, DaemonServices& services)
{
    std::string logged;
    const bool is_late = !locks.has_mirrors;
    while (!locks.has_mirrors) {
        co_await services.clock.sleep_for(LibrarySet::between_openings);
        std::optional<Error> failed;
        auto work = [&locks, &services, &failed] {
            const auto placed = check_mirror_root({services.storage, services.host.refuge});
            const auto locked = placed ? lock_mirrors(locks, services.storage) : Result<void>();
            failed = locked ? std::nullopt : std::optional(locked.error());
        };
        co_await services.workers.mirrors.lane().run(work);
        if (failed && failed->text() != logged) {
            logged = failed->text();
            services.log.error(logged);
        }
    }
    if (is_late) {
        services.log.info("the directory of all mirrors is there, and locked: " + services.storage.mirrors);
    }
}

}  // namespace shelfd::app
