#include "ctl/library/former_name.hpp"

#include "base/regular_file.hpp"
#include "config/edit/library_edit.hpp"
#include "ctl/library/names_in_hooks.hpp"
#include "storage/filesystem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <system_error>
#include <vector>

namespace shelfd::ctl {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t max_file = 64u << 10;

std::vector<std::string> directories_of(const config::Storage& storage, const std::string& library)
{
    std::vector<std::string> found = {storage.tokens + "/" + library};
    if (!storage.tokens_copy.empty()) {
        found.push_back(storage.tokens_copy + "/" + library);
    }
    found.push_back(storage.mirrors + "/" + library);
    return found;
}

Result<bool> is_there(const std::string& path)
{
    std::error_code failed;
    const auto kind = fs::symlink_status(path, failed).type();
    if (kind == fs::file_type::none) {
        const auto error = storage::errno_error("cannot look at " + path, failed.value());
        return Error(error.kind(),
                     error.text() + (error.kind() == ErrorKind::permission ? "; try with sudo, or as the user of the "
                                                                             "daemon"
                                                                           : ""));
    }
    return kind != fs::file_type::not_found;
}

}  // namespace

// The daemon's record of renames: a name in each line, beside the journals.
Result<bool> had_name(const config::Storage& storage, const config::Library& library, const std::string& name)
{
    const auto path = storage.tokens + "/" + library.name + "/former_names";
    SHELFD_TRY_ASSIGN(is_recorded, is_there(path));
    if (!is_recorded) {
        return false;
    }
    const auto text = read_regular_file(path, max_file);
    if (!text) {
        return Error(text.error().kind(), fmt::format("cannot read {}: {}", path, text.error().text()));
    }
    std::istringstream lines(*text);
    for (std::string line; std::getline(lines, line);) {
        if (line == name) {
            return true;
        }
    }
    return false;
}

Result<bool> is_anything_of(const config::Storage& storage, const std::string& library)
{
    for (const auto& directory : directories_of(storage, library)) {
        SHELFD_TRY_ASSIGN(is_one, is_there(directory));
        if (is_one) {
            return true;
        }
    }
    return false;
}

Result<std::vector<std::string>> kept_parts(const config::Storage& storage, const std::string& library)
{
    const auto copy = storage.tokens_copy.empty() ? storage.tokens : storage.tokens_copy;
    SHELFD_TRY_ASSIGN(has_journals, is_there(storage.tokens + "/" + library));
    SHELFD_TRY_ASSIGN(has_copies, is_there(copy + "/" + library));
    SHELFD_TRY_ASSIGN(has_mirror, is_there(storage.mirrors + "/" + library));
    SHELFD_TRY_ASSIGN(has_requests, is_there(storage.mirrors + "/.requests/" + library));
    std::vector<std::string> parts;
    if (has_journals || has_copies) {
        parts.emplace_back("its token journals");
    }
    if (has_mirror) {
        parts.emplace_back("its mirror");
    }
    if (has_requests) {
        parts.emplace_back("its request log");
    }
    return parts;
}

Result<std::string> name_of_kept(const config::Storage& storage, const config::Library& library)
{
    if (library.formerly.empty()) {
        return library.name;
    }
    SHELFD_TRY_ASSIGN(is_done, had_name(storage, library, library.formerly));
    SHELFD_TRY_ASSIGN(is_left, is_anything_of(storage, library.formerly));
    if (is_done || !is_left) {
        return library.name;
    }
    SHELFD_TRY_ASSIGN(is_begun, is_anything_of(storage, library.name));
    return is_begun ? Error(ErrorKind::usage,
                            fmt::format("the rename from {0} to {1} is not complete, and both have files; nothing was "
                                        "changed: start the daemon, which completes it (shelfctl status {1} says what "
                                        "prevents that), then repeat this",
                                        library.formerly, library.name))
                    : Result<std::string>(library.formerly);
}

Result<void> free_former_name(ConfigurationFiles& files, const std::string& name, const std::string& but)
{
    const auto& configuration = files.configuration();
    const auto found =
        std::find_if(configuration.libraries.begin(), configuration.libraries.end(),
                     [&](const config::Library& one) { return one.formerly == name && one.name != but; });
    if (found == configuration.libraries.end() || configuration.find_library(name) != nullptr) {
        return {};
    }
    SHELFD_TRY_ASSIGN(is_done, had_name(configuration.storage, *found, name));
    SHELFD_TRY_ASSIGN(is_kept, is_anything_of(configuration.storage, name));
    if (!is_done && is_kept) {
        return Error(
            ErrorKind::usage,
            fmt::format("the rename from {0} to {1} waits for the daemon, so {0} is not free yet; nothing was "
                        "changed: start the daemon, which completes it (shelfctl status {1} says what prevents "
                        "that), then repeat this",
                        name, found->name));
    }
    if (!is_done || is_kept) {
        return {};
    }
    const auto present = found->name;  // `found` does not outlive the first change
    SHELFD_TRY(rename_in_hooks(files, {name}, present));
    return files.edit(present, [&](const std::string& text, const std::string& file) {
        return config::remove_library_key(text, file, present, "formerly");
    });
}

}  // namespace shelfd::ctl
