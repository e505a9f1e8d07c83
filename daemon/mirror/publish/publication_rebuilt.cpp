// The change feed of a file that replaced a broken one.
#include "mirror/declare/former_file.hpp"
#include "mirror/file/schema.hpp"
#include "mirror/publish/publication.hpp"

namespace shelfd::mirror {

// The feed of a new file begins with the differences to the old one, if that can be read, so that its readers need not
// read the tables again. A walk that may have missed rows cannot be compared: nothing is written before the first walk
// that is proven, and then all differences at once. A slice cannot be compared with a whole table either; the new feed
// name tells readers to read the table.
Result<void> Publication::check_former_rows()
{
    SHELFD_TRY_ASSIGN(former, find_former(database_, facts_, pass_.start, pass_.changes));
    former_ = std::move(former);
    if (former_) {
        changes_.mute();
        is_muted_ = true;
    }
    return {};
}

Result<void> Publication::compare_rebuilt()
{
    if (!former_ || !pass_.proof.complete || !pass_.proof.whole) {
        return {};
    }
    ChangeFeed feed(database_, facts_, pass_.changes, pass_.start.run_id, pass_.now.to_text());
    SHELFD_TRY_ASSIGN(compared, feed.since(*former_));
    if (compared || !facts_.published) {
        // If the old file cannot be read, the new feed name tells readers to read the tables.
        return {};
    }
    // Readers have done that before this pass, and lack what was not written since: the feed gets another name.
    return write_meta(database_, "feed", feed_name(pass_.now));
}

}  // namespace shelfd::mirror
