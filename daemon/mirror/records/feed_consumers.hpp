// The named consumers of the change feed: `_feed_consumers`. What they have not acknowledged is kept longer, see
// `forget_old`.
#pragma once

#include "mirror/values/feed_consumer.hpp"
#include "storage/sqlite.hpp"

#include <string>
#include <vector>

namespace shelfd::mirror {

// By name.
Result<std::vector<FeedConsumer>> load_feed_consumers(storage::Database& database);

// A consumer with a new name begins. Errors: usage, for a position of another feed or after the newest change, and for
// one name too many; permission, for a name that somebody else owns.
Result<void> acknowledge(storage::Database& database, const Acknowledgement& said, Instant now);

// `said.position` is not used. Errors: not_found; permission, as above.
Result<void> forget_feed_consumer(storage::Database& database, const Acknowledgement& said);

}  // namespace shelfd::mirror
