#include "sync/staged_walk.hpp"

#include "http/url.hpp"
#include "sync/array_rest.hpp"
#include "sync/cursor_key.hpp"
#include "sync/filter_watch.hpp"
#include "sync/item_address.hpp"
#include "sync/page_queries.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

namespace shelfd::sync {
namespace {

PageSeen seen_of(const Page& page, const mirror::PageFacts& facts)
{
    PageSeen seen;
    seen.count = page.count;
    seen.next_query = page.next_query;
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

// Rows that changed within it before the walk may have changed while it went on.
constexpr Duration resolution_of_date = std::chrono::seconds(1);

// An array that its headers lead on from, neither by the number of a page nor by that of a row.
bool leads_by_cursor(const Page& page, std::string_view page_param)
{
    const auto params = page.next_query ? http::parse_query(*page.next_query) : http::Params();
    return page.next_query && std::none_of(params.begin(), params.end(), [&](const http::Param& param) {
        return param.name == page_param || param.name == "offset";
    });
}

}  // namespace

Result<Page> StagedWalk::read(http::Response& response, const std::string& query) const
{
    const auto& page_param = context_.library.service.page_param;
    auto page = read_page(response.body, resource_.answers, page_param);
    if (!page) {
        return page;
    }
    if (page->envelope == Envelope::array) {
        auto rest = rest_of_array(response);
        if (!rest) {
            return std::move(rest).error();
        }
        page->count = rest->total;
        page->next_query = std::move(rest->next_query);
    }
    complete_next(*page, query, page_param);
    const auto fits =
        pass_ && envelope_ ? agree_behind_first(*envelope_, page->envelope) : agree(envelope_, page->envelope);
    if (!fits) {
        return Error(ErrorKind::config,
                     fmt::format("the answer is of another kind ({}) than all those before ({}): nothing was changed; "
                                 "if the service changed it for good, `shelfctl sync {} {} --full` takes it as it is",
                                 to_string(page->envelope), to_string(*envelope_), context_.library.name,
                                 resource_.name));
    }
    return page;
}

// Of a bare array that names no next page: whether it was cut where one would be, so that only asking tells.
bool StagedWalk::may_have_more(const Page& page, const mirror::PageFacts& facts) const
{
    if (page.envelope != Envelope::array || page.next_query || facts.new_to_pass == 0) {
        return false;
    }
    if (page.count) {
        return pass_->distinct_keys() < *page.count;
    }
    return facts.items == (first_items_ > 0 ? first_items_ : context_.library.service.page_size);
}

Result<PageSeen> StagedWalk::stage(Page page, const std::string& query, const mirror::PassStart& start,
                                   mirror::Commit commit)
{
    if (!pass_) {
        auto begun = context_.mirror.begin_pass(resource_.name, start);
        if (!begun) {
            return begun.error();
        }
        pass_ = std::move(*begun);
    }
    const auto facts = pass_->add_page(page.results, commit);
    if (!facts) {
        return facts.error();
    }
    const auto& service = context_.library.service;
    const auto guess = page.envelope == Envelope::array ? query_behind(query, service.page_param) : "";
    if (may_have_more(page, *facts)) {
        page.next_query = guess;
    }
    const bool is_first = first_items_ == 0;
    is_short_ = is_first && (!envelope_ || *envelope_ == Envelope::uncounted) && lengthen_next(page, service.page_size);
    envelope_ =
        is_first || !envelope_ ? agree(envelope_, page.envelope) : agree_behind_first(*envelope_, page.envelope);
    items_ = facts->items;
    first_items_ = is_first ? items_ : first_items_;
    std::uint64_t late = 0;
    if (plan_.since) {
        const auto& field = resource_.incremental->field;
        unsolicited_ = unsolicited_.empty() ? first_unsolicited(page.results, field, *plan_.since).value_or("")
                                            : std::move(unsolicited_);
        late = changed_since(page.results, field, start.as_of - resolution_of_date);
    }
    page.results = {};
    page_ = std::move(page);
    auto seen = seen_of(page_, *facts);
    // By all that is known of the list: the last page alone does not tell.
    is_chain_ = is_chain_ || (page_.envelope == Envelope::array && leads_by_cursor(page_, service.page_param));
    seen.is_chain = envelope_ == Envelope::cursor || is_chain_;
    seen.cursor_key = seen.is_chain && page_.next_query ? cursor_key(*page_.next_query) : std::nullopt;
    // Rows enter what changed since an instant wherever they are, and push others. What the table has as it is was there.
    seen.entered += std::min(late, seen.fresh);
    seen.next_is_guess = !guess.empty() && page_.next_query == guess;
    return seen;
}

Result<PageSeen> StagedWalk::take(http::Response& response, const std::string& query, const mirror::PassStart& start,
                                  mirror::Commit commit)
{
    auto page = read(response, query);
    has_frame_ = static_cast<bool>(page);
    if (!page) {
        return page.error();
    }
    const auto rows = page->results;
    auto seen = stage(std::move(*page), query, start, commit);
    if (seen) {
        const auto kept = [this, rows] { return pass_->without_excluded(rows); };
        record_.keep(query, page_, items_, kept, start);
    }
    return seen;
}

Result<PageSeen> StagedWalk::take_closing(http::Response& response, const std::string& query,
                                          const mirror::PassStart& start)
{
    auto page = read(response, query);
    return page ? stage(std::move(*page), query, start, mirror::Commit::now) : page.error();
}

Result<std::optional<PageSeen>> StagedWalk::recall(const std::string& query, mirror::PassStart& start)
{
    auto recalled = record_.recall(query, start);
    if (!recalled) {
        return std::optional<PageSeen>();
    }
    if (!agree(envelope_, recalled->page.envelope)) {
        forget();
        return std::optional<PageSeen>();
    }
    auto seen = stage(std::move(recalled->page), query, start, mirror::Commit::now);
    if (!seen) {
        forget();
        return std::move(seen).error();
    }
    return std::optional<PageSeen>(std::move(*seen));
}

Result<std::vector<mirror::MissingRow>> StagedWalk::missing(std::size_t most)
{
    auto rows = pass_->missing(most, address_members(resource_));
    if (!rows) {
        return rows;
    }
    lacks_rows_ = !rows->empty();
    std::vector<mirror::MissingRow> askable;
    for (auto& row : *rows) {
        if (auto target = item_target(context_.library, resource_, row.key, row.address)) {
            row.address = std::move(*target);
            askable.push_back(std::move(row));
        }
    }
    return askable;
}

bool StagedWalk::look_for_move(const mirror::MissingRow& row, std::string_view item)
{
    const auto begin = item.find_first_not_of(" \t\r\n");
    const auto place = pass_->place_of(item.substr(begin == std::string_view::npos ? 0 : begin));
    const bool moved = place && !plan_.slice->holds(*place);
    if (moved) {
        pass_->testify_moved(row, *place);
    }
    return moved;
}

Result<mirror::PublishOutcome> StagedWalk::publish(const mirror::Proof& proof)
{
    return pass_->publish(proof);
}

std::vector<std::string> StagedWalk::queries_behind(const std::string& query) const
{
    if (is_short_) {
        return {};
    }
    const auto& service = context_.library.service;
    auto queries = queries_ahead(query, page_, items_, service.page_param, service.in_flight - 1);
    if (!queries.empty()) {
        // The page that is asked for next is the first of those under way.
        queries.insert(queries.begin(), *page_.next_query);
    }
    return queries;
}

}  // namespace shelfd::sync
