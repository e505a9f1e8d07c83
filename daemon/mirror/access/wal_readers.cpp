#include "mirror/access/wal_readers.hpp"

#include "base/regular_file.hpp"

#include <algorithm>
#include <system_error>
#include <thread>

#include <fcntl.h>
#include <sched.h>
#include <unistd.h>

namespace shelfd::mirror {
namespace {

// The bytes of -shm that readers lock inside a transaction: WAL_READ_LOCK(0) to (4) in SQLite's wal.c (file format).
constexpr off_t first_read_mark = 123;
constexpr off_t last_read_mark = 127;

std::vector<pid_t> holders_of_read_marks(const FileDescriptor& shm)
{
    std::vector<pid_t> holders;
    for (auto mark = first_read_mark; mark <= last_read_mark; ++mark) {
        struct flock lock = {};
        lock.l_type = F_WRLCK;
        lock.l_whence = SEEK_SET;
        lock.l_start = mark;
        lock.l_len = 1;
        const bool is_held = ::fcntl(shm.get(), F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
        const bool is_new = std::find(holders.begin(), holders.end(), lock.l_pid) == holders.end();
        if (is_held && is_new && lock.l_pid > 0 && lock.l_pid != ::getpid()) {
            holders.push_back(lock.l_pid);
        }
    }
    return holders;
}

}  // namespace

std::vector<pid_t> find_wal_readers(const std::string& database)
{
    std::vector<pid_t> readers;
    const auto look = [&readers, file = database + "-shm"] {
        // To close a file gives up all locks that its table of descriptors has on it (fcntl(2)), among them SQLite's.
        // With a table of its own this thread gives up none.
        if (::unshare(CLONE_FILES) != 0) {
            return;
        }
        if (const auto shm = open_regular_file(file); shm) {
            readers = holders_of_read_marks(*shm);
        }
    };
    try {
        std::thread(look).join();
    } catch (const std::system_error&) {  // no thread can be made now
        return {};
    }
    return readers;
}

}  // namespace shelfd::mirror
