#include "mirror/pass.hpp"

#include "mirror/declare/former_file.hpp"
#include "mirror/details/details.hpp"
#include "mirror/json/pieces.hpp"
#include "mirror/json/placing.hpp"
#include "mirror/lists/parents.hpp"
#include "mirror/pass_parts.hpp"
#include "mirror/records/departed_rows.hpp"
#include "mirror/staging/tables.hpp"
#include "mirror/values/names.hpp"

#include <algorithm>
#include <utility>

namespace shelfd::mirror {
namespace {

std::uint64_t count_fresh(const Page& page)
{
    const auto differs = [](const PageItem& item) { return !item.known || item.known->hash != item.hash; };
    return static_cast<std::uint64_t>(std::count_if(page.items.begin(), page.items.end(), differs));
}

}  // namespace

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
        if (auto found = known->look_up(page, &PageItem::known); !found) {
            return found;
        }
        if (auto found = find_newest_known(page); !found) {
            return found;
        }
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
    auto newest = known->highest(part, "true" + within(start.slice));
    if (!newest) {
        return std::move(newest).error();
    }
    newest_known = *newest;
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
        auto opened = Staging::open(database, facts, start);
        if (!opened) {
            return std::move(opened).error();
        }
        staging = std::move(*opened);
    }
    if (auto taken = staging->take(page); !taken) {
        return taken;
    }
    if (auto written = staging->write(page, commit); !written) {
        return written;
    }
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

Result<PublishOutcome> Pass::Parts::publish(const Proof& proof, DetailBatch* details)
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

Result<Page> Pass::Parts::read(std::string_view results, std::size_t before, std::string& text)
{
    if (!exclusion.empty()) {
        auto cleaned = exclusion.apply(results);
        if (!cleaned) {
            return std::move(cleaned).error();
        }
        text = std::move(*cleaned);
        results = text;
    }
    const auto& slice = start.slice;
    if (slice && slice->is_list_by_parent()) {
        auto completed = with_member(results, slice->member, slice->value);
        if (!completed) {
            return std::move(completed).error();
        }
        text = std::move(*completed);
        results = text;
    }
    auto page = reader.read(results, before);
    if (page && slice) {
        if (auto placed = check_places(*page, *slice); !placed) {
            return std::move(placed).error();
        }
    }
    return page;
}

Result<void> Pass::Parts::take(Page& page, Commit commit, PageFacts& page_facts)
{
    page_facts.items += page.items.size();
    page_facts.fresh += count_fresh(page);
    if (auto done = stage(page, commit); !done) {
        return done;
    }
    meet(page, page_facts);
    return {};
}

Result<PageFacts> Pass::add_page(std::string_view results, Commit commit)
{
    Parts& parts = *parts_;
    if (parts.broken) {
        return *parts.broken;
    }
    if (results.size() > largest_whole) {
        auto added = parts.add_large(results, commit);
        PageReader::release_large();
        return added;
    }
    std::string text;
    auto page = parts.read(results, 0, text);
    if (!page) {
        return std::move(page).error();
    }
    PageFacts facts;
    facts.bytes = text.empty() ? results.size() : text.size();
    auto done = parts.look_up(*page);
    done = done ? parts.take(*page, commit, facts) : std::move(done);
    if (!done) {
        if (done.error().kind() != ErrorKind::protocol) {
            parts.broken = done.error();
        }
        return std::move(done).error();
    }
    parts.close_page(facts);
    return facts;
}

Result<std::string> Pass::without_excluded(std::string_view results) const
{
    return parts_->exclusion.empty() ? std::string(results) : parts_->exclusion.apply(results);
}

Result<bool> Pass::may_take_others() const
{
    const auto& slice = parts_->start.slice;
    if (slice && !slice->is_list_by_parent()) {
        const auto departed = parts_->facts.candidates > 0 ? newest_departure(parts_->database, parts_->facts.name)
                                                           : Result<std::int64_t>(0);
        return departed ? Result<bool>(*departed > 0) : departed.error();
    }
    auto former = find_former(parts_->database, parts_->facts, parts_->start, parts_->changes);
    return former ? Result<bool>(former->has_value()) : std::move(former).error();
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
    parts_->dates = dates;
    return parts_->end(parts_->publish(proof));
}

Result<void> Pass::publish_details(DetailBatch& batch, DetailOutcome& outcome)
{
    auto published = parts_->end(parts_->publish(Proof{.whole = false}, &batch));
    if (!published) {
        return std::move(published).error();
    }
    outcome.added = published->added;
    outcome.changed = published->changed;
    outcome.unchanged = published->unchanged;
    outcome.removed = published->deleted;
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
