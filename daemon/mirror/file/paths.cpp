#include "mirror/file/paths.hpp"

#include "mirror/access/mirror_access.hpp"
#include "mirror/file/snapshot.hpp"
#include "storage/filesystem.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>

namespace shelfd::mirror {

namespace {

constexpr mode_t directory_mode = 0750;
constexpr mode_t file_mode = 0640;
constexpr mode_t closed_mode = 0600;

Error failure(const std::string& doing)
{
    const int cause = errno;
    auto error = storage::errno_error(doing, cause);
    // Somebody has to make the disk writable, as with a missing right.
    return cause == EROFS ? Error(ErrorKind::permission, error.text()).with_errno(cause) : error;
}

// A umask may have removed bits that readers need. Bits beyond rwx are passed unchanged: the sandbox of the service
// forbids setting set-gid, so it is inherited or absent.
Result<void> correct_mode(const std::string& path, mode_t wanted)
{
    struct stat facts = {};
    if (::stat(path.c_str(), &facts) != 0) {
        return failure(fmt::format("cannot examine {}", path));
    }
    if ((facts.st_mode & 0777U) == wanted) {
        return {};
    }
    if (::chmod(path.c_str(), (facts.st_mode & 07000U) | wanted) != 0) {
        return failure(fmt::format("cannot set the mode of {} to {:o}", path, wanted));
    }
    return {};
}

// Returns an empty optional if there is no such file.
Result<std::optional<struct stat>> facts_of(const std::string& file)
{
    struct stat facts = {};
    if (::stat(file.c_str(), &facts) == 0) {
        return std::optional(facts);
    }
    if (errno != ENOENT && errno != ENOTDIR) {
        return failure(fmt::format("cannot examine {}", file));
    }
    return std::optional<struct stat>();
}

Result<void> unlink_wal(const std::string& file)
{
    for (const char* suffix : {"-wal", "-shm"}) {
        if (::unlink((file + suffix).c_str()) != 0 && errno != ENOENT) {
            return failure(fmt::format("cannot remove {}{}", file, suffix));
        }
    }
    return {};
}

std::string unfilled_mark(const std::string& file)
{
    return file + ".unfilled";
}

Result<void> make_empty(const std::string& file, int flags, mode_t mode)
{
    const int descriptor = ::open(file.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | flags, mode);
    if (descriptor < 0) {
        return failure(fmt::format("cannot create {}", file));
    }
    ::close(descriptor);
    return {};
}

Result<void> make_file(const std::string& file, mode_t mode)
{
    // The WAL of a removed database would be applied to the new one.
    SHELFD_TRY(unlink_wal(file));
    SHELFD_TRY(make_empty(unfilled_mark(file), 0, mode));
    return make_empty(file, O_EXCL, mode);
}

// Prefix of the names of files set aside.
std::string set_aside_as(const std::string& file)
{
    return std::filesystem::path(file).filename().string() + ".broken-";
}

// True if the directory has files that only exist after the mirror did.
bool has_traces(const std::string& directory, const std::string& file)
{
    namespace fs = std::filesystem;
    const auto name = fs::path(file).filename().string();
    const auto snapshot = fs::path(snapshot_path(file)).filename().string();
    std::error_code trouble;
    for (fs::directory_iterator entry(directory, trouble), end; !trouble && entry != end; entry.increment(trouble)) {
        const auto other = entry->path().filename().string();
        if (other == name + "-wal" || other == name + "-shm" || other == snapshot ||
            other.starts_with(set_aside_as(file))) {
            return true;
        }
    }
    return false;
}

}  // namespace

Result<PreparedFiles> prepare_files(const std::string& directory, const std::string& file,
                                    const std::vector<Account>& readers)
{
    const bool made = ::mkdir(directory.c_str(), directory_mode) == 0;
    if (!made && errno != EEXIST) {
        return failure(fmt::format("cannot create {}", directory));
    }
    PreparedFiles prepared{FoundFiles::file, std::nullopt};
    SHELFD_TRY(correct_mode(directory, directory_mode));
    // Before a file is created in it.
    if (const auto given = set_mirror_access(directory, file, readers); !given) {
        prepared.closed = given.error();
    }
    const auto mode = prepared.closed ? closed_mode : file_mode;
    struct stat facts = {};
    if (::stat(file.c_str(), &facts) != 0) {
        if (errno != ENOENT) {
            return failure(fmt::format("cannot examine {}", file));
        }
        prepared.before = has_traces(directory, file) ? FoundFiles::traces : FoundFiles::none;
        SHELFD_TRY(make_file(file, mode));
    }
    // Readers that cannot open -wal or -shm cannot read the mirror.
    for (const char* suffix : {"", "-wal", "-shm"}) {
        const auto path = file + suffix;
        if (const bool is_there = ::access(path.c_str(), F_OK) == 0; is_there) {
            SHELFD_TRY(correct_mode(path, mode));
        }
    }
    return prepared;
}

bool is_marked_unfilled(const std::string& file)
{
    return ::access(unfilled_mark(file).c_str(), F_OK) == 0;
}

void unmark_filled(const std::string& file)
{
    ::unlink(unfilled_mark(file).c_str());
}

void remove_file(const std::string& file)
{
    // A WAL without its file is harmless, a new file with an old WAL is not.
    if (unlink_wal(file)) {
        ::unlink(file.c_str());
        unmark_filled(file);
    }
}

Result<std::optional<FileIdentity>> identity_of(const std::string& file)
{
    SHELFD_TRY_ASSIGN(facts, facts_of(file));
    return facts ? std::optional(FileIdentity{facts->st_dev, facts->st_ino}) : std::nullopt;
}

Result<FileWriting> writing_of(const std::string& file)
{
    constexpr std::int64_t nanoseconds = 1'000'000'000;
    SHELFD_TRY_ASSIGN(facts, facts_of(file));
    return facts ? FileWriting{facts->st_mtim.tv_sec * nanoseconds + facts->st_mtim.tv_nsec, facts->st_size}
                 : FileWriting{};
}

Result<void> remove_wal(const std::string& file, const std::optional<FileIdentity>& wal)
{
    SHELFD_TRY_ASSIGN(there, identity_of(file + "-wal"));
    return there && there == wal ? unlink_wal(file) : Result<void>();
}

Result<void> remove_beside(const std::string& file, const std::function<bool(const std::string&)>& goes)
{
    namespace fs = std::filesystem;
    const auto directory = fs::path(file).parent_path();
    std::error_code trouble;
    for (fs::directory_iterator entry(directory, trouble), end; !trouble && entry != end; entry.increment(trouble)) {
        if (!goes(entry->path().filename().string())) {
            continue;
        }
        if (std::error_code failed; !fs::remove(entry->path(), failed) && failed) {
            return Error(ErrorKind::storage,
                         fmt::format("cannot remove {}: {}", entry->path().string(), failed.message()));
        }
    }
    return trouble ? Error(ErrorKind::storage,
                           fmt::format("cannot read the directory {}: {}", directory.string(), trouble.message()))
                   : Result<void>();
}

Result<void> remove_copies(const std::string& file)
{
    const auto snapshot = std::filesystem::path(snapshot_path(file)).filename().string();
    return remove_beside(file, [&](const std::string& name) {
        return name == snapshot || name == snapshot + ".new" || name.starts_with(set_aside_as(file));
    });
}

Result<std::string> set_aside(const std::string& file, Instant now)
{
    std::string stamp = now.to_short_text();
    std::erase(stamp, ':');
    const std::string aside = fmt::format("{}.broken-{}", file, stamp);
    SHELFD_TRY(remove_beside(file, [&](const std::string& name) { return name.starts_with(set_aside_as(file)); }));
    // The file itself is last: a WAL without its file is harmless, a new file with an old WAL is not.
    for (const char* suffix : {"-wal", "-shm", ""}) {
        if (::rename((file + suffix).c_str(), (aside + suffix).c_str()) != 0 && errno != ENOENT) {
            return failure(fmt::format("cannot move {}{} aside", file, suffix));
        }
    }
    return aside;
}

void remove_aside(const std::string& file, const std::string& aside)
{
    const auto name = std::filesystem::path(aside).filename().string();
    if (!name.starts_with(set_aside_as(file))) {
        return;
    }
    const auto beside = std::filesystem::path(file).parent_path() / name;
    for (const char* suffix : {"-wal", "-shm", ""}) {
        std::error_code ignored;
        std::filesystem::remove(beside.string() + suffix, ignored);
    }
}

}  // namespace shelfd::mirror
