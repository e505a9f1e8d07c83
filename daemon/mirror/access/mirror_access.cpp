#include "mirror/access/mirror_access.hpp"

#include "storage/access/access_list.hpp"
#include "storage/filesystem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <string_view>

#include <sys/stat.h>

namespace shelfd::mirror {
namespace {

namespace fs = std::filesystem;
using storage::AccessList;
using storage::ListKind;

constexpr unsigned see = storage::may_read | storage::may_enter;
constexpr unsigned change = see | storage::may_write;
constexpr mode_t directory_mode = 0750;
constexpr mode_t file_mode = 0640;
constexpr mode_t closed_mode = 0600;

AccessList list_for(const std::vector<Account>& readers, unsigned owner, unsigned reader)
{
    AccessList list{.owner = owner};
    for (const auto& account : readers) {
        list.named.push_back({account.kind, account.id, reader});
    }
    std::sort(list.named.begin(), list.named.end());
    list.named.erase(std::unique(list.named.begin(), list.named.end()), list.named.end());
    return list;
}

// Only this file makes such lists: others that name users leave the owning group its rights.
bool is_ours(const AccessList& list)
{
    return !list.named.empty() && list.group == 0;
}

// The files that readers of a mirror need or may have: itself, -wal and -shm, snapshots, and what was set aside.
std::vector<std::string> files_for_readers(const std::string& directory, const std::string& file)
{
    const auto stem = fs::path(file).stem().string() + ".";
    std::vector<std::string> files;
    std::error_code trouble;
    for (fs::directory_iterator entry(directory, trouble), end; !trouble && entry != end; entry.increment(trouble)) {
        const auto name = entry->path().filename().string();
        const bool is_private = name.find(".walk-") != std::string::npos;
        std::error_code unknown;
        if (name.starts_with(stem) && !is_private && entry->symlink_status(unknown).type() == fs::file_type::regular) {
            files.push_back(entry->path().string());
        }
    }
    return files;
}

// A file that disappears meanwhile needs no rights.
Result<void> unless_gone(Result<void> done)
{
    return !done && done.error().system_errno == ENOENT ? Result<void>() : done;
}

Result<void> set_mode(const std::string& path, mode_t mode)
{
    struct stat facts = {};
    if (::stat(path.c_str(), &facts) != 0) {
        return storage::errno_error("cannot examine " + path, errno);
    }
    // Set-gid is passed unchanged: the sandbox of the service forbids setting it.
    if ((facts.st_mode & 0777U) != mode && ::chmod(path.c_str(), (facts.st_mode & 07000U) | mode) != 0) {
        return storage::errno_error(fmt::format("cannot set the mode of {} to {:o}", path, mode), errno);
    }
    return {};
}

Result<void> set_list(const std::string& path, const AccessList& wanted, ListKind kind = ListKind::access)
{
    SHELFD_TRY_ASSIGN(present, storage::read_access(path, kind));
    return present == wanted ? Result<void>() : storage::write_access(path, wanted, kind);
}

Result<void> open_to(const std::string& directory, const std::string& file, const std::vector<Account>& readers)
{
    const auto list = list_for(readers, change, see);
    SHELFD_TRY(set_list(directory, list));
    SHELFD_TRY(set_list(directory, list, ListKind::default_));
    const auto of_file = list_for(readers, storage::may_read | storage::may_write, storage::may_read);
    for (const auto& path : files_for_readers(directory, file)) {
        SHELFD_TRY(unless_gone(set_list(path, of_file)));
    }
    return {};
}

// As far as that is possible.
void close_to_all(const std::string& directory, const std::string& file)
{
    for (const auto& path : files_for_readers(directory, file)) {
        (void)set_mode(path, closed_mode);
    }
}

Result<void> return_to_group(const std::string& directory, const std::string& file)
{
    // The files first: the directory's list shows that there is something to do.
    for (const auto& path : files_for_readers(directory, file)) {
        const AccessList plain{.owner = storage::may_read | storage::may_write, .group = storage::may_read};
        SHELFD_TRY(unless_gone(set_list(path, plain)));
        SHELFD_TRY(unless_gone(set_mode(path, file_mode)));
    }
    SHELFD_TRY(storage::remove_default_access(directory));
    SHELFD_TRY(storage::write_access(directory, {.owner = change, .group = see}));
    return set_mode(directory, directory_mode);
}

}  // namespace

Result<void> set_mirror_access(const std::string& directory, const std::string& file,
                               const std::vector<Account>& readers)
{
    if (!readers.empty()) {
        auto done = open_to(directory, file, readers);
        if (!done) {
            close_to_all(directory, file);
        }
        return done;
    }
    const auto present = storage::read_access(directory);
    return present && is_ours(*present) ? return_to_group(directory, file) : Result<void>();
}

std::vector<Account> find_mirror_access(const std::string& directory)
{
    std::vector<Account> found;
    const auto present = storage::read_access(directory);
    if (present && is_ours(*present)) {
        for (const auto& right : present->named) {
            found.push_back({right.kind, right.id, ""});
        }
    }
    return found;
}

}  // namespace shelfd::mirror
