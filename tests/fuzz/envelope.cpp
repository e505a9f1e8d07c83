// The frame around a page, and the queries of the pages behind it. The first byte chooses what the configuration
// expects: its lowest bit `answers`, the next two `page_param`, the next one `page_size_param`, the rest the query that
// the page answers.
#include "sync/service/envelope.hpp"
#include "base/words/digits.hpp"
#include "fuzz/input.hpp"
#include "http/target_length.hpp"
#include "http/url.hpp"
#include "mirror/json/object.hpp"
#include "mirror/json/page.hpp"
#include "mirror/json/text.hpp"
#include "sync/service/page_queries.hpp"

#include <algorithm>
#include <array>
#include <string>

using namespace shelfd;
using fuzz::promise;

namespace {

constexpr std::array<std::string_view, 4> page_params = {"page", "p", "cursor", "page number"};
constexpr std::array<std::string_view, 2> page_size_params = {"page_size", "limit"};
constexpr std::array<std::string_view, 6> queries = {"",
                                                     "page_size=200&ordering=-id",
                                                     "page=1&page_size=200&page=2",
                                                     "limit=200&offset=200",
                                                     "p=18446744073709551614&limit=3",
                                                     "cursor=7&page_size=2"};
constexpr std::uint32_t asked = 200;

struct Choice {
    config::Answers answers;
    sync::PageNames names;
    std::string_view query;
};

Choice choice_of(unsigned byte)
{
    return {byte % 2 == 0 ? config::Answers::list : config::Answers::object,
            {page_params[byte / 2 % 4], page_size_params[byte / 8 % 2]},
            queries[byte / 16 % queries.size()]};
}

std::string next_of(const sync::Page& page)
{
    return page.next_query ? page.next_query->text() : "";
}

std::size_t times(std::string_view query, std::string_view name)
{
    const auto params = http::parse_query(query);
    return static_cast<std::size_t>(
        std::count_if(params.begin(), params.end(), [&](const auto& param) { return param.name == name; }));
}

// The number that this parameter has; nullopt where it is missing, given twice or no number.
std::optional<std::uint64_t> number_of(std::string_view query, std::string_view name)
{
    std::optional<std::uint64_t> number;
    for (const auto& param : http::parse_query(query)) {
        number = param.name == name ? number_in(param.value) : number;
    }
    return times(query, name) == 1 ? number : std::nullopt;
}

// The last member of that name, read by the strict reader of rows.
std::optional<mirror::Member> last_of(const std::vector<mirror::Member>& members, std::string_view name)
{
    std::optional<mirror::Member> last;
    for (const auto& member : members) {
        std::string key;
        if (mirror::unescape(member.key, key) == mirror::Fidelity::exact && key == name) {
            last = member;
        }
    }
    return last;
}

void check_members(const std::string& body, const sync::Page& page)
{
    std::vector<mirror::Member> members;
    if (mirror::parse_members(body, members) != nullptr) {
        return;  // some of what is no JSON is left to the reader of rows
    }
    const auto results = last_of(members, "results");
    promise(results.has_value(), "a frame has rows");
    const auto value = std::string(results->value);
    promise(page.results == (results->type == mirror::JsonType::null     ? "[]"
                             : results->type == mirror::JsonType::object ? "[" + value + "]"
                                                                         : value),
            "the rows are those of another reader");
    const auto next = last_of(members, "next");
    promise(page.is_silent == !next.has_value(), "a frame that names no next page is silent");
    std::string address;
    if (next && next->type == mirror::JsonType::string) {
        mirror::unescape(next->inside(), address);
    }
    promise(page.next_query == (address.empty() ? std::nullopt : std::optional(http::query_of(address))),
            "the next page is that of another reader");
    const auto count = last_of(members, "count");
    if (count && count->type == mirror::JsonType::number && count->whole) {
        promise(page.count == number_in(count->value == "-0" ? "0" : count->value), "and so is the count");
    }
}

// Cut in the walk over the frame, or by the reader of pages: the same items.
void check_items(const sync::Page& page)
{
    mirror::PageReader whole("things", {"id"});
    const auto cut = whole.read(page.results);
    if (page.items.empty()) {
        return;
    }
    mirror::PageReader given("things", {"id"});
    const auto read = given.read(page.results, page.items);
    promise(read.has_value() == cut.has_value(), "items that the frame's walk found are read as the array is");
    if (!read) {
        promise(read.error().text() == cut.error().text(), "or refused as it is");
        return;
    }
    promise(read->items.size() == cut->items.size(), "as many");
    for (std::size_t i = 0; i < read->items.size(); ++i) {
        promise(read->items[i].text == cut->items[i].text && read->items[i].hash == cut->items[i].hash, "and the same");
    }
}

void check_kind(const sync::Page& page, std::string_view page_param)
{
    const auto next = next_of(page);
    promise(next.size() <= http::max_target && next.find('#') == std::string::npos, "a next page can be asked for");
    const bool by_offset = times(next, "offset") > 0;
    const auto kind = page.count ? (by_offset ? sync::Envelope::offset : sync::Envelope::counted)
                      : by_offset || times(next, page_param) > 0 || page.is_silent ? sync::Envelope::uncounted
                                                                                   : sync::Envelope::cursor;
    promise(page.envelope == kind, "a list's kind is what its frame and the name of its pages say");
}

void check_ahead(const sync::Page& page, std::uint64_t items, const Choice& choice)
{
    constexpr std::size_t most = 5;
    const auto ahead = sync::queries_ahead(choice.query, page, items, choice.names.page_param, most);
    promise(ahead.size() <= most, "no more pages are asked for ahead than may be");
    auto before = next_of(page);
    for (const auto& query : ahead) {
        const std::string_view name = number_of(before, choice.names.page_param) ? choice.names.page_param : "offset";
        const auto number = number_of(query, name);
        promise(number && number_of(before, name) < number, "pages ahead have numbers that grow");
        promise(*number <= *page.count, "and end with the list");
        before = query;
    }
}

void check_behind(sync::Page page, std::uint64_t items, const Choice& choice)
{
    const auto named = page.next_query;
    sync::complete_next(page, choice.query, choice.names.page_param);
    promise(page.next_query.has_value() == named.has_value(), "a next page is none that nobody named");
    const auto before = named ? named->params() : http::Params();
    const auto after = http::parse_query(next_of(page));
    promise(after.size() >= before.size() && std::equal(before.begin(), before.end(), after.begin()),
            "what a next asks for stays");
    check_ahead(page, items, choice);
    auto longer = page;
    if (sync::lengthen_next(longer, choice.query, items, asked)) {
        promise(number_of(next_of(page), "limit").value_or(0) < asked && times(next_of(longer), "limit") > 0,
                "a page that gets longer was shorter");
    } else {
        promise(longer.next_query == page.next_query, "a page that gets no longer stays what it was");
    }
    const auto offset = number_of(next_of(page), "offset");
    sync::close_gap(page, choice.query, items, asked, choice.names);
    const auto closed = number_of(next_of(page), "offset");
    promise(!offset || (closed && *closed <= *offset), "no gap grows");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    if (size == 0) {
        return 0;
    }
    const auto choice = choice_of(data[0]);
    std::string body(fuzz::text_of(data + 1, size - 1));
    const auto sent = body;
    const auto page = sync::read_page(body, choice.answers, choice.names.page_param);
    if (!page) {
        promise(!page.error().text().empty(), "an answer that is no page has a reason");
        const auto kind = page.error().kind();
        promise(kind == ErrorKind::protocol || kind == ErrorKind::config, "and one of the two kinds");
        return 0;
    }
    const auto rows = page->results;
    promise(rows == "[]" || (rows.data() >= body.data() && rows.data() + rows.size() <= body.data() + body.size()),
            "rows that are there lie inside the body");
    promise(rows.starts_with('[') && rows.ends_with(']'), "the rows are an array");
    promise(mirror::envelope_from(to_string(page->envelope)) == page->envelope, "an envelope has a name");
    promise(sync::agree(page->envelope, page->envelope) == page->envelope, "an envelope goes with itself");
    check_items(*page);
    if (page->envelope == sync::Envelope::array || page->envelope == sync::Envelope::object) {
        promise(!page->count && !page->next_query, "what has no frame says nothing of its list");
        return 0;
    }
    check_kind(*page, choice.names.page_param);
    check_members(sent, *page);
    std::vector<mirror::Member> items;
    if (mirror::parse_elements(rows, items) == nullptr) {
        check_behind(*page, items.size(), choice);
    }
    return 0;
}
