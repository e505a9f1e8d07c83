#include "app/stores/takeover.hpp"

#include "app/stores/kept_libraries.hpp"
#include "app/stores/library_removal.hpp"
#include "app/stores/library_rename.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace shelfd::app {

asio::awaitable<Result<void>> check_takeovers(DaemonServices& services, const config::Libraries& libraries)
{
    auto lane = services.workers.mirrors.lane();
    auto work = [&services, &libraries]() -> Result<void> {
        for (const auto& library : libraries) {
            if (!library->formerly.empty()) {
                SHELFD_TRY(assess_rename(places_of(services), {library->formerly, library->name, library->library_id}));
            }
        }
        return {};
    };
    co_return co_await lane.run(work);
}

bool is_former_name(const config::Libraries& libraries, const std::string& name)
{
    return std::any_of(libraries.begin(), libraries.end(),
                       [&](const auto& library) { return library->formerly == name; });
}

bool awaits_takeover(const DaemonServices& services, const config::Library& library)
{
    return !library.formerly.empty() && !is_rename_done(places_of(services), {library.formerly, library.name});
}

asio::awaitable<Result<void>> take_over_kept(DaemonServices& services, const config::Library& library)
{
    const auto places = places_of(services);
    auto lane = services.workers.mirrors.lane();
    if (is_removal_ordered(places, library.name)) {
        auto check = [&places, &library] { return check_removal(places, library.name); };
        SHELFD_CO_TRY(co_await lane.run(check));
        co_return Error(ErrorKind::usage, forgotten_text(library));
    }
    if (library.formerly.empty()) {
        co_return Result<void>();
    }
    const LibraryRename rename{library.formerly, library.name, library.library_id};
    auto assess = [&places, &rename] { return assess_rename(places, rename); };
    if (const auto need = co_await lane.run(assess); need && *need == RenameNeed::due) {
        SHELFD_CO_TRY(services.limiters.rename(rename.from, rename.to));
    }
    auto work = [&places, &rename] { return carry_out_rename(places, rename); };
    auto carried = co_await lane.run(work);
    if (!carried) {
        co_return std::move(carried.error()).in(fmt::format("the rename from {} is not complete", rename.from));
    }
    if (*carried == RenameNeed::due) {
        services.log.info(fmt::format("{} has taken over the token set and the mirror of {}", rename.to, rename.from),
                          {{"library", rename.to}});
    }
    co_return Result<void>();
}

std::string forgotten_text(const config::Library& library)
{
    return fmt::format("it was forgotten: remove [library.{0}] from {1}, then: shelfctl reload; to "
                       "begin anew after that: shelfctl library add {0}",
                       library.name, library.position.file);
}

}  // namespace shelfd::app
