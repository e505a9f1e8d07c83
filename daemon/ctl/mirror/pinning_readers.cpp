#include "ctl/mirror/pinning_readers.hpp"

#include "base/regular_file.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <sstream>

#include <sys/stat.h>
#include <sys/sysmacros.h>

namespace shelfd::ctl {
namespace {

// The bytes of -shm that readers lock inside a transaction: WAL_READ_LOCK(0) to (4) in SQLite's wal.c (file format).
constexpr std::uint64_t first_read_mark = 123;
constexpr std::uint64_t last_read_mark = 127;

std::string command_of(pid_t pid)
{
    // The kernel's limit for the arguments of a program, see execve(2).
    constexpr std::size_t largest = 8u << 20;
    auto words = read_regular_file("/proc/" + std::to_string(pid) + "/cmdline", largest).value_or("");
    while (!words.empty() && words.back() == '\0') {
        words.pop_back();
    }
    for (auto& c : words) {
        c = static_cast<unsigned char>(c) < ' ' ? ' ' : c;
    }
    constexpr std::size_t enough = 120;
    return words.size() > enough ? words.substr(0, enough) + "…" : words;
}

// Example: "1: POSIX  ADVISORY  READ 4711 08:01:131091 123 123", device in hexadecimal.
bool reads(const std::string& line, const struct stat& file, pid_t& pid)
{
    std::istringstream words(line);
    std::string number, kind, advice, mode, place;
    std::uint64_t from = 0;
    std::uint64_t to = 0;
    if (!(words >> number >> kind >> advice >> mode >> pid >> place >> from >> to) || kind != "POSIX" ||
        mode != "READ") {
        return false;
    }
    unsigned major = 0;
    unsigned minor = 0;
    unsigned long long inode = 0;
    return std::sscanf(place.c_str(), "%x:%x:%llu", &major, &minor, &inode) == 3 && inode == file.st_ino &&
           major == ::major(file.st_dev) && minor == ::minor(file.st_dev) && from <= last_read_mark &&
           to >= first_read_mark;
}

}  // namespace

std::vector<PinningReader> find_pinning_readers(const std::string& mirror, pid_t except)
{
    std::vector<PinningReader> readers;
    struct stat file = {};
    if (::stat((mirror + "-shm").c_str(), &file) != 0) {
        return readers;
    }
    constexpr std::size_t largest = 64u << 20;
    std::istringstream locks(read_regular_file("/proc/locks", largest).value_or(""));
    for (std::string line; std::getline(locks, line);) {
        pid_t pid = 0;
        const auto is_new = [&] {
            return std::none_of(readers.begin(), readers.end(), [&](const auto& known) { return known.pid == pid; });
        };
        if (reads(line, file, pid) && pid > 0 && pid != except && is_new()) {
            readers.push_back({pid, command_of(pid)});
        }
    }
    return readers;
}

}  // namespace shelfd::ctl
