// Compares rows of the mirror with the service's present answers.
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
    std::uint64_t sample = 0;            // without keys: number of rows chosen at random
    std::optional<Instant> as_of = {};   // of the table
};

enum class Verified {
    equal,
    differs,
    gone,          // the service has no such item
    missing,       // the service has the item, the mirror has no such row
    not_here,      // the mirror has no such row, nor has the service, as far as it can be asked
    not_compared,  // the service returned no item to compare with
};

std::string_view to_string(Verified verdict);

struct VerifiedItem {
    std::string key;      // JSON
    std::string address;  // the requested address, without the origin
    Verified verdict = Verified::equal;
    std::vector<mirror::Difference> differences = {};
    std::optional<Instant> modified = {};  // by the service's date
    bool changed_since = false;            // modified after `as_of` of the table
    std::string why = {};                  // for all but equal and differs
};

// Sends one request for each item, with Purpose::interactive: to the address in its member `url` (for a detail, in that
// of its row), otherwise to the list's path and its key. Keys that the mirror lacks are requested as well, to tell a
// missing row from a key that does not exist. Excluded members are not compared. Calls `tell` for each item when it is
// done. Never refreshes a token. Errors, which end the comparison: those of the keeper and the network; not_found if
// there is nothing to compare; needs_person for 401 and 403; throttled for 429.
asio::awaitable<Result<void>> verify(LibraryContext& context, const config::Resource& resource, VerifyOrder order,
                                     std::function<void(const VerifiedItem&)> tell);

}  // namespace shelfd::sync
