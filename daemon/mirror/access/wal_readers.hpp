// Which processes keep the WAL of a database from being emptied.
#pragma once

#include <string>
#include <vector>

#include <sys/types.h>

namespace shelfd::mirror {

// Other processes that are inside a read transaction, each once; of several at the same place in the WAL, one. Asks the
// kernel for the holders of SQLite's locks, which works in the sandbox of the service, too, where /proc shows no other
// process. Empty if that cannot be found out, such as for a process of another container. Blocks for a moment.
std::vector<pid_t> find_wal_readers(const std::string& database);

}  // namespace shelfd::mirror
