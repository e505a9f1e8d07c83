#include "mirror/publish/row_comparison.hpp"

#include "mirror/details/details.hpp"
#include "mirror/file/schema.hpp"
#include "mirror/json/comparison.hpp"
#include "mirror/json/instants.hpp"
#include "storage/query.hpp"

#include <fmt/format.h>

#include <utility>

namespace shelfd::mirror {
namespace {

constexpr Duration compare_again_after = std::chrono::hours(24 * 7);
constexpr std::string_view doubted_key = "rows_doubted_at";

// As JSON, instants as times: what a change of a column's kind leaves of an item.
bool are_equal_items(const std::vector<ItemMember>& stored, std::string_view item)
{
    const auto text = to_json(stored);
    const auto lacks = compare_items(item, text);
    const auto adds = compare_items(text, item);
    return lacks && adds && lacks->empty() && adds->empty();
}

}  // namespace

RowComparison::RowComparison(storage::Database& database, const ResourceFacts& facts, Columns columns, KeySets shapes)
    : database_(database), facts_(facts), columns_(std::move(columns)), shapes_(std::move(shapes)),
      layouts_(columns_, shapes_), reader_(database, facts.name, columns_), writer_(database, facts.name, columns_)
{
}

Result<std::unique_ptr<RowComparison>> RowComparison::open(storage::Database& database, const ResourceFacts& facts,
                                                           ChangeDetail changes, const std::string& run_id)
{
    SHELFD_TRY_ASSIGN(columns, Columns::load(database, facts.name, facts.key));
    SHELFD_TRY_ASSIGN(shapes, KeySets::load(database, facts.name));
    std::unique_ptr<RowComparison> made(new RowComparison(database, facts, std::move(columns), std::move(shapes)));
    made->changes_ = facts.published ? changes : ChangeDetail::none;
    made->run_id_ = run_id;
    return made;
}

Result<void> RowComparison::compare(const Page& page, Instant now)
{
    layouts_.forget_many();
    // In the order of the key, which is the order of the table.
    for (const std::uint32_t place : page.sorted) {
        const PageItem& item = page.items[place];
        if (item.staged || !item.known || item.known->hash != item.hash || !take(item)) {
            continue;
        }
        taken_.push_back(place);
        if (writer_.rows().is_full()) {
            SHELFD_TRY(compare_taken(page, now));
        }
    }
    SHELFD_TRY(compare_taken(page, now));
    // The next page may be a minute away.
    writer_.rows().release();
    members_ = std::vector<Member>();
    return {};
}

// False if no row was ever made of it.
bool RowComparison::take(const PageItem& item)
{
    members_.clear();
    const bool is_item = parse_members(item.text, members_) == nullptr;
    if (is_item) {
        writer_.take(item, members_, layouts_.of(members_));
    }
    return is_item;
}

Result<void> RowComparison::compare_taken(const Page& page, Instant now)
{
    std::vector<Damaged> damaged;
    const auto look = [&](std::size_t row, const storage::Statement& stored) -> Result<void> {
        const auto item = taken_[row];
        if (stored.is_null(1)) {
            damaged.push_back({item, std::nullopt});
            return {};
        }
        const bool means_same = writer_.means_stored(row, stored);  // first: reading a blob as a text makes it one
        auto members = reader_.members(stored, 1);
        if (means_same && members && are_equal_items(*members, page.items[item].text)) {
            return {};
        }
        damaged.push_back({item, members ? std::move(*members) : std::vector<ItemMember>()});
        return {};
    };
    auto compared = writer_.each_differing(look);
    taken_.clear();
    writer_.rows().clear();
    SHELFD_TRY(std::move(compared));
    return damaged.empty() ? Result<void>() : put_right(page, damaged, now);
}

Result<void> RowComparison::put_right(const Page& page, const std::vector<Damaged>& damaged, Instant now)
{
    if (!shapes_.fresh().empty()) {
        return Error(ErrorKind::corrupt, fmt::format("_shapes lacks a set of keys that rows of {} have", facts_.name));
    }
    for (const auto& one : damaged) {
        take(page.items[one.item]);
    }
    SHELFD_TRY_ASSIGN(transaction, storage::Transaction::begin(database_));
    auto written = writer_.write();
    writer_.rows().clear();
    SHELFD_TRY(std::move(written));
    SHELFD_TRY(restore_fetched_at(database_, facts_));
    SHELFD_TRY_ASSIGN(columns, Columns::load(database_, facts_.name, facts_.key));
    SHELFD_TRY_ASSIGN(finder, RowFinder::open(database_, facts_.name, facts_.name, columns));
    ChangeFeed feed(database_, facts_, changes_, run_id_, now.to_text());
    for (const auto& one : damaged) {
        const auto& key = page.items[one.item].key;
        SHELFD_TRY_ASSIGN(after, finder.find(key));
        SHELFD_TRY(feed.put_right(key, one.before, after ? std::move(*after) : std::vector<ItemMember>()));
    }
    SHELFD_TRY(transaction.commit());
    if (put_right_ == 0) {
        first_key_ = page.items[damaged.front().item].key.to_json();
    }
    put_right_ += damaged.size();
    return {};
}

Result<bool> is_comparison_due(storage::Database& database, const ResourceFacts& facts, const PassStart& start,
                               Instant now)
{
    if (start.asks_changes || !facts.detail_of.empty()) {
        return !start.asks_changes;
    }
    auto at = facts.compared_at;
    if (start.slice) {
        SHELFD_TRY_ASSIGN(found, storage::read_texts(database, R"sql(
            SELECT compared_at FROM _slices WHERE resource = ? AND first = ? AND past = ? AND compared_at IS NOT NULL
        )sql",
                                                     facts.name, start.slice->first, start.slice->past));
        at = found.empty() ? std::nullopt : Instant::from_rfc3339(found.front());
    }
    if (!at || *at > now || now - *at >= compare_again_after) {
        return true;
    }
    SHELFD_TRY_ASSIGN(doubted, read_meta(database, doubted_key));
    const auto since = doubted ? Instant::from_rfc3339(*doubted) : std::nullopt;
    return since && *at < *since;
}

Result<void> doubt_rows(storage::Database& database, Instant now)
{
    return write_meta(database, doubted_key, now.to_text());
}

}  // namespace shelfd::mirror
