// Some rows of a table, chosen by chance.
#pragma once

#include "base/result.hpp"
#include "mirror/records/resource.hpp"
#include "storage/sqlite.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace shelfd::mirror {

// Keys (JSON text) of at most `most` published rows. `random` in [0, 1) decides which.
Result<std::vector<std::string>> sample_rows(storage::Database& database, const ResourceFacts& facts,
                                             std::uint64_t most, double random);

}  // namespace shelfd::mirror
