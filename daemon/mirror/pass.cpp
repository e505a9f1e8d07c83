#include "mirror/pass.hpp"

#include "mirror/declare/former_file.hpp"
#include "mirror/deletions/row_deletions.hpp"
#include "mirror/details/details.hpp"
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
Pass::Parts::Parts(storage::Database& db, const MirrorOptions& mirror, ResourceFacts known_facts, PassStart pass_start)
    : database(db), options(mirror), facts(std::move(known_facts)), start(std::move(pass_start)),
      reader(facts.name, facts.key, start.slice ? &*start.slice : nullptr)
{
    make_known();
}

void Pass::Parts::make_known()
{
    if (facts.rows > 0) {
        known.emplace(database, state_name(facts.name), facts.state_shape());
    }
}

Result<void> Pass::Parts::look_up(Page& page)
{
    if (known) {
        SHELFD_TRY(known->look_up(page, &PageItem::known));
        SHELFD_TRY(find_newest_known(page));
    }
    return staging ? staging->look_up(page) : Result<void>();
}

Result<void> Pass::Parts::find_newest_known(const Page& page)
{
    const auto is_new = [](const PageItem& item) { return !item.known; };
    if (newest_is_found || std::none_of(page.items.begin(), page.items.end(), is_new)) {
        return {};
    }
    newest_is_found = true;
    const std::size_t part = start.slice && start.slice->is_list_by_parent() ? 2 : 1;
    if (facts.key.size() != part) {
        return {};  // such keys have no order, see order_of
    }
    SHELFD_TRY_ASSIGN(newest, known->highest(part, "true" + within(start.slice)));
    newest_known = newest;
    return {};
}

bool Pass::Parts::has_moved(const PageItem& item) const
{
    return item.known && start.slice && !start.slice->expects(item.known->place, item.place);
}

// It came to where it is from elsewhere than the front of the list, perhaps while the walk went on.
bool Pass::Parts::has_entered(const PageItem& item) const
{
    if (item.known) {
        return item.known->missed || has_moved(item);
    }
    const auto order = order_of(item.key);
    return order && newest_known && *order < *newest_known;
}

Result<void> Pass::Parts::stage(Page& page, Commit commit)
{
    const auto changed = [](const PageItem& item) { return item.is_new_or_changed(); };
    if (std::none_of(page.items.begin(), page.items.end(), changed)) {
        return staging && commit == Commit::now ? staging->flush() : Result<void>();
    }
    if (!staging) {
        SHELFD_TRY_ASSIGN(opened, Staging::open(database, facts, start));
        staging = std::move(opened);
    }
    SHELFD_TRY(staging->take(page));
    SHELFD_TRY(staging->write(page, commit));
    if (staging->rebuilds() != rebuilds) {
        rebuilds = staging->rebuilds();
        make_known();
    }
    return {};
}

// In a list by parent the parent's key is the same in every row.
std::optional<std::int64_t> Pass::Parts::order_of(const ItemKey& key) const
{
    const std::size_t place = start.slice && start.slice->is_list_by_parent() ? 1 : 0;
    const bool counts = key.size() == place + 1 && !key[place].is_text;
    return counts ? std::optional(key[place].integer) : std::nullopt;
}

void Pass::Parts::measure_order(const Page& page, PageFacts& page_facts)
{
    std::optional<std::int64_t> newest = lowest;
    for (const auto& item : page.items) {
        const auto order = order_of(item.key);
        has_order = has_order && order;
        if (!has_order) {
            page_facts.highest_key.reset();
            page_facts.lowest_key.reset();
            page_facts.descending = false;
            page_facts.falling = false;
            return;
        }
        const std::int64_t key = *order;
        const auto& state = item.staged ? item.staged : item.known;
        const bool is_new = !seen.contains(state->ordinal);
        // A row added in front moves the last ones of a page to the next: a key met before is no break of the order.
        page_facts.falling = page_facts.falling && (!key_before || key < *key_before);
        page_facts.descending =
            page_facts.descending && (!key_before || key < *key_before) && (!is_new || !lowest || key < *lowest);
        page_facts.highest_key = std::max(page_facts.highest_key.value_or(key), key);
        page_facts.lowest_key = std::min(page_facts.lowest_key.value_or(key), key);
        page_facts.above_newest += first_highest && key > *first_highest ? 1U : 0U;
        newest = std::min(newest.value_or(key), key);
        key_before = key;
    }
    lowest = newest;
}

void Pass::Parts::meet(const Page& page, PageFacts& page_facts)
{
    measure_order(page, page_facts);
    for (const auto& item : page.items) {
        const auto& state = item.staged ? item.staged : item.known;
        if (seen.mark(state->ordinal, item.key)) {
            ++page_facts.new_to_pass;
            page_facts.entered += has_entered(item) ? 1U : 0U;
            page_facts.moved += has_moved(item) ? 1U : 0U;
            totals.known_rows += item.known ? 1U : 0U;
        }
    }
}

void Pass::Parts::close_page(PageFacts& page_facts)
{
    page_facts.key_set = seen.digest();
    if (!any_page) {
        first_highest = page_facts.highest_key;
        any_page = true;
    }
    key_before.reset();
    has_order = true;
    ++totals.pages;
    totals.bytes += page_facts.bytes;
}

Result<PublishOutcome> Pass::Parts::publish(const Proof& proof, DetailBatch* details, const DateWatch* dates)
{
    const Publication::Pass what{
        .start = start,
        .proof = proof,
        .totals = totals,
        .seen = seen,
        .staging = staging.get(),
        .testimony = testimony,
        .changes = changes,
        .keep_deleted = keep_deleted,
        .options = options,
        .now = options.clock.now(),
        .details = details,
        .dates = dates,
    };
    return Publication(database, facts, what).run();
}

Pass::Pass(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}

Pass::~Pass()
{
    abandon();
}

Result<PageFacts> Pass::add_page(std::string_view results, Commit commit)
{
    Parts& parts = *parts_;
    if (parts.broken) {
        return *parts.broken;
    }
    auto added = results.size() > max_whole ? parts.add_large(results, commit) : parts.add_whole(results, commit);
    PageReader::release_large();
    return added;
}

Result<std::string> Pass::without_excluded(std::string_view results) const
{
    return parts_->exclusion.empty() ? std::string(results) : parts_->exclusion.apply(results);
}

Result<bool> Pass::may_take_others() const
{
    const auto& slice = parts_->start.slice;
    if (slice && !slice->is_list_by_parent()) {
        SHELFD_TRY_ASSIGN(departed, parts_->facts.candidates > 0
                                        ? newest_departure(parts_->database, parts_->facts.name)
                                        : Result<std::int64_t>(0));
        return departed > 0;
    }
    SHELFD_TRY_ASSIGN(former, find_former(parts_->database, parts_->facts, parts_->start, parts_->changes));
    return former.has_value();
}

Result<std::vector<MissingRow>> Pass::missing(std::size_t most, const std::vector<std::string>& address_members)
{
    if (parts_->broken) {
        return *parts_->broken;
    }
    const auto& facts = parts_->facts;
    if (facts.rows == 0 || (!parts_->start.slice && facts.rows == parts_->totals.known_rows)) {
        return std::vector<MissingRow>();
    }
    SHELFD_TRY(define_seen(parts_->database, parts_->seen));
    return missing_rows(parts_->database, facts, within(parts_->start.slice), most, address_members,
                        parts_->start.started.seconds());
}

Result<bool> Pass::lacks_rows()
{
    if (parts_->broken) {
        return *parts_->broken;
    }
    const auto& facts = parts_->facts;
    if (facts.rows == 0 || (!parts_->start.slice && facts.rows == parts_->totals.known_rows)) {
        return false;
    }
    SHELFD_TRY(define_seen(parts_->database, parts_->seen));
    SHELFD_TRY_ASSIGN(found,
                      one_number(parts_->database,
                                 fmt::format("SELECT EXISTS (SELECT 1 FROM {} WHERE NOT _seen(ord) AND missed >= 0{})",
                                             states_of(facts), within(parts_->start.slice))));
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
        // That one is hidden was known, and tells nothing of those that are missing since.
        testimony.held_there = testimony.held_there || row.standing == MissingRow::Standing::held;
    }
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
        return Error(ErrorKind::usage, "this pass is over");
    }
    return parts_->end(parts_->publish(proof, nullptr, dates));
}

Result<void> Pass::publish_details(DetailBatch& batch, DetailOutcome& outcome)
{
    SHELFD_TRY_ASSIGN(published, parts_->end(parts_->publish(Proof{.whole = false}, &batch, nullptr)));
    outcome.added = published.added;
    outcome.changed = published.changed;
    outcome.unchanged = published.unchanged;
    outcome.removed = published.deleted;
    return {};
}

Result<PublishOutcome> Pass::Parts::end(Result<PublishOutcome> outcome)
{
    if (!outcome) {
        broken = outcome.error();
        return outcome;
    }
    over = true;
    staging.reset();
    known.reset();
    ended(std::nullopt);
    return outcome;
}

void Pass::abandon()
{
    if (parts_->over) {
        return;
    }
    parts_->over = true;
    const bool left = parts_->staging && parts_->staging->begun();
    parts_->staging.reset();
    parts_->known.reset();
    if (left) {
        // If this fails, the next pass over the resource does it.
        (void)drop_staging(parts_->database, parts_->facts.name);
    }
    parts_->ended(parts_->broken);
}

}  // namespace shelfd::mirror
