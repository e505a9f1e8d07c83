#include "sync/walk/proof.hpp"

#include "support/catch.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

using namespace shelfd::sync;

namespace {

enum class Order { newest_first, ignored };
enum class Counting { counted, uncounted };
enum class Returning { never, between_pages };

// A list that is walked while rows come and go between two pages.
class MovingList {
public:
    // One of `calm` gaps between two pages brings movement.
    MovingList(unsigned seed, std::int64_t rows, Order order = Order::newest_first, unsigned calm = 1)
        : random_(seed), order_(order), calm_(calm)
    {
        while (next_key_ <= rows) {
            insert();
        }
    }

    std::vector<std::int64_t> page(std::size_t number, std::size_t size) const
    {
        std::vector<std::int64_t> keys;
        std::size_t place = 0;
        for (const auto& [rank, key] : rows_) {
            if (place / size == number) {
                keys.push_back(key);
            }
            ++place;
        }
        return keys;
    }

    void move()
    {
        if (random_() % calm_ != 0) {
            return;
        }
        while (random_() % 3 == 0) {
            insert();
        }
        while (random_() % 4 == 0 && !rows_.empty()) {
            auto victim = rows_.begin();
            std::advance(victim, static_cast<std::ptrdiff_t>(random_() % rows_.size()));
            went_[victim->second] = now_++;
            gone_ = *victim;
            rows_.erase(victim);
        }
    }
    // The row that went last is there again, where it was: nobody who looks at the front can see it.
    void bring_back()
    {
        if (gone_) {
            rows_.insert(*gone_);
            gone_.reset();
        }
    }

    std::size_t count() const { return rows_.size(); }
    int now() const { return now_; }
    // There from then on until now, all the time.
    std::set<std::int64_t> there_since(int then) const
    {
        std::set<std::int64_t> keys;
        for (const auto& [rank, key] : rows_) {
            const auto went = went_.find(key);
            if (came_.at(key) < then && (went == went_.end() || went->second < then)) {
                keys.insert(key);
            }
        }
        return keys;
    }

private:
    void insert()
    {
        const auto key = next_key_++;
        came_[key] = now_++;
        rows_.emplace(order_ == Order::newest_first ? -key : static_cast<std::int64_t>(random_()), key);
    }

    std::mt19937 random_;
    Order order_;
    unsigned calm_;
    std::int64_t next_key_ = 1;
    std::map<std::int64_t, std::int64_t> rows_;  // their keys, in the order of the list
    std::map<std::int64_t, int> came_;
    std::map<std::int64_t, int> went_;
    int now_ = 0;
    std::optional<std::pair<std::int64_t, std::int64_t>> gone_;
};

struct Walked {
    WalkFacts facts;
    std::set<std::int64_t> seen;
    int began = 0;
};

std::string digest_of(const std::set<std::int64_t>& keys)
{
    std::string text;
    for (const auto key : keys) {
        text += std::to_string(key) + ' ';
    }
    return text;
}

void record_count(WalkFacts& facts, std::size_t count)
{
    facts.count_last = count;
    facts.count_first = facts.count_first.value_or(count);
    facts.count_least = std::min<std::uint64_t>(facts.count_least.value_or(count), count);
    facts.count_most = std::max<std::uint64_t>(facts.count_most.value_or(count), count);
}

void close(Walked& walked, MovingList& list, std::size_t size)
{
    auto& facts = walked.facts;
    list.move();
    record_count(facts, list.count());
    for (const auto key : list.page(0, size)) {
        facts.above_newest += key > *facts.newest_key ? 1 : 0;
        walked.seen.insert(key);
    }
}

Walked walk(MovingList& list, std::size_t size, Returning returning, Counting counting = Counting::counted)
{
    Walked walked{.facts = {}, .seen = {}, .began = list.now()};
    auto& facts = walked.facts;
    facts.newest_first = true;
    std::int64_t lowest = INT64_MAX;
    for (std::size_t number = 0;; ++number) {
        const auto page = list.page(number, size);
        if (counting == Counting::counted) {
            record_count(facts, list.count());
        }
        if (number > 0 && page.empty()) {
            facts.shrank = true;
            break;
        }
        if (number == 0 && !page.empty()) {
            facts.newest_key = *std::max_element(page.begin(), page.end());
        }
        ++facts.pages;
        for (const auto key : page) {
            const bool is_new = walked.seen.insert(key).second;
            facts.descending = facts.descending && (key < lowest || !is_new);
            facts.repeated += is_new ? 0 : 1;
            lowest = std::min(lowest, key);
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
    if (facts.pages > 1 && facts.is_ordered()) {
        close(walked, list, size);
    }
    facts.distinct_keys = walked.seen.size();
    facts.key_set = digest_of(walked.seen);
    return walked;
}

struct Tally {
    int proven = 0;
    int unsound = 0;
    std::string first;  // of these
};

void judge(Tally& tally, const Walked& walked, const MovingList& list, int since, unsigned seed)
{
    ++tally.proven;
    for (const auto key : list.there_since(since)) {
        if (walked.seen.count(key) == 0) {
            ++tally.unsound;
            tally.first += tally.first.empty() ? "seed " + std::to_string(seed) + ": key " + std::to_string(key) : "";
            return;
        }
    }
}

// Walks of which each may be proven by the one before: after a day, and at once behind one that proved nothing.
Tally walk_twice(Order order, Counting counting, Returning returning)
{
    Tally tally;
    for (unsigned seed = 0; seed < 20'000; ++seed) {
        MovingList list(seed, 3 + seed % 12, order, 1 + seed % 4);
        const auto size = 2 + seed % 3;
        auto before = walk(list, size, returning, counting);
        list.move();
        list.move();
        for (const bool repeats : {false, true}) {
            auto walked = walk(list, size, returning, counting);
            walked.facts.previous_key_set = before.facts.key_set;
            walked.facts.repeats = repeats;
            if (prove(walked.facts).kind == ProofKind::two_walks) {
                // Where nobody counts, in a list of whatever order, what came while the two went on may lack.
                const bool of_both = counting == Counting::uncounted && !walked.facts.is_newest_on_top();
                judge(tally, walked, list, of_both ? before.began : walked.began, seed);
            }
            before = std::move(walked);
        }
    }
    return tally;
}

Tally walk_once(Returning returning)
{
    Tally tally;
    for (unsigned seed = 0; seed < 20'000; ++seed) {
        MovingList list(seed, 3 + seed % 40);
        const auto walked = walk(list, 2 + seed % 7, returning);
        const auto proof = prove(walked.facts);
        if (proof.kind == ProofKind::newest_first || proof.kind == ProofKind::single_page) {
            judge(tally, walked, list, walked.began, seed);
        }
    }
    return tally;
}

}  // namespace

TEST_CASE("no walk that is called proven newest first misses a row that was there throughout")
{
    const auto tally = walk_once(Returning::never);
    INFO(tally.first);
    CHECK(tally.unsound == 0);
    // A proof that never succeeds would pass as well.
    CHECK(tally.proven > 1'000);
}

TEST_CASE("no walk that is called proven by the one before it misses a row that was there throughout")
{
    for (const auto order : {Order::newest_first, Order::ignored}) {
        for (const auto counting : {Counting::counted, Counting::uncounted}) {
            if (order == Order::newest_first && counting == Counting::counted) {
                continue;  // the closing look proves these
            }
            const auto tally = walk_twice(order, counting, Returning::never);
            INFO((order == Order::ignored ? "in no order, " : "newest first, ")
                 << (counting == Counting::counted ? "counted; " : "not counted; ") << tally.first);
            CHECK(tally.unsound == 0);
            CHECK(tally.proven > 1'000);
        }
    }
}

// What remains: nothing that a list shows tells of a row that was away while others were counted.
TEST_CASE("rows that come back after they went are all that deceives a proof, and they seldom do")
{
    auto tallies = std::vector{walk_once(Returning::between_pages)};
    for (const auto counting : {Counting::counted, Counting::uncounted}) {
        tallies.push_back(walk_twice(Order::ignored, counting, Returning::between_pages));
    }
    for (const auto& tally : tallies) {
        INFO(tally.unsound << " of " << tally.proven);
        CHECK(tally.unsound * 30 < tally.proven);
        CHECK(tally.proven > 1'000);
    }
}

TEST_CASE("a walk that met the keys of an older one is proven by it where nothing can have been passed over")
{
    WalkFacts facts;
    facts.pages = 3;
    facts.closed = true;
    facts.distinct_keys = 6;
    facts.key_set = facts.previous_key_set = "0123";
    SECTION("counted")
    {
        facts.count_first = facts.count_last = facts.count_least = facts.count_most = 6;
        CHECK(prove(facts).kind == ProofKind::two_walks);
        // Yesterday A to F; now A B | C D | Z E | F, and A goes behind page 2: page 3 is E F, and Z was passed over.
        facts.count_first = facts.count_most = 7;
        CHECK(prove(facts).kind == ProofKind::none);
        facts.repeats = true;
        CHECK(prove(facts).kind == ProofKind::none);
    }
    SECTION("not counted")
    {
        CHECK(prove(facts).kind == ProofKind::none);
        facts.repeats = true;
        CHECK(prove(facts).kind == ProofKind::two_walks);
        facts.repeated = 1;
        CHECK(prove(facts).kind == ProofKind::none);
    }
    SECTION("not counted, and what is new is on top")
    {
        facts.newest_first = true;
        facts.newest_key = 6;
        CHECK(prove(facts).kind == ProofKind::two_walks);
        facts.descending = false;
        CHECK(prove(facts).kind == ProofKind::none);
    }
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

TEST_CASE(
    "a chain whose cursors are keys needs its end and no count; any other one, two walks that met the same as it was")
{
    WalkFacts facts;
    facts.pages = 3;
    facts.is_chain = true;
    facts.distinct_keys = 30;
    CHECK(prove(facts).kind == ProofKind::none);
    facts.closed = true;
    CHECK(prove(facts).kind == ProofKind::chain);
    facts.by_key = false;
    CHECK(prove(facts).kind == ProofKind::none);
    facts.key_set = facts.previous_key_set = "0123";
    CHECK(prove(facts).kind == ProofKind::none);
    facts.newest_first = true;
    facts.newest_key = 30;
    CHECK(prove(facts).kind == ProofKind::none);  // by what it shows, not by what it is ordered by
    facts.repeats = true;
    CHECK(prove(facts).kind == ProofKind::two_walks);
    facts.fresh = 1;
    CHECK(prove(facts).kind == ProofKind::none);
    facts.fresh = 0;
    facts.repeated = 1;
    CHECK(prove(facts).kind == ProofKind::none);
    facts.repeated = 0;
    facts.entered = 1;
    CHECK(prove(facts).kind == ProofKind::none);
    facts.entered = 0;
    facts.previous_key_set = "";
    CHECK(prove(facts).kind == ProofKind::none);
}
