#include "control/causes/wal_cause.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

namespace shelfd::control {
namespace {

constexpr Duration long_pinned = std::chrono::minutes(1);

std::string size_of(std::uint64_t bytes)
{
    return bytes < 1U << 20U ? fmt::format("{} KiB", std::max<std::uint64_t>(bytes >> 10U, 1))
                             : fmt::format("{} MiB", bytes >> 20U);
}

}  // namespace

std::optional<Finding> find_pinned_wal(const LibraryStatus& library, Instant now)
{
    const auto& since = library.wal_pinned_since;
    const bool has_disk_trouble = std::any_of(library.resources.begin(), library.resources.end(),
                                              [](const auto& table) { return table.trouble == Trouble::storage; });
    if (has_disk_trouble || !since || now - *since < long_pinned) {
        return std::nullopt;
    }
    Finding one{CauseKind::wal, library.name};
    one.library = library.name;
    one.why = fmt::format("the WAL has {} and cannot be emptied", size_of(library.wal_bytes));
    one.do_this = "shelfctl status " + library.name + " names the reader: end its transaction";
    if (const auto& readers = library.wal_readers; !readers.empty()) {
        one.why += readers.size() == 1
                       ? fmt::format(" while process {} stays inside a read transaction", readers.front())
                       : fmt::format(" while processes {} stay inside read transactions", fmt::join(readers, ", "));
        one.do_this = fmt::format("end that transaction, or the program: kill {} (ps -fp {} shows which it is)",
                                  fmt::join(readers, " "), fmt::join(readers, ","));
    }
    one.next = "continues; the file grows with each change until then";
    one.since = since;
    return one;
}

}  // namespace shelfd::control
