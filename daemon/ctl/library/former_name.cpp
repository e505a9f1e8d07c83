#include "ctl/library/former_name.hpp"

#include "base/regular_file.hpp"
#include "storage/filesystem.hpp"

#include <fmt/format.h>

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

// The daemon's record of renames: a name in each line, beside the journals.
Result<bool> was_carried_out(const config::Storage& storage, const config::Library& library)
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
        if (line == library.formerly) {
            return true;
        }
    }
    return false;
}

}  // namespace

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

Result<std::string> name_of_kept(const config::Storage& storage, const config::Library& library)
{
    if (library.formerly.empty()) {
        return library.name;
    }
    SHELFD_TRY_ASSIGN(is_done, was_carried_out(storage, library));
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

}  // namespace shelfd::ctl
