#include "sync/walk/proof.hpp"

#include <cstdlib>

namespace shelfd::sync {
namespace {

bool is_as_before(const WalkFacts& walk)
{
    if (walk.key_set.empty() || walk.key_set != walk.previous_key_set) {
        return false;
    }
    if (walk.is_chain) {
        return walk.repeated == 0 && walk.repeats && walk.fresh == 0;
    }
    if (walk.count_most) {
        return walk.count_least == walk.count_first && walk.count_most == walk.count_first;
    }
    return walk.repeated == 0 && (walk.repeats || walk.is_newest_on_top());
}

}  // namespace

Proof prove(const WalkFacts& walk)
{
    const bool counts_fit = !walk.count_last || walk.distinct_keys == *walk.count_last;
    if (!walk.closed || walk.is_cut || !counts_fit) {
        return {ProofKind::none};
    }
    if (walk.shrank) {
        // A list that always names one page too many looks like one that lost its last page; two walks tell them apart.
        // If no page was shorter than another, rows may have replaced others meanwhile, so the walks must follow at
        // once.
        const bool is_in_time = walk.repeats || walk.pages > 1;
        const bool is_proven = !walk.count_last && walk.entered == 0 && is_in_time && is_as_before(walk);
        return {is_proven ? ProofKind::two_walks : ProofKind::none};
    }
    if (walk.pages == 1) {
        return {ProofKind::single_page};
    }
    if (walk.is_chain && walk.by_key) {
        return {ProofKind::chain};
    }
    if (walk.entered > 0) {
        return {ProofKind::none};
    }
    const bool only_grew = walk.count_least >= walk.count_first && walk.count_most <= walk.count_last;
    if (walk.is_ordered() && only_grew && walk.count_last == walk.count_first.value_or(0) + walk.above_newest) {
        return {ProofKind::newest_first};
    }
    return {is_as_before(walk) ? ProofKind::two_walks : ProofKind::none};
}

const char* to_string(ProofKind kind)
{
    switch (kind) {
    case ProofKind::none: return "none";
    case ProofKind::single_page: return "single_page";
    case ProofKind::newest_first: return "newest_first";
    case ProofKind::chain: return "chain";
    case ProofKind::two_walks: return "two_walks";
    }
    std::abort();
}

}  // namespace shelfd::sync
