// What is asked for a table. Of another list, all that was learned and proven of the former one says nothing.
#pragma once

#include "base/instant.hpp"
#include "base/result.hpp"
#include "mirror/values/specs.hpp"
#include "storage/sqlite.hpp"

#include <optional>
#include <string>

namespace shelfd::mirror {

// Notes what `spec` asks for, in the caller's transaction, once the resource has its line. Where that is another list
// than before, the rows stay until passes over the new one replace them, but nothing is proven any more, and every part
// is walked whole; `notice` says so. Where it is another filter alone, only what is known of the filter goes. A mirror
// by a version that noted none of this takes what is asked for now as what was asked for before.
Result<void> follow_source(storage::Database& database, const ResourceSpec& spec, Instant now,
                           std::optional<std::string>& notice);

}  // namespace shelfd::mirror
