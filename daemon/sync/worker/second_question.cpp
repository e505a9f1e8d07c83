#include "sync/worker/second_question.hpp"

#include "mirror/json/item_key.hpp"
#include "mirror/json/object.hpp"
#include "mirror/json/text.hpp"
#include "sync/pass/page_fetcher.hpp"
#include "sync/plan/pass_plan.hpp"
#include "sync/service/end_habit.hpp"
#include "sync/service/envelope.hpp"
#include "sync/service/item_address.hpp"
#include "sync/service/page_queries.hpp"

#include <span>
#include <string>
#include <utility>

namespace shelfd::sync {
namespace {

constexpr int max_pages = 5;

// What the answer shows about the requested rows.
struct Heard {
    bool is_page = false;
    bool is_last = false;                 // no further page can hold them
    std::string next = {};                // query of the next page
    std::vector<UnsureChange> left = {};  // not on any page so far
};

// Compares the part of the key that the service's rows have; for lists by parent the daemon adds the rest.
bool has_key(const UnsureChange& row, const std::vector<mirror::Member>& members)
{
    const auto key = mirror::read_key(row.key);
    if (!key || key->size() < members.size()) {
        return false;
    }
    const auto first = key->size() - members.size();
    for (std::size_t part = 0; part < members.size(); ++part) {
        const auto found = members[part].value.empty() ? std::nullopt : mirror::key_part(members[part]);
        if (!found || *found != (*key)[first + part]) {
            return false;
        }
    }
    return true;
}

void take_out(std::vector<UnsureChange>& rows, std::string_view item, const std::vector<std::string>& key)
{
    std::vector<mirror::Member> members;
    if (mirror::find_members(item, std::span(key), members) == nullptr) {
        std::erase_if(rows, [&](const UnsureChange& row) { return has_key(row, members); });
    }
}

// In the lane: an answer may be long.
Heard hear(http::Response& response, const std::string& query, std::vector<UnsureChange> rows,
           const config::Library& library, const config::Resource& resource, const mirror::Discovery& discovery)
{
    const auto& page_param = library.service.page_param;
    Heard heard;
    heard.is_last = brings_no_row(response);
    auto page = read_page(page_body(response), resource.answers, page_param);
    std::vector<mirror::Member> items;
    if (!page || mirror::parse_elements(page->results, items) != nullptr) {
        return heard;
    }
    complete_next(*page, query, page_param);
    const auto key = resource.own_key();
    for (const auto& item : items) {
        take_out(rows, item.value, key);
    }
    // An answer that may be cut does not prove that a row is missing: one as long as any other may be a full page.
    const bool is_whole =
        !page->is_silent || resource.answers == config::Answers::whole || items.size() < discovery.whole_rows;
    heard.is_page = true;
    heard.is_last = heard.is_last || (!page->next_query && is_whole);
    heard.next = page->next_query ? page->next_query->text() : "";
    heard.left = std::move(rows);
    return heard;
}

}  // namespace

asio::awaitable<std::optional<UnsureChange>> find_left_out(LibraryContext& context, const config::Resource& resource,
                                                           const mirror::Discovery& discovery,
                                                           std::vector<UnsureChange> rows, budget::Tally& spent)
{
    if (rows.empty()) {
        co_return std::nullopt;
    }
    RequestLine line{budget::Purpose::incremental};
    PageFetcher fetcher(context, resource, list_path(resource, rows.front().list), line);
    // What the next incremental pass would request. The rows changed after the last one, or it would have brought them;
    // a filter that takes their dates for earlier ones (local times of a zone in the west) leaves them out here, too.
    const auto since = rows.front().asked - reach_of(*resource.incremental, discovery);
    auto query = changes_query(context.library, resource, discovery, since);
    std::optional<UnsureChange> left_out;
    for (int page = 0; page < max_pages && !rows.empty() && !query.empty(); ++page) {
        auto fetched = co_await fetcher.fetch(query, budget::Reason::filter_try);
        if (fetched.no_token || classify(fetched.outcome).kind != AnswerKind::page) {
            break;
        }
        auto listen = [&] { return hear(*fetched.outcome, query, rows, context.library, resource, discovery); };
        auto heard = co_await context.lane.run(listen);
        if (!heard.is_page) {
            break;
        }
        rows = std::move(heard.left);
        if (heard.is_last && !rows.empty()) {
            left_out = rows.front();
            break;
        }
        query = std::move(heard.next);
    }
    spent.add(fetcher.sent());
    co_return left_out;
}

namespace {

// In the lane. "" = the row has no address or does not exist.
std::string address_of(LibraryContext& context, const config::Resource& resource, const UnsureChange& row)
{
    const auto item = context.mirror.item(resource.name, row.key);
    const auto names = address_members(resource);
    std::vector<mirror::Member> found;
    if (!item || !*item || mirror::find_members(**item, std::span(names), found) != nullptr) {
        return "";
    }
    std::string address;
    for (const auto& member : found) {
        if (address.empty() && member.type == mirror::JsonType::string && !member.value.empty()) {
            mirror::unescape(member.inside(), address);
        }
    }
    auto target = item_target(context.library, resource, row.key, address);
    return target ? std::move(*target) : "";
}

}  // namespace

asio::awaitable<RowAnswer> ask_for_row(LibraryContext& context, const config::Resource& resource,
                                       const UnsureChange& row, budget::Tally& spent)
{
    auto find = [&] { return address_of(context, resource, row); };
    auto target = co_await context.lane.run(find);
    if (target.empty()) {
        co_return RowAnswer::unclear;
    }
    RequestLine line{budget::Purpose::incremental};
    PageFetcher fetcher(context, resource, list_path(resource, row.list), line);
    auto fetched = co_await fetcher.fetch_target(std::move(target), budget::Reason::filter_try);
    spent.add(fetcher.sent());
    co_return fetched.no_token ? RowAnswer::unclear : classify_row(fetched.outcome);
}

}  // namespace shelfd::sync
