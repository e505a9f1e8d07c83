// Where one item is asked for by itself: a path at our own origin, and nothing else.
#pragma once

#include "base/result.hpp"
#include "config/model.hpp"
#include "mirror/detail_facts.hpp"

#include <string>

namespace shelfd::sync {

// Path and query. Of an address that the list gives, only these are used, and only where it leads to our origin or
// names none: a token goes nowhere else. Errors: protocol, with the sentence for people.
Result<std::string> detail_target(const config::Library& library, const config::Resource& resource,
                                  const mirror::DetailItem& item);

}  // namespace shelfd::sync
