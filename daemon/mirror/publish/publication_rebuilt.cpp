// The feed of a file that began anew, because the one before was broken.
#include "mirror/declare/former_file.hpp"
#include "mirror/file/schema.hpp"
#include "mirror/publish/publication.hpp"

namespace shelfd::mirror {

// The feed of a file that began anew begins with what differs from the old one, where that can be read: whoever follows
// it need not read the tables again to know what happened meanwhile. What a walk brought that may have missed rows
// cannot be compared: nothing is told before the first one that missed none, and then all of it at once. Nor can a
// slice be compared with a whole table: readers are told by the feed's name that they must look at it.
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
        // Where the old file cannot be read, the feed's name alone tells readers to look at the tables.
        return {};
    }
    // They did before this pass, and what was not written since then is lost to them: another name.
    return write_meta(database_, "feed", feed_name(pass_.now));
}

}  // namespace shelfd::mirror
