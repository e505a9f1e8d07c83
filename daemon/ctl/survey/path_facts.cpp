#include "ctl/survey/path_facts.hpp"

#include "storage/filesystem.hpp"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>

#include <sys/stat.h>
#include <sys/statvfs.h>

namespace shelfd::ctl {
namespace {

namespace fs = std::filesystem;

constexpr mode_t mode_bits = 07777;

PathFacts::Kind kind_of(mode_t mode)
{
    switch (mode & S_IFMT) {
    case S_IFREG: return PathFacts::Kind::file;
    case S_IFDIR: return PathFacts::Kind::directory;
    case S_IFSOCK: return PathFacts::Kind::socket;
    case S_IFLNK: return PathFacts::Kind::link;
    default: return PathFacts::Kind::other;
    }
}

}  // namespace

PathFacts look_at(const std::string& path)
{
    PathFacts facts;
    facts.path = path;
    struct stat found {};
    if (::lstat(path.c_str(), &found) != 0) {
        const bool missing = errno == ENOENT || errno == ENOTDIR;
        facts.kind = missing ? PathFacts::Kind::missing : PathFacts::Kind::hidden;
        facts.reason = storage::errno_text(errno);
        return facts;
    }
    facts.kind = kind_of(found.st_mode);
    facts.mode = found.st_mode & mode_bits;
    facts.uid = found.st_uid;
    facts.gid = found.st_gid;
    facts.device = found.st_dev;
    facts.inode = found.st_ino;
    facts.links = found.st_nlink;
    facts.bytes = static_cast<std::uint64_t>(found.st_size);
    facts.modified = Instant::from_seconds(found.st_mtim.tv_sec);
    if (facts.kind == PathFacts::Kind::file || facts.kind == PathFacts::Kind::directory) {
        auto access = storage::read_access(path);
        if (access && !access->named.empty()) {
            facts.access = std::move(*access);
        }
    }
    return facts;
}

PathFacts look_behind(const std::string& path)
{
    std::error_code failed;
    const auto target = fs::canonical(path, failed);
    auto facts = look_at(failed ? path : target.string());
    facts.path = path;
    return facts;
}

std::vector<PathFacts> look_into(PathFacts& directory)
{
    std::vector<PathFacts> found;
    if (directory.kind != PathFacts::Kind::directory) {
        return found;
    }
    std::error_code failed;
    for (fs::directory_iterator entry(directory.path, failed), end; !failed && entry != end; entry.increment(failed)) {
        found.push_back(look_at(entry->path().string()));
    }
    if (failed) {
        directory.kind = PathFacts::Kind::hidden;
        directory.reason = failed.message();
        return {};
    }
    std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.path < b.path; });
    return found;
}

std::vector<PathFacts> look_above(const std::string& path)
{
    std::vector<PathFacts> found;
    for (auto place = fs::path(path).parent_path(); !place.empty(); place = place.parent_path()) {
        found.push_back(look_at(place.string()));
        if (place == place.parent_path()) {
            break;
        }
    }
    std::reverse(found.begin(), found.end());
    return found;
}

DiskFacts look_at_disk(const std::string& path, bool unsafe_is_allowed)
{
    DiskFacts disk;
    disk.path = path;
    struct statvfs room {};
    struct stat found {};
    if (::statvfs(path.c_str(), &room) != 0 || ::stat(path.c_str(), &found) != 0) {
        disk.trouble = storage::errno_text(errno);
        return disk;
    }
    disk.device = found.st_dev;
    disk.read_only = (room.f_flag & ST_RDONLY) != 0;
    disk.bytes = std::uint64_t{room.f_blocks} * room.f_frsize;
    disk.free_bytes = std::uint64_t{room.f_bavail} * room.f_frsize;
    disk.inodes = room.f_files;
    disk.free_inodes = room.f_favail;
    const auto safety = unsafe_is_allowed ? storage::Safety::waived : storage::Safety::required;
    if (const auto durable = storage::check_durable(path, safety); !durable) {
        disk.unsafe = durable.error().text();
    }
    return disk;
}

std::string base_name(const PathFacts& facts)
{
    return fs::path(facts.path).filename().string();
}

}  // namespace shelfd::ctl
