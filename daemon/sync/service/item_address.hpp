// Where one item is asked for by itself: a path at our own origin, and nothing else.
#pragma once

#include "base/result.hpp"
#include "config/model/model.hpp"
#include "mirror/values/details.hpp"

#include <string>
#include <vector>

namespace shelfd::sync {

// Both give path and query, with the service's fixed parameters. Of an address that the list gives, only these are
// used, and only where it leads to our origin or names none: a token goes nowhere else. Errors: protocol, with the
// sentence for people.

// Of its details, as `detail` says.
Result<std::string> detail_target(const config::Library& library, const config::Resource& resource,
                                  const mirror::DetailItem& item);
// Of the item itself: the address that it has, a whole one where no member is named for it; else `path` of `detail`.
// `key` is JSON text.
Result<std::string> item_target(const config::Library& library, const config::Resource& resource,
                                const std::string& key, const std::string& address);
// The members that may hold the item's own address, the best one first.
std::vector<std::string> address_members(const config::Resource& resource);
// A path of ours with the fixed parameters; what it asks for by itself stays.
std::string with_fixed_params(const config::Library& library, const std::string& path);

}  // namespace shelfd::sync
