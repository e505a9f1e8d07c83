#include "mirror/pass.hpp"

#include "mirror/declare/former_file.hpp"
#include "mirror/deletions/row_deletions.hpp"
#include "mirror/details/details.hpp"
#include "mirror/file/schema.hpp"
#include "mirror/json/pieces.hpp"
#include "mirror/json/placing.hpp"
#include "mirror/lists/parents.hpp"
#include "mirror/pass_parts.hpp"
#include "mirror/records/departed_rows.hpp"
#include "mirror/records/row_state_sql.hpp"
#include "mirror/records/slices.hpp"
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
    auto parts = std::make_unique<Parts>(std::move(services), spec, std::move(*facts), std::move(start));
    passes.open(resource, parts->broken);
    return std::unique_ptr<Pass>(new Pass(std::move(parts)));
}

Pass::Pass(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}

Pass::~Pass()
{
    abandon();
}

Result<PageFacts> Pass::add_page(std::string_view results, Commit commit, std::span<const std::string_view> items)
{
    Parts& parts = *parts_;
    if (parts.broken) {
        return *parts.broken;
    }
    auto added =
        results.size() > max_whole ? parts.add_large(results, commit) : parts.add_whole(results, items, commit);
    PageReader::release_large();
    return added;
}

bool Pass::is_key_at_fault() const
{
    return parts_->intake.is_key_at_fault() || parts_->key_is_repeated;
}

Result<std::string> Pass::without_excluded(std::string_view results) const
{
    return parts_->intake.without_excluded(results);
}

Result<bool> Pass::may_take_others() const
{
    const auto& slice = parts_->start.slice;
    if (slice && !slice->is_list_by_parent()) {
        if (parts_->facts.candidates == 0) {
            return false;
        }
        SHELFD_TRY_ASSIGN(departed, newest_departure(parts_->database, parts_->facts.name));
        return departed > 0;
    }
    SHELFD_TRY_ASSIGN(former, find_former(parts_->database, parts_->facts, parts_->start, parts_->changes));
    return former.has_value();
}

Result<std::vector<MissingRow>> Pass::missing(std::size_t most, const std::vector<std::string>& address_members)
{
    SHELFD_TRY_ASSIGN(any, parts_->define_missing());
    if (!any) {
        return std::vector<MissingRow>();
    }
    return missing_rows(parts_->database, parts_->facts, within(parts_->start.slice), most, address_members,
                        parts_->start.started.seconds());
}

Result<bool> Pass::lacks_rows()
{
    SHELFD_TRY_ASSIGN(any, parts_->define_missing());
    if (!any) {
        return false;
    }
    SHELFD_TRY_ASSIGN(found,
                      one_number(parts_->database,
                                 fmt::format("SELECT EXISTS (SELECT 1 FROM {} WHERE NOT _seen(ord) AND missed >= 0{})",
                                             states_of(parts_->facts), within(parts_->start.slice))));
    return found > 0;
}

void Pass::add_evidence(const MissingRow& row, Witness witness)
{
    const auto key = read_key(row.key);
    auto& testimony = parts_->testimony;
    if (!key || witness == Witness::none) {
        testimony.any_unclear = testimony.any_unclear || row.standing == MissingRow::Standing::held;
    } else if (witness == Witness::gone) {
        testimony.gone.push_back(*key);
        testimony.held_denied = testimony.held_denied || row.standing == MissingRow::Standing::held;
    } else if (row.standing == MissingRow::Standing::missing) {
        testimony.there.push_back(*key);
    } else {
        // It was known that this row is hidden; that shows nothing about rows that are newly missing.
        testimony.held_there = testimony.held_there || row.standing == MissingRow::Standing::held;
    }
}

Result<ValueLoss> Pass::value_loss()
{
    return parts_->value_loss();
}

Result<void> Pass::keep_members()
{
    return parts_->keep_members();
}

std::optional<std::int64_t> Pass::place_of(std::string_view item) const
{
    return parts_->start.slice ? mirror::place_of(item, *parts_->start.slice) : std::nullopt;
}

void Pass::testify_moved(const MissingRow& row, std::int64_t place)
{
    if (const auto key = read_key(row.key)) {
        parts_->testimony.moved.push_back({*key, place});
    }
}

std::uint64_t Pass::distinct_keys() const
{
    return parts_->seen.count();
}

Result<PublishOutcome> Pass::publish(const Proof& proof, const DateWatch* dates)
{
    if (parts_->broken) {
        return *parts_->broken;
    }
    if (parts_->over) {
        return Error(ErrorKind::usage, "this pass has ended");
    }
    return parts_->publish(proof, nullptr, dates);
}

Result<void> Pass::publish_details(DetailBatch& batch, DetailOutcome& outcome)
{
    SHELFD_TRY_ASSIGN(published, parts_->publish(Proof{.whole = false}, &batch, nullptr));
    outcome.added = published.added;
    outcome.changed = published.changed;
    outcome.unchanged = published.unchanged;
    outcome.removed = published.deleted;
    return {};
}

void Pass::abandon()
{
    if (parts_->over) {
        return;
    }
    const bool left = parts_->staging && parts_->staging->begun();
    parts_->staging.reset();
    parts_->known.reset();
    if (left) {
        // If this fails, the next pass over the resource does it.
        (void)drop_staging(parts_->database, parts_->facts.name);
    }
    parts_->end();
}

}  // namespace shelfd::mirror
