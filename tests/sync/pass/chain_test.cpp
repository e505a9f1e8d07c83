#include "sync/pass/pass_machine.hpp"
#include "sync/service/cursor_key.hpp"

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

enum class OrderedBy { time_of_making, time_of_change_newest_first, time_of_change_oldest_first, key };

// Rows with few different times, walked by cursors as Django REST framework makes them, while they come, change and go.
class TiedList {
public:
    struct Row {
        std::int64_t key = 0;
        std::int64_t time = 0;  // that the list is ordered by
        int version = 0;
        int touched = 0;  // when it came or changed last
    };
    struct Cursor {
        std::optional<std::int64_t> position = {};
        std::size_t offset = 0;
    };
    struct Page {
        std::vector<Row> rows;
        std::optional<Cursor> next;
    };

    TiedList(unsigned seed, std::int64_t rows, OrderedBy order, unsigned calm)
        : random_(seed), order_(order), calm_(calm)
    {
        while (next_key_ <= rows) {
            insert();
        }
    }

    Page page(const Cursor& cursor, std::size_t size) const
    {
        const auto rows = ordered();
        auto begin = cursor.position ? std::find_if(rows.begin(), rows.end(),
                                                    [&](const Row& row) { return is_behind(row, *cursor.position); })
                                     : rows.begin();
        begin += std::min<std::ptrdiff_t>(static_cast<std::ptrdiff_t>(cursor.offset), rows.end() - begin);
        const auto end = begin + std::min<std::ptrdiff_t>(static_cast<std::ptrdiff_t>(size), rows.end() - begin);
        Page page{{begin, end}, {}};
        if (end != rows.end()) {
            page.next = behind(page.rows, end->time, cursor, size);
        }
        return page;
    }

    void move()
    {
        if (random_() % calm_ != 0) {
            return;
        }
        while (random_() % 4 == 0) {
            insert();
        }
        while (random_() % 3 == 0 && !rows_.empty()) {
            rows_.erase(any());
        }
        while (random_() % 3 == 0 && !rows_.empty()) {
            auto& row = any()->second;
            ++row.version;
            row.touched = now_++;
            const bool moves =
                order_ == OrderedBy::time_of_change_newest_first || order_ == OrderedBy::time_of_change_oldest_first;
            row.time = moves ? time() : row.time;
        }
    }

    int now() const { return now_; }
    // There since then, and the same all the time.
    std::set<std::int64_t> constant_since(int then) const
    {
        std::set<std::int64_t> keys;
        for (const auto& [key, row] : rows_) {
            if (row.touched < then) {
                keys.insert(key);
            }
        }
        return keys;
    }
    bool by_key() const { return order_ == OrderedBy::key; }

private:
    using Rows = std::map<std::int64_t, Row>;

    bool falls() const { return order_ != OrderedBy::time_of_change_oldest_first; }
    bool is_behind(const Row& row, std::int64_t position) const
    {
        return falls() ? row.time < position : row.time > position;
    }
    std::int64_t time() const { return now_ / 6; }
    Rows::iterator any() { return std::next(rows_.begin(), static_cast<std::ptrdiff_t>(random_() % rows_.size())); }
    void insert()
    {
        const auto key = next_key_++;
        rows_[key] = {key, by_key() ? key : time(), 0, now_++};
    }
    std::vector<Row> ordered() const
    {
        std::vector<Row> rows;
        for (const auto& [key, row] : rows_) {
            rows.push_back(row);
        }
        std::stable_sort(rows.begin(), rows.end(), [this](const Row& a, const Row& b) { return is_behind(b, a.time); });
        return rows;
    }
    static Cursor behind(const std::vector<Row>& page, std::int64_t following, const Cursor& cursor, std::size_t size)
    {
        std::size_t offset = 0;
        for (auto row = page.rbegin(); row != page.rend(); ++row, ++offset) {
            if (row->time != following) {
                return {row->time, offset};
            }
        }
        return cursor.position || cursor.offset > 0 ? Cursor{cursor.position, cursor.offset + size} : Cursor{{}, size};
    }

    std::mt19937 random_;
    OrderedBy order_;
    unsigned calm_;
    Rows rows_;
    std::int64_t next_key_ = 1;
    int now_ = 0;
};

struct Walked {
    Proof proof;
    std::set<std::int64_t> seen;
    std::string key_set;  // "" where rows were met twice
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

// `table` is what earlier walks have brought, and gets what this one brings.
Walked walk(TiedList& list, std::size_t size, const Walked& before, bool repeats, std::map<std::int64_t, int>& table)
{
    Walked walked{.proof = {}, .seen = {}, .key_set = {}, .began = list.now()};
    PassMachine::Settings settings;
    settings.first_query = "first";
    settings.previous_key_set = before.key_set;
    settings.repeats = repeats;
    settings.advance.max_idle_pages = 1000;
    PassMachine machine(settings);
    machine.resume(PassEvent::begin, 0);
    TiedList::Cursor cursor;
    auto brought = table;
    for (int number = 1;; ++number) {
        const auto page = list.page(cursor, size);
        PageSeen seen;
        seen.is_chain = true;
        seen.items = page.rows.size();
        for (const auto& row : page.rows) {
            seen.new_keys += walked.seen.insert(row.key).second ? 1U : 0U;
            seen.highest_key = std::max(seen.highest_key.value_or(row.key), row.key);
            seen.lowest_key = std::min(seen.lowest_key.value_or(row.key), row.key);
            const auto known = table.find(row.key);
            seen.fresh += known == table.end() || known->second != row.version ? 1U : 0U;
            brought[row.key] = row.version;
        }
        seen.key_set = digest_of(walked.seen);
        if (page.next) {
            seen.next_query = std::to_string(number);
            // What a reader can see of it.
            seen.cursor_key = page.next->offset == 0 ? page.next->position : std::nullopt;
        }
        if (machine.page_arrived(seen) != PassAction::fetch_page) {
            break;
        }
        cursor = *page.next;
        list.move();
    }
    table = std::move(brought);
    walked.proof = machine.proof();
    walked.key_set = machine.walk().repeated == 0 ? digest_of(walked.seen) : "";
    return walked;
}

struct Tally {
    int proven = 0;
    int unsound = 0;
    std::string first;  // of these
};

Tally walk_chains(OrderedBy order)
{
    Tally tally;
    for (unsigned seed = 0; seed < 20'000; ++seed) {
        TiedList list(seed, 4 + seed % 13, order, 1 + seed % 7);
        const auto size = 2 + seed % 3;
        std::map<std::int64_t, int> table;
        auto before = walk(list, size, {}, false, table);
        for (int again = 0; again < 3; ++again) {
            auto walked = walk(list, size, before, true, table);
            const auto kind = walked.proof.kind;
            if (kind == ProofKind::chain || kind == ProofKind::two_walks) {
                ++tally.proven;
                const auto missed = list.constant_since(kind == ProofKind::chain ? walked.began : before.began);
                const auto lacks = [&](std::int64_t key) { return !walked.seen.contains(key); };
                if (std::any_of(missed.begin(), missed.end(), lacks)) {
                    tally.first = tally.unsound++ == 0 ? "seed " + std::to_string(seed) : tally.first;
                }
            }
            before = std::move(walked);
        }
    }
    return tally;
}

}  // namespace

TEST_CASE("no cursor list that is called proven lacks a row that was there unchanged, whatever ties, moves and goes")
{
    struct Kind {
        const char* name;
        OrderedBy order;
    };
    const auto kind = GENERATE(values<Kind>({
        {"by the time of making, with ties", OrderedBy::time_of_making},
        {"by the time of the last change, newest first", OrderedBy::time_of_change_newest_first},
        {"by the time of the last change, oldest first", OrderedBy::time_of_change_oldest_first},
        {"by key", OrderedBy::key},
    }));
    SECTION(kind.name)
    {
        const auto tally = walk_chains(kind.order);
        INFO(tally.first);
        CHECK(tally.unsound == 0);
        CHECK(tally.proven > 1'000);
    }
}

TEST_CASE("a cursor is read as a key where it is that and nothing more")
{
    CHECK(cursor_key("cursor=cD00Mg%3D%3D&page_size=2") == 42);  // p=42
    CHECK(cursor_key("page_size=2&cursor=cD0tNw%3D%3D") == -7);  // p=-7
    CHECK_FALSE(cursor_key("cursor=bz00JnA9NDI%3D"));            // o=4&p=42
    CHECK_FALSE(cursor_key("cursor=cj0xJnA9NDI%3D"));            // r=1&p=42
    CHECK_FALSE(
        cursor_key("cursor=cD0yMDI0LTAxLTAxKzEwJTNBMDAlM0EwMCUyQjAwJTNBMDA%3D"));  // p=2024-01-01 10:00:00+00:00
    CHECK_FALSE(cursor_key("cursor=cD00Mg"));                                      // without padding
    CHECK_FALSE(cursor_key("cursor=cD00M%3D%3D%3D"));                              // with too much of it
    CHECK_FALSE(cursor_key("cursor=cD00Mh%3D%3D"));                                // bits left over
    CHECK_FALSE(cursor_key("cursor=cD00Mg%3D%3D&after=cD00Mg%3D%3D"));
    CHECK_FALSE(cursor_key("cursor=opaque&page_size=100"));
    CHECK_FALSE(cursor_key(""));
}

TEST_CASE("a chain goes by keys while each cursor is the last key of its page, and no page has keys of another one")
{
    struct Row {
        const char* name;
        std::vector<std::pair<std::int64_t, std::int64_t>> pages;  // lowest and highest key
        std::vector<std::optional<std::int64_t>> cursors;          // of all but the last
        ProofKind proof;
    };
    const auto row = GENERATE(values<Row>({
        {"falling", {{8, 9}, {6, 7}, {4, 5}}, {8, 6}, ProofKind::chain},
        {"rising", {{1, 2}, {3, 4}, {5, 6}}, {2, 4}, ProofKind::chain},
        {"one opaque cursor", {{8, 9}, {6, 7}, {4, 5}}, {8, std::nullopt}, ProofKind::none},
        {"another number than the key", {{8, 9}, {6, 7}, {4, 5}}, {8, 7}, ProofKind::none},
        {"a key from above the cursor", {{8, 9}, {6, 9}, {4, 5}}, {8, 6}, ProofKind::none},
        {"the last page has one", {{8, 9}, {6, 7}, {4, 6}}, {8, 6}, ProofKind::none},
        {"turning", {{8, 9}, {10, 11}, {4, 5}}, {8, 11}, ProofKind::none},
    }));
    SECTION(row.name)
    {
        PassMachine::Settings settings;
        settings.first_query = "first";
        PassMachine machine(settings);
        machine.resume(PassEvent::begin, 0);
        for (std::size_t i = 0; i < row.pages.size(); ++i) {
            PageSeen page;
            page.is_chain = true;
            page.items = page.new_keys = 2;
            page.lowest_key = row.pages[i].first;
            page.highest_key = row.pages[i].second;
            if (i < row.cursors.size()) {
                page.next_query = std::to_string(i);
                page.cursor_key = row.cursors[i];
            }
            machine.page_arrived(page);
        }
        CHECK(machine.proof().kind == row.proof);
    }
}
