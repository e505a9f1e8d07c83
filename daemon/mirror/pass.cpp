#include "mirror/pass.hpp"

#include "mirror/declare/former_file.hpp"
#include "mirror/deletions/row_deletions.hpp"
#include "mirror/details/details.hpp"
#include "mirror/file/schema.hpp"
#include "mirror/json/pieces.hpp"
#include "mirror/json/placing.hpp"
#include "mirror/lists/parents.hpp"
#include "mirror/pass_walk.hpp"
#include "mirror/records/departed_rows.hpp"
#include "mirror/records/row_state_sql.hpp"
#include "mirror/records/slices.hpp"
#include "mirror/records/taken_rows.hpp"
#include "mirror/staging/tables.hpp"
#include "mirror/values/names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace shelfd::mirror {
namespace {

// Drops what a pass left that was ended by a crash.
Result<void> drop_left_over(storage::Database& database, const std::string& resource)
{
    SHELFD_TRY_ASSIGN(there, has_table(database, seen_name(resource)));
    return there ? drop_staging(database, resource) : Result<void>();
}

Result<void> require_table(storage::Database& database, const std::string& table)
{
    SHELFD_TRY_ASSIGN(there, has_table(database, table));
    return there ? Result<void>() : Error(ErrorKind::corrupt, fmt::format("{} was removed from it", table));
}

// Sets the place of the slice of a list by parent.
Result<void> place_list(storage::Database& database, const std::string& resource, PassStart& start)
{
    if (!start.slice || !start.slice->is_list_by_parent()) {
        return {};
    }
    auto& slice = *start.slice;
    SHELFD_TRY_ASSIGN(number, number_of(database, resource, slice.name));
    slice.first = number;
    slice.past = number + 1;
    if (start.asks_changes) {
        SHELFD_TRY_ASSIGN(whole, was_whole(database, resource, slice));
        if (!whole) {
            return Error(ErrorKind::storage,
                         fmt::format("{} has no rows of the list of {}: only a walk over all of it can fill it",
                                     resource, slice.name));
        }
    }
    return {};
}

}  // namespace

Result<std::unique_ptr<Pass>> Pass::begin(PassServices services, const ResourceSpec& spec, PassStart start)
{
    const auto& resource = spec.name;
    auto& database = services.database;
    auto& passes = services.passes;
    if (passes.contains(resource)) {
        return Error(ErrorKind::usage, fmt::format("a pass over {} is running", resource));
    }
    SHELFD_TRY_ASSIGN(facts, load_facts(database, resource));
    if (!facts) {
        return Error(ErrorKind::usage, fmt::format("{} is not a resource of this mirror", resource));
    }
    if (start.slice.has_value() == facts->axis.empty()) {
        return Error(ErrorKind::usage,
                     fmt::format("{} is {}", resource, start.slice ? "not walked in slices" : "walked in slices"));
    }
    if (!start.slice && start.asks_changes && !facts->published) {
        return Error(ErrorKind::storage, fmt::format("{} is empty: only a full pass can fill it", resource));
    }
    SHELFD_TRY(require_table(database, resource));
    SHELFD_TRY(drop_left_over(database, resource));
    SHELFD_TRY(place_list(database, resource, start));
    const auto now = services.options.clock.now();
    SHELFD_TRY_ASSIGN(compares, is_comparison_due(database, *facts, start, now));
    auto walk = std::make_unique<Walk>(std::move(services), spec, std::move(*facts), std::move(start));
    walk->totals.compared_at = compares ? std::optional(now) : std::nullopt;
    if (compares && walk->facts.rows > 0) {
        SHELFD_TRY_ASSIGN(comparison, RowComparison::open(database, walk->facts, walk->changes, walk->start.run_id));
        walk->comparison = std::move(comparison);
    }
    passes.open(resource, walk->broken);
    return std::unique_ptr<Pass>(new Pass(std::move(walk)));
}

Pass::Pass(std::unique_ptr<Walk> walk) : walk_(std::move(walk)) {}

Pass::~Pass()
{
    abandon();
}

Result<PageFacts> Pass::add_page(std::string_view results, Commit commit, std::span<const std::string_view> items)
{
    Walk& walk = *walk_;
    if (walk.broken) {
        return *walk.broken;
    }
    auto added = results.size() > max_whole ? walk.add_large(results, commit) : walk.add_whole(results, items, commit);
    PageReader::release_large();
    walk.mirror.page_added();
    return added;
}

bool Pass::is_key_at_fault() const
{
    return walk_->intake.is_key_at_fault() || walk_->key_is_repeated;
}

Result<std::string> Pass::without_excluded(std::string_view results) const
{
    return walk_->intake.without_excluded(results);
}

Result<bool> Pass::may_take_others() const
{
    const auto& slice = walk_->start.slice;
    if (slice && !slice->is_list_by_parent()) {
        if (walk_->facts.candidates == 0) {
            return false;
        }
        SHELFD_TRY_ASSIGN(departed, newest_departure(walk_->database, walk_->facts.name));
        return departed > 0;
    }
    SHELFD_TRY_ASSIGN(former, find_former(walk_->database, walk_->facts, walk_->start, walk_->changes));
    return former.has_value();
}

Result<std::vector<MissingRow>> Pass::missing(std::size_t most, const std::vector<std::string>& address_members)
{
    SHELFD_TRY_ASSIGN(any, walk_->define_missing());
    if (!any) {
        return std::vector<MissingRow>();
    }
    return missing_rows(walk_->database, walk_->facts, within(walk_->start.slice), most, address_members,
                        walk_->start.started.seconds());
}

Result<bool> Pass::lacks_rows()
{
    SHELFD_TRY_ASSIGN(any, walk_->define_missing());
    if (!any) {
        return false;
    }
    SHELFD_TRY_ASSIGN(found,
                      one_number(walk_->database,
                                 fmt::format("SELECT EXISTS (SELECT 1 FROM {} WHERE NOT _seen(ord) AND missed >= 0{})",
                                             states_of(walk_->facts), within(walk_->start.slice))));
    return found > 0;
}

void Pass::add_evidence(const MissingRow& row, Witness witness)
{
    const auto key = read_key(row.key);
    auto& evidence = walk_->evidence;
    if (!key || witness == Witness::none) {
        evidence.any_unclear = evidence.any_unclear || row.standing == MissingRow::Standing::held;
    } else if (witness == Witness::gone) {
        evidence.gone.push_back(*key);
        evidence.held_denied = evidence.held_denied || row.standing == MissingRow::Standing::held;
    } else if (row.standing == MissingRow::Standing::missing) {
        evidence.there.push_back(*key);
    } else {
        // It was known that this row is hidden; that shows nothing about rows that are newly missing.
        evidence.held_there = evidence.held_there || row.standing == MissingRow::Standing::held;
    }
}

Result<TakenRows> Pass::taken_rows() const
{
    const auto& walk = *walk_;
    TakenRows taken{walk.taken_places.size(), walk.seen.count()};
    // Rows may always enter a window that is not over: of a ledger by the date of the last change, all of them do.
    const bool is_over = walk.start.slice->past <= walk.start.as_of.seconds();
    if (taken.rows > 0 && is_over) {
        SHELFD_TRY_ASSIGN(slices, load_slices(walk.database, walk.facts.name));
        taken.are_many = takes_many(walk.taken_places, taken.of, *walk.start.slice, slices);
    }
    return taken;
}

Result<ValueLoss> Pass::value_loss()
{
    return walk_->value_loss();
}

Result<void> Pass::keep_members()
{
    return walk_->keep_members();
}

std::optional<std::int64_t> Pass::place_of(std::string_view item) const
{
    return walk_->start.slice ? mirror::place_of(item, *walk_->start.slice) : std::nullopt;
}

void Pass::testify_moved(const MissingRow& row, std::int64_t place)
{
    if (const auto key = read_key(row.key)) {
        walk_->evidence.moved.push_back({*key, place});
    }
}

std::uint64_t Pass::distinct_keys() const
{
    return walk_->seen.count();
}

Result<PublishOutcome> Pass::publish(const Proof& proof, const DateWatch* dates)
{
    if (walk_->broken) {
        return *walk_->broken;
    }
    if (walk_->over) {
        return Error(ErrorKind::usage, "this pass has ended");
    }
    return walk_->publish(proof, nullptr, dates);
}

Result<void> Pass::publish_details(DetailBatch& batch, DetailOutcome& outcome)
{
    SHELFD_TRY_ASSIGN(published, walk_->publish(Proof{.whole = false}, &batch, nullptr));
    outcome.added = published.added;
    outcome.changed = published.changed;
    outcome.unchanged = published.unchanged;
    outcome.removed = published.deleted;
    return {};
}

void Pass::abandon()
{
    if (walk_->over) {
        return;
    }
    const bool left = walk_->staging && walk_->staging->begun();
    walk_->staging.reset();
    walk_->known.reset();
    if (left) {
        // If this fails, the next pass over the resource does it.
        (void)drop_staging(walk_->database, walk_->facts.name);
    }
    walk_->end();
}

}  // namespace shelfd::mirror
