#include "mirror/pass_walk.hpp"

#include "mirror/json/pieces.hpp"
#include "mirror/records/slices.hpp"
#include "mirror/values/names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace shelfd::mirror {
namespace {

std::uint64_t count_fresh(const Page& page)
{
    const auto differs = [](const PageItem& item) { return !item.known || item.known->hash != item.hash; };
    return static_cast<std::uint64_t>(std::count_if(page.items.begin(), page.items.end(), differs));
}

// Drops rows that a page repeats in another of its pieces; PageReader finds those within one. `met`: rows of earlier
// pieces.
Result<void> drop_repeated(Page& page, const SeenRows& met, const std::string& resource)
{
    std::vector<PageItem> kept;
    for (const auto& item : page.items) {
        const auto& state = item.newest();
        if (!state || !met.contains(state->ordinal)) {
            kept.push_back(item);
        } else if (state->hash != item.hash) {
            return Error(ErrorKind::protocol,
                         fmt::format("{}: two items of a page have the same key {}", resource, item.key.to_json()));
        }
    }
    if (kept.size() < page.items.size()) {
        page.items = std::move(kept);
        PageReader::sort(page);
    }
    return {};
}

}  // namespace

Pass::Walk::Walk(PassServices services, const ResourceSpec& spec, ResourceFacts known_facts, PassStart pass_start)
    : mirror(std::move(services)), database(mirror.database), facts(std::move(known_facts)),
      start(std::move(pass_start)), changes(spec.changes), keep_deleted(spec.keep_deleted),
      intake(facts.name, facts.key, start.slice ? &*start.slice : nullptr, Exclusion(spec.exclude)),
      order(start.slice && start.slice->is_list_by_parent())
{
    open_states();
    if (!start.slice && !start.asks_changes && facts.detail_of.empty()) {
        pages.emplace(database, facts.name, facts.key, spec.exclude);
    }
}

void Pass::Walk::open_states()
{
    if (facts.rows > 0) {
        known.emplace(database, state_name(facts.name), facts.state_shape());
    }
}

// After any error but protocol, only abandoning the pass is useful.
Error Pass::Walk::fail(Error error)
{
    if (error.kind() != ErrorKind::protocol) {
        broken = error;
    }
    return error;
}

Result<PageFacts> Pass::Walk::add_whole(std::string_view results, std::span<const std::string_view> items,
                                        Commit commit)
{
    const bool may_be_known = pages && totals.pages > 0;
    if (may_be_known) {
        auto added = add_known(results, commit);
        if (!added) {
            return fail(std::move(added).error());
        }
        if (*added) {
            return **added;
        }
    }
    std::string text;
    SHELFD_TRY_ASSIGN(page, intake.read(results, items, 0, text));
    PageFacts page_facts;
    page_facts.bytes = text.empty() ? results.size() : text.size();
    auto done = look_up(page);
    done = done ? take(page, commit, page_facts) : std::move(done);
    if (done && may_be_known) {
        pages->learn(totals.pages, page, page_facts.bytes);
        done = pages->write_many();
    }
    if (!done) {
        return fail(std::move(done).error());
    }
    close_page(page_facts);
    return page_facts;
}

Result<std::optional<PageFacts>> Pass::Walk::add_known(std::string_view results, Commit commit)
{
    std::optional<PageFacts> page_facts;
    SHELFD_TRY_ASSIGN(found, pages->find(totals.pages, results));
    if (!found || !known || comparison) {
        return page_facts;
    }
    auto& page = found->page;
    SHELFD_TRY(look_up(page));
    for (auto& item : page.items) {
        // A row that this pass has met may have been staged otherwise.
        if (!item.known || item.staged) {
            return page_facts;
        }
        item.hash = item.known->hash;
    }
    if (KnownPages::hashes_of(page) != found->hashes) {
        return page_facts;
    }
    page_facts.emplace();
    page_facts->bytes = found->bytes;
    SHELFD_TRY(take(page, commit, *page_facts));
    close_page(*page_facts);
    return page_facts;
}

// Reads all pieces before it takes any, so that nothing of an invalid page is taken. Faults that show only when rows
// are written or compared with those of another piece break the pass.
Result<PageFacts> Pass::Walk::add_large(std::string_view results, Commit commit)
{
    const auto check = [this](std::string_view array, std::size_t before) -> Result<void> {
        std::string text;
        SHELFD_TRY(intake.read(array, {}, before, text));
        return {};
    };
    SHELFD_TRY(intake.each_piece(results, check));
    PageFacts page_facts;
    SeenRows met;
    const auto add_piece = [&](std::string_view array, std::size_t before) -> Result<void> {
        std::string text;
        SHELFD_TRY_ASSIGN(page, intake.read(array, {}, before, text));
        page_facts.bytes += text.empty() ? array.size() : text.size();
        SHELFD_TRY(look_up(page));
        auto dropped = drop_repeated(page, met, facts.name);
        key_is_repeated = !dropped;
        SHELFD_TRY(std::move(dropped));
        SHELFD_TRY(take(page, commit, page_facts));
        for (const auto& item : page.items) {
            if (const auto& state = item.newest()) {
                met.mark(state->ordinal, item.key);
            }
        }
        return {};
    };
    if (auto taken = intake.each_piece(results, add_piece); !taken) {
        broken = taken.error();
        return std::move(taken).error();
    }
    close_page(page_facts);
    return page_facts;
}

Result<void> Pass::Walk::look_up(Page& page)
{
    if (known) {
        SHELFD_TRY(known->look_up(page, &PageItem::known));
        SHELFD_TRY(find_newest_known(page));
    }
    if (staging) {
        SHELFD_TRY(staging->look_up(page));
    }
    return comparison ? comparison->compare(page, mirror.options.clock.now()) : Result<void>();
}

Result<void> Pass::Walk::take(Page& page, Commit commit, PageFacts& page_facts)
{
    page_facts.items += page.items.size();
    page_facts.fresh += count_fresh(page);
    SHELFD_TRY(stage(page, commit));
    meet(page, page_facts);
    return {};
}

Result<void> Pass::Walk::find_newest_known(const Page& page)
{
    const auto is_new = [](const PageItem& item) { return !item.known; };
    if (newest_is_found || std::none_of(page.items.begin(), page.items.end(), is_new)) {
        return {};
    }
    newest_is_found = true;
    if (facts.key.size() == order.parts()) {
        SHELFD_TRY_ASSIGN(newest, known->highest(order.parts(), "true" + within(start.slice)));
        newest_known = newest;
    }
    return {};
}

bool Pass::Walk::has_moved(const PageItem& item) const
{
    return item.known && start.slice && !start.slice->expects(item.known->place, item.place);
}

// True if the item did not enter at the front of the list: it may have moved during the walk.
bool Pass::Walk::has_entered(const PageItem& item) const
{
    if (item.known) {
        return item.known->missed || has_moved(item);
    }
    const auto number = order.order_of(item.key);
    return number && newest_known && *number < *newest_known;
}

// True if the row is in another window, as far as is known.
bool Pass::Walk::is_taken(const PageItem& item) const
{
    return has_moved(item) && !start.slice->is_list_by_parent() && !item.known->missed;
}

Result<void> Pass::Walk::stage(Page& page, Commit commit)
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
        open_states();
        // The columns are not those that it knows. The next pass compares.
        end_comparison();
        totals.compared_at.reset();
    }
    return {};
}

void Pass::Walk::meet(const Page& page, PageFacts& page_facts)
{
    order.measure(page, seen, page_facts);
    for (const auto& item : page.items) {
        if (seen.mark(item.newest()->ordinal, item.key)) {
            ++page_facts.new_to_pass;
            page_facts.entered += has_entered(item) ? 1U : 0U;
            page_facts.moved += has_moved(item) ? 1U : 0U;
            if (is_taken(item)) {
                taken_places.push_back(item.known->place);
            }
            totals.known_rows += item.known ? 1U : 0U;
        }
    }
}

void Pass::Walk::close_page(PageFacts& page_facts)
{
    page_facts.key_set = seen.digest();
    order.end_page(page_facts);
    ++totals.pages;
    totals.bytes += page_facts.bytes;
}

Result<bool> Pass::Walk::define_missing()
{
    if (broken) {
        return *broken;
    }
    if (facts.rows == 0 || (!start.slice && facts.rows == totals.known_rows)) {
        return false;
    }
    SHELFD_TRY(define_seen(database, seen));
    return true;
}

Result<PublishOutcome> Pass::Walk::publish(const Proof& proof, DetailBatch* details, const DateWatch* dates)
{
    if (pages) {
        if (auto ended = pages->end(totals.pages); !ended) {
            return fail(std::move(ended).error());
        }
    }
    const Publication::Pass what{
        .start = start,
        .proof = proof,
        .totals = totals,
        .seen = seen,
        .taken = taken_places,
        .staging = staging.get(),
        .evidence = evidence,
        .changes = changes,
        .keep_deleted = keep_deleted,
        .options = mirror.options,
        .now = mirror.options.clock.now(),
        .details = details,
        .dates = dates,
    };
    auto outcome = Publication(database, facts, what).run();
    if (outcome) {
        end();
    } else {
        broken = outcome.error();
    }
    return outcome;
}

void Pass::Walk::end_comparison()
{
    if (comparison && comparison->put_right() > 0) {
        mirror.damage_found({facts.name, comparison->put_right(), comparison->first_key()});
    }
    comparison.reset();
}

void Pass::Walk::end()
{
    over = true;
    end_comparison();
    staging.reset();
    known.reset();
    pages.reset();
    mirror.passes.close(facts.name);
    mirror.ended(broken);
}

}  // namespace shelfd::mirror
