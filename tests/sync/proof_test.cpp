#include "sync/proof.hpp"

#include "support/catch.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <random>
#include <set>
#include <vector>

using namespace shelfd::sync;

namespace {

// A list that is walked newest first while rows come and go between two pages.
class MovingList {
public:
    explicit MovingList(unsigned seed, std::int64_t rows) : random_(seed)
    {
        for (next_key_ = 1; next_key_ <= rows; ++next_key_) {
            keys_.insert(next_key_);
        }
        untouched_ = keys_;
    }

    std::vector<std::int64_t> page(std::size_t number, std::size_t size) const
    {
        std::vector<std::int64_t> all(keys_.rbegin(), keys_.rend());
        const auto begin = std::min(all.size(), number * size);
        return {all.begin() + static_cast<std::ptrdiff_t>(begin),
                all.begin() + static_cast<std::ptrdiff_t>(std::min(all.size(), begin + size))};
    }

    void move()
    {
        while (random_() % 3 == 0) {
            keys_.insert(next_key_++);
        }
        while (random_() % 4 == 0 && !keys_.empty()) {
            auto victim = keys_.begin();
            std::advance(victim, static_cast<std::ptrdiff_t>(random_() % keys_.size()));
            untouched_.erase(*victim);
            gone_ = *victim;
            keys_.erase(victim);
        }
    }
    // The row that went last is there again, where it was: nobody who looks at the front can see it.
    void bring_back()
    {
        if (gone_) {
            keys_.insert(*gone_);
            gone_.reset();
        }
    }

    std::size_t count() const { return keys_.size(); }
    const std::set<std::int64_t>& untouched() const { return untouched_; }

private:
    std::mt19937 random_;
    std::int64_t next_key_ = 1;
    std::set<std::int64_t> keys_;
    std::set<std::int64_t> untouched_;
    std::optional<std::int64_t> gone_;
};

struct Walked {
    WalkFacts facts;
    std::set<std::int64_t> seen;
};

enum class Returning { never, between_pages };

Walked walk(MovingList& list, std::size_t size, Returning returning)
{
    Walked walked;
    auto& facts = walked.facts;
    const auto note_count = [&facts, &list] {
        facts.count_last = list.count();
        facts.count_least = std::min(facts.count_least.value_or(list.count()), *facts.count_last);
        facts.count_most = std::max(facts.count_most.value_or(list.count()), *facts.count_last);
    };
    facts.newest_first = true;
    std::int64_t lowest = INT64_MAX;
    for (std::size_t number = 0;; ++number) {
        const auto page = list.page(number, size);
        note_count();
        if (number == 0) {
            facts.count_first = list.count();
            facts.newest_key = page.empty() ? std::nullopt : std::optional(page.front());
        } else if (page.empty()) {
            facts.shrank = true;
            break;
        }
        ++facts.pages;
        for (const auto key : page) {
            facts.descending = facts.descending && (key < lowest || walked.seen.count(key) > 0);
            lowest = std::min(lowest, key);
            walked.seen.insert(key);
        }
        const bool last = (number + 1) * size >= list.count();
        if (last) {
            break;
        }
        // What went between two pages comes back between two others: each look at the count lies between.
        if (returning == Returning::between_pages) {
            list.bring_back();
        }
        list.move();
    }
    facts.closed = true;
    if (facts.pages > 1) {
        list.move();
        note_count();
        for (const auto key : list.page(0, size)) {
            facts.above_newest += facts.newest_key && key > *facts.newest_key ? 1 : 0;
            walked.seen.insert(key);
        }
    }
    facts.distinct_keys = walked.seen.size();
    return walked;
}

}  // namespace

TEST_CASE("no walk that is called proven newest first misses a row that was there throughout")
{
    const auto returning = Returning::never;
    int proven = 0;
    for (unsigned seed = 0; seed < 20'000; ++seed) {
        MovingList list(seed, 3 + seed % 40);
        const auto walked = walk(list, 2 + seed % 7, returning);
        const auto proof = prove(walked.facts);
        if (proof.kind != ProofKind::newest_first && proof.kind != ProofKind::single_page) {
            continue;
        }
        ++proven;
        for (const auto key : list.untouched()) {
            if (walked.seen.count(key) == 0) {
                FAIL("seed " << seed << ": key " << key << " was there throughout and was not seen");
            }
        }
    }
    // A proof that never succeeds would pass as well.
    CHECK(proven > 1'000);
}

TEST_CASE("equal counts alone are no proof")
{
    WalkFacts facts;
    facts.pages = 3;
    facts.closed = true;
    facts.count_first = facts.count_last = facts.count_least = facts.count_most = facts.distinct_keys = 30;
    facts.key_set = "0123";
    CHECK(prove(facts).kind == ProofKind::none);
    facts.newest_first = true;
    facts.newest_key = 30;
    CHECK(prove(facts).kind == ProofKind::newest_first);
    facts.count_least = 29;  // a row went, and another one came back
    CHECK(prove(facts).kind == ProofKind::none);
    facts.count_least = 30;
    facts.count_most = 31;  // the other way round
    CHECK(prove(facts).kind == ProofKind::none);
    facts.count_most = 30;
    facts.descending = false;
    CHECK(prove(facts).kind == ProofKind::none);
    facts.previous_key_set = "0123";
    CHECK(prove(facts).kind == ProofKind::two_walks);
    facts.shrank = true;
    CHECK(prove(facts).kind == ProofKind::none);
    facts.shrank = false;
    facts.distinct_keys = 29;
    CHECK(prove(facts).kind == ProofKind::none);
    facts.distinct_keys = 30;
    facts.closed = false;
    CHECK(prove(facts).kind == ProofKind::none);
}

TEST_CASE("a chain of cursors needs its end and no count")
{
    WalkFacts facts;
    facts.pages = 3;
    facts.is_chain = true;
    facts.distinct_keys = 30;
    CHECK(prove(facts).kind == ProofKind::none);
    facts.closed = true;
    CHECK(prove(facts).kind == ProofKind::chain);
}
