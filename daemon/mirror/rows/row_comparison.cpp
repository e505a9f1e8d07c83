#include "mirror/rows/row_comparison.hpp"

#include "mirror/json/instants.hpp"
#include "mirror/records/row_state_sql.hpp"
#include "mirror/values/names.hpp"
#include "storage/query.hpp"

#include <fmt/format.h>

namespace shelfd::mirror {
namespace {

constexpr Duration compare_again_after = std::chrono::hours(24 * 7);

}  // namespace

RowComparison::RowComparison(storage::Database& database, const ResourceFacts& facts, Columns columns, KeySets shapes)
    : database_(database), facts_(facts), columns_(std::move(columns)), shapes_(std::move(shapes)),
      layouts_(columns_, shapes_), writer_(database, facts.name, columns_)
{
}

Result<std::unique_ptr<RowComparison>> RowComparison::open(storage::Database& database, const ResourceFacts& facts)
{
    SHELFD_TRY_ASSIGN(columns, Columns::load(database, facts.name, facts.key));
    SHELFD_TRY_ASSIGN(shapes, KeySets::load(database, facts.name));
    return std::unique_ptr<RowComparison>(new RowComparison(database, facts, std::move(columns), std::move(shapes)));
}

Result<void> RowComparison::compare(Page& page)
{
    layouts_.forget_many();
    // In the order of the key, which is the order of the table.
    for (const std::uint32_t place : page.sorted) {
        const PageItem& item = page.items[place];
        if (item.staged || !item.known || item.known->hash != item.hash) {
            continue;
        }
        members_.clear();
        if (parse_members(item.text, members_) != nullptr) {
            continue;  // no row was ever made of it
        }
        writer_.take(item, members_, layouts_.of(members_));
        taken_.push_back(place);
        if (writer_.rows().is_full()) {
            SHELFD_TRY(compare_taken(page));
        }
    }
    SHELFD_TRY(compare_taken(page));
    // The next page may be a minute away.
    writer_.rows().release();
    members_ = std::vector<Member>();
    return {};
}

Result<void> RowComparison::compare_taken(Page& page)
{
    auto found = writer_.differing();
    if (found && !found->empty()) {
        SHELFD_TRY_ASSIGN(transaction, storage::Transaction::begin(database_));
        for (const auto row : *found) {
            SHELFD_TRY(forget_hash(page.items[taken_[row]]));
        }
        SHELFD_TRY(transaction.commit());
    }
    taken_.clear();
    writer_.rows().clear();
    return found ? Result<void>() : std::move(found).error();
}

Result<void> RowComparison::forget_hash(PageItem& item)
{
    if (!forget_) {
        SHELFD_TRY_ASSIGN(made, database_.prepare(fmt::format("UPDATE {} SET hash = zeroblob({}) WHERE {}",
                                                              states_of(facts_), sizeof(ContentHash), key_is(facts_))));
        forget_.emplace(std::move(made));
    }
    item.key.bind(*forget_, 1);
    SHELFD_TRY(forget_->run());
    item.known->hash = ContentHash();
    if (differing_++ == 0) {
        first_key_ = item.key.to_json();
    }
    return {};
}

Result<bool> is_comparison_due(storage::Database& database, const ResourceFacts& facts, const PassStart& start)
{
    if (start.asks_changes) {
        return false;
    }
    auto at = facts.compared_at;
    if (start.slice) {
        SHELFD_TRY_ASSIGN(found, storage::read_texts(database, R"sql(
            SELECT compared_at FROM _slices WHERE resource = ? AND first = ? AND past = ? AND compared_at IS NOT NULL
        )sql",
                                                     facts.name, start.slice->first, start.slice->past));
        at = found.empty() ? std::nullopt : Instant::from_rfc3339(found.front());
    }
    return !facts.detail_of.empty() || !at || *at > start.started || start.started - *at >= compare_again_after;
}

Result<void> forget_comparisons(storage::Database& database)
{
    SHELFD_TRY_ASSIGN(transaction, storage::Transaction::begin(database));
    SHELFD_TRY(database.execute("UPDATE _resources SET compared_at = NULL; UPDATE _slices SET compared_at = NULL"));
    return transaction.commit();
}

}  // namespace shelfd::mirror
