#include "app/library/retired_mirrors.hpp"

#include "mirror/declare/retirement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

namespace shelfd::app {
namespace {

struct Found {
    std::string library;
    Result<bool> retired;
};

bool is_owned(const config::Libraries& libraries, const std::string& name)
{
    return std::any_of(libraries.begin(), libraries.end(), [&](const auto& library) { return library->name == name; });
}

// Looks for MIRRORS/NAME/NAME.db, as the daemon creates them; does not follow links.
std::vector<Found> retire_all(const std::string& mirrors, const config::Libraries& libraries)
{
    std::vector<Found> found;
    std::error_code error;
    for (std::filesystem::directory_iterator each(mirrors, error), end; !error && each != end; each.increment(error)) {
        const auto name = each->path().filename().string();
        const auto file = each->path() / (name + ".db");
        std::error_code unknown;
        const bool is_place = each->symlink_status(unknown).type() == std::filesystem::file_type::directory;
        const bool is_file =
            is_place && std::filesystem::symlink_status(file, unknown).type() == std::filesystem::file_type::regular;
        if (is_file && !is_owned(libraries, name)) {
            found.push_back({name, mirror::retire_mirror(file.string())});
        }
    }
    return found;
}

}  // namespace

asio::awaitable<void> retire_unowned(DaemonServices& services, config::Libraries libraries)
{
    auto lane = services.workers.mirrors.lane();
    auto work = [&services, &libraries] { return retire_all(services.storage.mirrors, libraries); };
    const auto found = co_await lane.run(work);
    for (const auto& one : found) {
        if (!one.retired) {
            services.log.warning(
                fmt::format("cannot mark the mirror of {}, which is no longer configured, as retired: {}", one.library,
                            one.retired.error().text()),
                {{"library", one.library}});
        } else if (*one.retired) {
            services.log.info(
                fmt::format("{} is not in the configuration: its mirror stays and is marked as retired", one.library),
                {{"library", one.library}});
        }
    }
}

}  // namespace shelfd::app
