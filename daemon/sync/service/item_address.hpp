// The address of a single item: always a path at the service's own origin.
#pragma once

#include "base/result.hpp"
#include "config/model/model.hpp"
#include "mirror/values/details.hpp"

#include <string>
#include <vector>

namespace shelfd::sync {

// Both return path and query, including the service's fixed parameters. An address from the list is used only if it
// names the service's own origin or none, because the token must not go elsewhere. Errors: protocol, with a sentence
// for people.

// The address of an item's details, by the resource's `detail`.
Result<std::string> detail_target(const config::Library& library, const config::Resource& resource,
                                  const mirror::DetailItem& item);
// The address of the item itself: the one that the list gives (a whole one, if the configuration names no member for
// it), otherwise `path` of `detail`. `key` is JSON text.
Result<std::string> item_target(const config::Library& library, const config::Resource& resource,
                                const std::string& key, const std::string& address);
// Where the service is asked whether it still has a row that a list lacks.
struct WitnessTarget {
    std::string target;
    bool shows_absence = true;  // false: an answer that there is no such item is no evidence
};
// As item_target; and an address at `http` of the host that we ask at `https`: services behind a proxy that does not
// pass X-Forwarded-Proto on name themselves so. It is asked at our origin, and only the item itself counts as an
// answer: a row that is hidden must not be taken for a deleted one because its address looks foreign.
Result<WitnessTarget> witness_target(const config::Library& library, const config::Resource& resource,
                                     const std::string& key, const std::string& address);
// The members that may hold the item's own address, the preferred one first.
std::vector<std::string> address_members(const config::Resource& resource);
// `path` with the service's fixed parameters; parameters that `path` has already stay as they are.
std::string with_fixed_params(const config::Library& library, const std::string& path);

}  // namespace shelfd::sync
