#include "app/stores/kept_libraries.hpp"

#include "app/stores/library_removal.hpp"
#include "app/stores/library_rename.hpp"
#include "app/stores/named_library.hpp"
#include "base/words/names.hpp"
#include "config/check/values.hpp"
#include "mirror/declare/closed_mirror.hpp"
#include "mirror/file/schema.hpp"
#include "storage/sqlite.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <system_error>

namespace shelfd::app {
namespace {

namespace fs = std::filesystem;

struct Found {
    std::vector<KeptLibrary> kept;
    std::vector<std::string> retired;                     // marked just now
    std::vector<std::pair<std::string, Error>> failures;  // by library
};

// A library takes over what is kept under its former name, as soon as it can.
bool is_awaited(const StorePlaces& places, const config::Libraries& libraries, const std::string& name)
{
    return std::any_of(libraries.begin(), libraries.end(), [&](const auto& library) {
        return library->formerly == name && !is_rename_done(places, {name, library->name});
    });
}

// Directories only; links are not followed. "lost+found" and hidden directories have no name of a library.
std::set<std::string> find_names(const config::Storage& storage)
{
    std::set<std::string> names;
    for (const auto& folder : {storage.mirrors, storage.tokens, storage.tokens_copy}) {
        std::error_code error;
        if (folder.empty()) {
            continue;
        }
        for (fs::directory_iterator each(folder, error), end; !error && each != end; each.increment(error)) {
            auto name = each->path().filename().string();
            std::error_code unknown;
            if (config::is_name(name) && each->symlink_status(unknown).type() == fs::file_type::directory) {
                names.insert(std::move(name));
            }
        }
    }
    return names;
}

// Mirrors are MIRRORS/NAME/NAME.db, as the daemon creates them.
std::string mirror_file(const StorePlaces& places, const std::string& name)
{
    return places.mirror(name) + "/" + name + ".db";
}

bool has_mirror(const StorePlaces& places, const std::string& name)
{
    std::error_code unknown;
    return fs::symlink_status(mirror_file(places, name), unknown).type() == fs::file_type::regular;
}

bool has_rows(const StorePlaces& places, const std::string& name)
{
    return has_mirror(places, name) && mirror::has_published(mirror_file(places, name)).value_or(true);
}

// Mirrors record the generation of each set that fills them. A mirror that cannot be read says nothing.
bool never_had_set(const StorePlaces& places, const std::string& name)
{
    if (!has_mirror(places, name) || has_rows(places, name)) {
        return false;
    }
    auto database = storage::Database::open(mirror_file(places, name), storage::OpenMode::read_only);
    const auto noted = database ? mirror::read_meta(*database, "token_generation")
                                : Result<std::optional<std::string>>(database.error());
    return noted && !*noted;
}

void retire_one(const StorePlaces& places, const std::string& name, Found& found)
{
    KeptLibrary kept{name};
    if (has_mirror(places, name)) {
        kept.has_mirror = true;
        const auto retired = mirror::retire_mirror(mirror_file(places, name));
        if (!retired) {
            found.failures.emplace_back(name, retired.error());
        } else if (*retired) {
            found.retired.push_back(name);
        }
    }
    const auto has_set = holds_set(places, name);
    if (!has_set) {
        found.failures.emplace_back(name, has_set.error());
    }
    kept.has_set = !has_set || *has_set;
    kept.never_had_set = !kept.has_set && never_had_set(places, name);
    if (kept.has_set || kept.has_mirror) {
        kept.library_ids = kept_library_ids(places, name);
        found.kept.push_back(std::move(kept));
    }
}

std::vector<std::string> find_unowned_names(const StorePlaces& places, const config::Libraries& libraries)
{
    std::vector<std::string> names;
    for (const auto& name : find_names(places.storage)) {
        if (find_named(libraries, name) == nullptr && !is_awaited(places, libraries, name)) {
            names.push_back(name);
        }
    }
    return names;
}

Found retire_all(const StorePlaces& places, const config::Libraries& libraries)
{
    Found found;
    for (const auto& name : find_unowned_names(places, libraries)) {
        retire_one(places, name, found);
    }
    return found;
}

Unowned look_for_unowned(const StorePlaces& places, const config::Libraries& libraries)
{
    Unowned found;
    for (const auto& name : find_unowned_names(places, libraries)) {
        KeptLibrary kept{name, holds_set(places, name).value_or(true), has_mirror(places, name)};
        kept.never_had_set = !kept.has_set && never_had_set(places, name);
        if (kept.has_set || kept.has_mirror) {
            kept.library_ids = kept_library_ids(places, name);
            found.kept.push_back(std::move(kept));
        }
    }
    for (const auto& library : libraries) {
        if (!found.kept.empty() && !holds_set(places, library->name).value_or(true) &&
            !has_rows(places, library->name)) {
            found.unfilled.push_back({library->name, library->library_id});
        }
    }
    return found;
}

struct Removal {
    std::string library;
    Result<void> outcome;
};

std::vector<Removal> remove_all(const StorePlaces& places, const config::Libraries& libraries)
{
    const auto remove = [&](const std::string& library) -> Result<void> {
        SHELFD_TRY(check_removal(places, library));
        SHELFD_TRY(carry_out_removal(places, library));
        return find_named(libraries, library) != nullptr ? Result<void>() : forget_removal(places, library);
    };
    std::vector<Removal> removals;
    for (const auto& library : ordered_removals(places)) {
        removals.push_back({library, remove(library)});
    }
    return removals;
}

// For each of `kept`; without a token set there is nothing to take over.
std::vector<LikelyName> likely_names(const std::vector<KeptLibrary>& kept, const std::vector<NewName>& unfilled)
{
    std::vector<OldName> with_set;
    for (const auto& each : kept) {
        if (each.has_set) {
            with_set.push_back({each.name, each.library_ids});
        }
    }
    const auto likely = likely_new_names(with_set, unfilled);
    auto next = likely.begin();
    std::vector<LikelyName> names;
    for (const auto& each : kept) {
        names.push_back(each.has_set ? *next++ : LikelyName());
    }
    return names;
}

control::Notice describe_one(const KeptLibrary& kept, const LikelyName& now)
{
    const auto* what = kept.never_had_set ? "its mirror is kept, and no token set was imported yet"
                       : !kept.has_set    ? "its mirror is kept, without a token set"
                       : kept.has_mirror  ? "its token set and its mirror are kept"
                                          : "its token set is kept";
    auto text = fmt::format("{} is no longer configured; {}", kept.name, what);
    if (now.name.empty() && now.others.empty()) {
        return {text + fmt::format(" (to remove it: shelfctl library forget {})", kept.name), "", std::nullopt};
    }
    const auto which =
        now.name.empty() ? fmt::format("NEW (one of: {})", list_nearest_first(kept.name, now.others)) : now.name;
    return {text,
            fmt::format("renamed? shelfctl library rename {0} {1}; otherwise: shelfctl library forget {0}", kept.name,
                        which),
            std::nullopt};
}

}  // namespace

StorePlaces places_of(const DaemonServices& services)
{
    return {services.storage, services.host.refuge};
}

asio::awaitable<std::vector<KeptLibrary>> retire_unowned(DaemonServices& services, config::Libraries libraries)
{
    auto lane = services.workers.mirrors.lane();
    auto work = [&services, &libraries] { return retire_all(places_of(services), libraries); };
    auto found = co_await lane.run(work);
    for (const auto& [library, error] : found.failures) {
        services.log.warning(fmt::format("{} is no longer configured, and its stored data cannot be read or marked "
                                         "as retired: {}",
                                         library, error.text()),
                             {{"library", library}});
    }
    for (const auto& library : found.retired) {
        services.log.info(
            fmt::format("{} is not in the configuration: its mirror stays and is marked as retired", library),
            {{"library", library}});
    }
    co_return std::move(found.kept);
}

asio::awaitable<Unowned> find_unowned(const DaemonServices& services, config::Libraries libraries)
{
    const auto places = places_of(services);
    auto lane = services.workers.mirrors.lane();
    auto look = [&places, &libraries] { return look_for_unowned(places, libraries); };
    co_return co_await lane.run(look);
}

asio::awaitable<void> finish_removals(DaemonServices& services, config::Libraries libraries)
{
    auto lane = services.workers.mirrors.lane();
    auto work = [&services, &libraries] { return remove_all(places_of(services), libraries); };
    const auto removals = co_await lane.run(work);
    for (const auto& [library, outcome] : removals) {
        if (!outcome) {
            services.log.error(fmt::format("the removal of {} is not complete: {}", library, outcome.error().text()),
                               {{"library", library}});
        }
    }
}

std::vector<control::Notice> describe_kept(const std::vector<KeptLibrary>& kept, const std::vector<NewName>& unfilled)
{
    const auto likely = likely_names(kept, unfilled);
    std::vector<control::Notice> notices;
    for (std::size_t i = 0; i < kept.size(); ++i) {
        notices.push_back(describe_one(kept[i], likely[i]));
    }
    return notices;
}

std::map<std::string, std::string> likely_former_names(const std::vector<KeptLibrary>& kept,
                                                       const std::vector<NewName>& unfilled)
{
    const auto likely = likely_names(kept, unfilled);
    std::map<std::string, std::string> former;
    for (std::size_t i = 0; i < kept.size(); ++i) {
        if (!likely[i].name.empty()) {
            former.emplace(likely[i].name, kept[i].name);
        }
    }
    return former;
}

}  // namespace shelfd::app
