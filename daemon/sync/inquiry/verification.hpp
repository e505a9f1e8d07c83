// Compares rows of the mirror with what the service says of them at this moment.
#pragma once

#include "base/instant.hpp"
#include "base/result.hpp"
#include "mirror/json/comparison.hpp"
#include "sync/library/context.hpp"

#include <boost/asio/awaitable.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace shelfd::sync {

struct VerifyOrder {
    std::string table = {};              // of the resource, or of its details
    std::vector<std::string> keys = {};  // as typed: 42, abc, "abc"
    std::uint64_t sample = 0;            // without keys: so many rows chosen at random
    std::optional<Instant> as_of = {};   // of the table
};

enum class Verified {
    equal,
    differs,
    gone,          // the service has no such item
    missing,       // the service has the item, the mirror has no such row
    not_here,      // the mirror has no such row, nor has the service as far as it can be asked
    not_compared,  // the service gave no item to compare with
};

std::string_view to_string(Verified verdict);

struct VerifiedItem {
    std::string key;      // JSON
    std::string address;  // that was asked for, without the origin
    Verified verdict = Verified::equal;
    std::vector<mirror::Difference> differences = {};
    std::optional<Instant> modified = {};  // as the service says
    bool changed_since = false;            // it was modified after the table's as_of
    std::string why = {};                  // of all but equal and differs
};

// One request an item, at the address in its member `url` (of a detail, in that of its row), else at the list's path
// and its key, as somebody who waits (Purpose::interactive). A key that the mirror lacks is asked for as well: a table
// that misses a row of the service is told from a key that nobody has. Members that are excluded are compared no more
// than they are kept. `tell` is called for each item as it is done. Never refreshes a token. Errors, after which
// nothing more is asked: those of the keeper and the network; not_found when the sample of a table is empty;
// needs_person for 401 and 403; throttled for 429.
asio::awaitable<Result<void>> verify(LibraryContext& context, const config::Resource& resource, VerifyOrder order,
                                     std::function<void(const VerifiedItem&)> tell);

}  // namespace shelfd::sync
