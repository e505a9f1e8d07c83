#include "sync/proof.hpp"

#include <cstdlib>

namespace shelfd::sync {

Proof prove(const WalkFacts& walk)
{
    if (!walk.closed || walk.shrank || walk.distinct_keys != walk.count_last) {
        return {ProofKind::none};
    }
    if (walk.pages == 1) {
        return {ProofKind::single_page};
    }
    const bool ordered = walk.newest_first && walk.descending && walk.newest_key.has_value();
    if (ordered && walk.count_last == walk.count_first + walk.above_newest) {
        return {ProofKind::newest_first};
    }
    return {walk.count_first == walk.count_last ? ProofKind::counted : ProofKind::none};
}

const char* to_string(ProofKind kind)
{
    switch (kind) {
    case ProofKind::none: return "none";
    case ProofKind::single_page: return "single_page";
    case ProofKind::newest_first: return "newest_first";
    case ProofKind::counted: return "counted";
    }
    std::abort();
}

}  // namespace shelfd::sync
