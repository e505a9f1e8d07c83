// Random samples of a table's rows.
#pragma once

#include "base/result.hpp"
#include "mirror/records/resource.hpp"
#include "storage/sqlite.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace shelfd::mirror {

// Returns the keys (JSON text) of at most `most` published rows. `random` in [0, 1) determines which.
Result<std::vector<std::string>> sample_rows(storage::Database& database, const ResourceFacts& facts,
                                             std::uint64_t most, double random);

}  // namespace shelfd::mirror
