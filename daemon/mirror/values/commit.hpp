// When the rows of a page are committed.
#pragma once

namespace shelfd::mirror {

// The rows of a page are committed at once, or with those of the pages that follow directly; until then they are in
// memory. Nothing else depends on it: if the process dies during a walk, the next one stages all pages again.
enum class Commit { now, may_wait };

}  // namespace shelfd::mirror
