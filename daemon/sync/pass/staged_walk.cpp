#include "sync/pass/staged_walk.hpp"

#include "mirror/json/pieces.hpp"
#include "sync/service/bare_array.hpp"
#include "sync/service/cursor_key.hpp"
#include "sync/service/filter_check.hpp"
#include "sync/service/item_address.hpp"
#include "sync/service/large_answer.hpp"
#include "sync/service/page_answer.hpp"
#include "sync/service/page_queries.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

namespace shelfd::sync {
namespace {

PageSeen seen_of(const Page& page, const mirror::PageFacts& facts)
{
    PageSeen seen;
    seen.count = page.count;
    seen.next_query = page.next_query ? std::optional(page.next_query->text()) : std::nullopt;
    seen.items = facts.items;
    seen.new_keys = facts.new_to_pass;
    seen.fresh = facts.fresh;
    seen.highest_key = facts.highest_key;
    seen.lowest_key = facts.lowest_key;
    seen.entered = facts.entered;
    seen.moved = facts.moved;
    seen.above_newest = facts.above_newest;
    seen.descending = facts.descending;
    seen.falling = facts.falling;
    seen.key_set = facts.key_set;
    return seen;
}

// Rows that changed this long before the walk may also have changed during it.
constexpr Duration resolution_of_date = std::chrono::seconds(1);

// An array whose Link header names a next page neither by page number nor by offset.
bool leads_by_cursor(const Page& page, std::string_view page_param)
{
    return page.next_query && !page.next_query->has(page_param) && !page.next_query->has("offset");
}

}  // namespace

Result<Page> StagedWalk::read(http::Response& response, const Query& query, Rows rows)
{
    const auto& page_param = library_.service.page_param;
    const bool is_bare = brings_no_row(response);
    auto framed = rows == Rows::of_mirror && !is_bare ? read_frame(response.body, resource_.answers, page_param)
                                                      : std::optional<Page>();
    auto page = framed
                    ? Result<Page>(std::move(*framed))
                    : read_page(page_body(response), is_bare ? config::Answers::list : resource_.answers, page_param);
    if (!page) {
        return page;
    }
    if (is_bare) {
        const bool has_frame = envelope_ && *envelope_ != Envelope::array && *envelope_ != Envelope::object;
        const bool is_null = response.status != 204;
        // `null` for a list with a frame is what a failing service sends; behind the first page it ends the list.
        if (has_frame && is_null && !pass_) {
            return another_form("null");
        }
        page->tells_kind = false;
        page->is_silent = is_null && !has_frame;
        page->envelope = envelope_.value_or(page->envelope);
        return page;
    }
    if (page->envelope == Envelope::array) {
        SHELFD_TRY_ASSIGN(rest, rest_of_array(response));
        page->count = rest.total;
        page->next_query = std::move(rest.next_query);
        page->next_path = std::move(rest.next_path);
    }
    complete_next(*page, query, page_param);
    if (leads_by_path(*page, query, plan_.path)) {
        return next_by_path("the address of the next page differs from this one only in its path");
    }
    const auto fits =
        pass_ && envelope_ ? agree_behind_first(*envelope_, page->envelope) : agree(envelope_, page->envelope);
    if (!fits) {
        return another_form(to_string(page->envelope));
    }
    return page;
}

Error StagedWalk::another_form(std::string_view form) const
{
    return Error(ErrorKind::config,
                 fmt::format("the answer has another form ({}) than before ({}): nothing was changed", form,
                             to_string(*envelope_)))
        .with(TroubleSource::form)
        .advise("; ", fmt::format("if the service changed it for good, `shelfctl sync {} {} --full` accepts it",
                                  library_.name, resource_.name));
}

EndSearch StagedWalk::make_search() const
{
    constexpr Duration look_again_after = std::chrono::hours(24 * 7);
    constexpr Duration look_at_cut_after = std::chrono::hours(24);
    const auto& service = library_.service;
    const auto habit = plan_.end_habit ? *plan_.end_habit : EndHabit();
    const auto now = clock_.now();
    const auto after = habit.further == Further::cut ? look_at_cut_after : look_again_after;
    // Lists of changes are short and show little about the end of a long list.
    const bool may_look = plan_.kind != PassKind::incremental;
    const bool is_old = !habit.tried_at || now - *habit.tried_at > after || *habit.tried_at > now;
    const auto size = static_cast<std::uint64_t>(service.page_size);
    return EndSearch({.page_param = service.page_param,
                      .page_size_param = service.page_size_param,
                      .page_size = size,
                      .reversed_query = plan_.reversed_query,
                      .is_one_of_many = plan_.slice.has_value(),
                      .is_whole_table = plan_.kind == PassKind::full && !plan_.slice},
                     habit, may_look && is_old);
}

// Empty if the page itself shows whether it is the last one.
std::optional<EndSearch::Step> StagedWalk::search_end(const Page& page, const Query& query,
                                                      const mirror::PageFacts& facts)
{
    // A page with the same rows again leads nowhere, whatever next page it names.
    const bool is_same_again = end_.is_asking() && facts.items > 0 && facts.new_to_pass * 2 < facts.items;
    if ((page.next_query && !is_same_again) || resource_.answers != config::Answers::list ||
        (page.is_silent && is_named_)) {
        is_named_ = is_named_ || page.next_query;
        return std::nullopt;
    }
    EndSearch::Answer answer;
    answer.items = facts.items;
    answer.new_keys = facts.new_to_pass;
    answer.falling = facts.falling;
    answer.distinct = pass_->distinct_keys();
    answer.count = page.count;
    answer.says_end = !page.is_silent;
    answer.is_doubted = is_doubted_;
    answer.meets_known = facts.items > facts.fresh;
    return end_.page(query.text(), answer, [this] { return lacks_rows_of_mirror(); });
}

PageSeen StagedWalk::handle_refusal(int status)
{
    const auto step = end_.refused(is_not_found(status), status < 500 && !brings_page(status));
    PageSeen seen;
    seen.key_set = key_set_;
    seen.next_query = step.next;
    seen.next_is_guess = step.next.has_value();
    seen.is_aside = step.is_aside;
    seen.may_lack = step.may_lack;
    return seen;
}

std::optional<EndHabit> StagedWalk::end_habit() const
{
    auto habit = end_.habit();
    if (end_.has_tried()) {
        habit.tried_at = clock_.now();
    }
    return habit.further == Further::unknown ? std::nullopt : std::optional(habit);
}

// A mirror error recurs, and is reported, when the missing rows are determined.
bool StagedWalk::lacks_rows_of_mirror() const
{
    const auto lacking = plan_.kind != PassKind::incremental ? pass_->lacks_rows() : Result<bool>(false);
    return lacking && *lacking;
}

// A page without a next one that counts only its own rows may be any page of a list. Its word that none follows is
// believed unless rows are missing (none is deleted on it alone), or weekly if services cut at such a length.
void StagedWalk::drop_count_of_page(Page& page, std::uint64_t items)
{
    const bool may_be_page = first_items_ == 0 && resource_.answers == config::Answers::list && !page.next_query &&
                             (end_.may_be_cut(items) || end_.habit().further == Further::cut);
    const bool counts_itself = !page.is_silent && (!page.count || *page.count == items);
    is_doubted_ = may_be_page && counts_itself && plan_.kind != PassKind::incremental &&
                  (end_.may_be_full_page(items) || lacks_rows_of_mirror());
    counts_pages_ = counts_pages_ || is_doubted_ || (may_be_page && page.is_silent && page.envelope != Envelope::array);
    if (counts_pages_ && page.count == items) {
        page.count.reset();
    }
}

Result<PageSeen> StagedWalk::stage(Page page, const Query& query, const mirror::PassStart& start, mirror::Commit commit,
                                   Look look)
{
    if (!pass_) {
        SHELFD_TRY_ASSIGN(begun, mirror_.begin_pass(resource_.name, start));
        pass_ = std::move(begun);
        end_ = make_search();
    }
    SHELFD_TRY_ASSIGN(facts, pass_->add_page(page.results, commit, page.items));
    drop_count_of_page(page, facts.items);
    const auto& service = library_.service;
    const bool is_named_before = is_named_;
    const auto end = look == Look::closing ? std::nullopt : search_end(page, query, facts);
    if (look == Look::recalled) {
        is_named_ = is_named_before;  // the next page may have been a test of ours
    }
    if (end) {
        page.next_query = end->next;
    }
    const bool is_first = first_items_ == 0;
    // A page that happens to be shorter is not cut.
    even_items_ = is_first || is_short_ ? facts.items : even_items_;
    if (look != Look::recalled && !end && facts.items == even_items_) {
        const auto gap =
            close_gap(page, query, facts.items, service.page_size, {service.page_param, service.page_size_param});
        ends_early_ = ends_early_ || gap == Gap::remains;
    }
    is_short_ = is_first && (!envelope_ || *envelope_ == Envelope::uncounted) &&
                lengthen_next(page, query, facts.items, service.page_size);
    envelope_ = !page.tells_kind         ? envelope_
                : is_first || !envelope_ ? agree(envelope_, page.envelope)
                                         : agree_behind_first(*envelope_, page.envelope);
    items_ = facts.items;
    first_items_ = is_first ? items_ : first_items_;
    std::uint64_t late = 0;
    if (plan_.since) {
        const auto& field = resource_.incremental->field;
        unsolicited_ = unsolicited_.empty() ? first_unsolicited(page.results, field, *plan_.since).value_or("")
                                            : std::move(unsolicited_);
        late = changed_since(page.results, field, start.as_of - resolution_of_date);
    }
    page.results = {};
    page.items = {};
    page_ = std::move(page);
    auto seen = seen_of(page_, facts);
    // By everything known about the list; the last page alone does not show it.
    is_chain_ = is_chain_ || (page_.envelope == Envelope::array && leads_by_cursor(page_, service.page_param));
    seen.is_chain = envelope_ == Envelope::cursor || is_chain_;
    seen.cursor_key = seen.is_chain && page_.next_query ? cursor_key(*page_.next_query) : std::nullopt;
    // In a list of changes rows enter anywhere and shift others. Rows that the table has unchanged were there before.
    seen.entered += std::min(late, seen.fresh);
    seen.next_is_guess = end && end->next;
    seen.is_aside = end && end->is_aside;
    seen.may_lack = (end && end->may_lack) || (ends_early_ && !page_.next_query && !page_.count);
    key_set_ = seen.key_set;
    return seen;
}

Result<PageSeen> StagedWalk::take(http::Response& response, const Query& query, const mirror::PassStart& start,
                                  mirror::Commit commit)
{
    std::string_view rows;
    const auto take_as = [&](Rows how) -> Result<PageSeen> {
        auto page = read(response, query, how);
        has_frame_ = static_cast<bool>(page);
        if (!page) {
            return std::move(page).error();
        }
        rows = page->results;
        return stage(std::move(*page), query, start, commit);
    };
    // Only pages of a walk over the whole list may be known.
    const bool may_know = pass_ && plan_.kind == PassKind::full && !plan_.slice;
    auto seen = take_as(may_know ? Rows::of_mirror : Rows::searched);
    if (!seen && may_know && (seen.error().kind() == ErrorKind::protocol || seen.error().kind() == ErrorKind::config)) {
        seen = take_as(Rows::searched);  // reports what is wrong, and where
    }
    // So large a page is requested again sooner than copied to be kept.
    if (seen && rows.size() <= mirror::max_whole) {
        const auto kept = [this, rows] { return pass_->without_excluded(rows); };
        record_.keep(query.text(), page_, items_, kept, start);
    }
    return seen;
}

Result<PageSeen> StagedWalk::handle_closing(http::Response& response, const Query& query,
                                            const mirror::PassStart& start)
{
    SHELFD_TRY_ASSIGN(page, read(response, query, Rows::searched));
    return stage(std::move(page), query, start, mirror::Commit::now, Look::closing);
}

Result<std::optional<PageSeen>> StagedWalk::recall(const Query& query, mirror::PassStart& start)
{
    auto recalled = record_.recall(query.text(), start);
    if (!recalled) {
        return std::optional<PageSeen>();
    }
    if (!agree(envelope_, recalled->page.envelope)) {
        forget();
        return std::optional<PageSeen>();
    }
    auto seen = stage(std::move(recalled->page), query, start, mirror::Commit::now, Look::recalled);
    if (!seen) {
        forget();
        return std::move(seen).error();
    }
    return std::optional<PageSeen>(std::move(*seen));
}

Result<std::vector<mirror::MissingRow>> StagedWalk::missing(std::size_t most)
{
    SHELFD_TRY_ASSIGN(rows, pass_->missing(most, address_members(resource_)));
    SHELFD_TRY_ASSIGN(others, pass_->may_take_others());
    lacks_rows_ = !rows.empty() || others;
    std::vector<mirror::MissingRow> askable;
    asked_by_plain_name_.clear();
    for (auto& row : rows) {
        if (auto witness = witness_target(library_, resource_, row.key, row.address)) {
            row.address = std::move(witness->target);
            if (!witness->shows_absence) {
                asked_by_plain_name_.insert(row.key);
            }
            askable.push_back(std::move(row));
        }
    }
    return askable;
}

bool StagedWalk::check_for_move(const mirror::MissingRow& row, std::string_view item)
{
    const auto begin = item.find_first_not_of(" \t\r\n");
    const auto place = pass_->place_of(item.substr(begin == std::string_view::npos ? 0 : begin));
    const bool moved = place && !plan_.slice->holds(*place);
    if (moved) {
        pass_->testify_moved(row, *place);
    }
    return moved;
}

Result<mirror::PublishOutcome> StagedWalk::publish(const mirror::Proof& proof, const mirror::DateWatch* dates)
{
    return pass_->publish(proof, dates);
}

std::vector<std::string> StagedWalk::queries_behind(const Query& query) const
{
    if (is_short_ || end_.is_asking()) {
        return {};
    }
    const auto& service = library_.service;
    // One more than are in flight: it is requested while the mirror takes the first of them.
    const auto most = service.in_flight > 1 ? service.in_flight : 0U;
    auto queries = queries_ahead(query, page_, items_, service.page_param, most);
    if (!queries.empty()) {
        // The next page is the first of those under way.
        queries.insert(queries.begin(), page_.next_query->text());
    }
    return queries;
}

}  // namespace shelfd::sync
