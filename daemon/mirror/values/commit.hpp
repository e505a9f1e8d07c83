// When the rows of a page are committed.
#pragma once

namespace shelfd::mirror {

// Of a page's rows: at once, or with those of pages that come right behind it. Until then they are in memory. Nothing
// else hangs on it: of a process that dies in mid-walk the next one stages every page anew.
enum class Commit { now, may_wait };

}  // namespace shelfd::mirror
