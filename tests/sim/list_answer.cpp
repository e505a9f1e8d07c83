#include "sim/list_answer.hpp"

#include "sim/cursor.hpp"
#include "sim/filters.hpp"
#include "sim/pages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace shelfd::sim {

namespace {

constexpr std::size_t default_size = 10;
constexpr std::size_t max_size = 200;

// nothing for what Python's int() refuses, and for negative numbers.
std::optional<std::size_t> whole_number(const std::optional<std::string>& text)
{
    std::size_t number = 0;
    if (!text || text->empty()) {
        return std::nullopt;
    }
    const auto* end = text->data() + text->size();
    const auto result = std::from_chars(text->data(), end, number);
    return result.ec == std::errc() && result.ptr == end ? std::optional(number) : std::nullopt;
}

Reply no_content()
{
    Reply reply;
    reply.status = 204;
    return reply;
}

std::size_t size_of(const Query& query, std::string_view param)
{
    const auto asked = whole_number(find(query, param)).value_or(0);
    return asked == 0 ? default_size : std::min(asked, max_size);
}

// Writes an envelope around a slice of the rows, with links made of the request.
class Renderer {
public:
    Renderer(const ListData::View& rows, Order order, const ListQuirks& quirks, const Request& request)
        : rows_(rows), order_(order), quirks_(quirks), request_(request), query_(request.query())
    {
    }

    ListAnswer page_number() const;
    ListAnswer limit_offset() const;
    ListAnswer cursor() const;
    ListAnswer array() const;

private:
    using Changes = std::vector<std::pair<std::string, std::optional<std::string>>>;

    std::string count_member() const
    {
        const auto count = static_cast<std::int64_t>(rows_.size()) + quirks_.count_offset;
        const auto& dress = quirks_.habits.count;
        const auto text = !dress ? std::to_string(count) : *dress == "text" ? fmt::format("\"{}\"", count) : *dress;
        return quirks_.omits_count ? "" : fmt::format("\"count\":{},", text);
    }

    std::string items(std::size_t begin, std::size_t end) const
    {
        std::string out = "[";
        const auto origin = request_.origin();
        for (std::size_t at = begin; at < end; ++at) {
            out += at == begin ? "" : ",";
            rows_[at]->append_to(out, origin);
        }
        return out + "]";
    }

    // The request's own address with some parameters replaced or removed; sorted, unknown ones kept.
    std::string link(const Changes& changes, const std::string& origin) const
    {
        auto query = query_;
        for (const auto& change : changes) {
            std::erase_if(query, [&](const auto& entry) { return entry.first == change.first; });
            if (change.second) {
                query.emplace_back(change.first, *change.second);
            }
        }
        std::stable_sort(query.begin(), query.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
        const auto text = encode_query(query);
        return origin + request_.path() + (text.empty() ? "" : "?" + text);
    }

    std::string next_member(const std::optional<Changes>& changes) const
    {
        if (!changes) {
            return quirks_.habits.omits_next ? "" : "\"next\":null,";
        }
        const auto origin = quirks_.next_base.value_or(request_.origin());
        std::string out = "\"next\":";
        append_quoted(out, link(quirks_.next_is_self ? Changes() : *changes, origin));
        return out + ",";
    }

    std::string previous_member(const std::optional<Changes>& changes) const
    {
        if (!changes) {
            return "\"previous\":null,";
        }
        std::string out = "\"previous\":";
        append_quoted(out, link(*changes, request_.origin()));
        return out + ",";
    }

    ListAnswer answer(const std::string& head, std::size_t begin, std::size_t end, std::size_t page) const
    {
        const auto& habits = quirks_.habits;
        if (habits.no_content && rows_.empty()) {
            return {no_content(), page};
        }
        auto rows = begin == end && habits.null_for_no_rows ? "null" : items(begin, end);
        if (habits.bare_single_row && end == begin + 1) {
            rows = rows.substr(1, rows.size() - 2);
        }
        const int status = habits.partial_content && end - begin < rows_.size() ? 206 : 200;
        return {api_json(status, "{" + head + "\"results\":" + rows + "}"), page};
    }

    const ListData::View& rows_;
    Order order_;
    const ListQuirks& quirks_;
    const Request& request_;
    Query query_;
};

// […] without a frame: all of it, or as much as a cap that is said nowhere leaves.
ListAnswer Renderer::array() const
{
    const auto& habits = quirks_.habits;
    const auto number = [&](std::string_view param, std::size_t otherwise) {
        return whole_number(find(query_, param)).value_or(otherwise);
    };
    if (habits.no_content && rows_.empty()) {
        return {no_content(), 1};
    }
    std::size_t begin = 0;
    std::size_t length = habits.cap == 0 ? rows_.size() : habits.cap;
    if (habits.cap > 0) {
        switch (habits.paging) {
        case Paging::nothing: break;
        case Paging::page: begin = (std::max<std::size_t>(number("page", 1), 1) - 1) * length; break;
        case Paging::page_from_0: begin = number("page", 0) * length; break;
        case Paging::offset:
            begin = number("offset", 0);
            length = std::min(number("limit", length), length);
            break;
        case Paging::page_size: length = number("page_size", length); break;
        }
    }
    begin = std::min(begin, rows_.size());
    return {api_json(200, items(begin, std::min(begin + length, rows_.size()))),
            begin / std::max<std::size_t>(length, 1) + 1};
}

ListAnswer Renderer::page_number() const
{
    const auto& habits = quirks_.habits;
    const auto wanted = size_of(query_, "page_size");
    const auto size = habits.cap > 0 && !habits.skips_capped ? std::min(wanted, habits.cap) : wanted;
    const auto pages = std::max<std::size_t>(1, (rows_.size() + size - 1) / size);
    const auto asked = find(query_, "page");
    const std::size_t first = habits.pages_from_0 ? 0 : 1;
    const auto named = !asked             ? first
                       : *asked == "last" ? pages - 1 + first
                                          : whole_number(asked).value_or(pages + first);
    const auto number = named + 1 - first;
    const auto page = habits.repeats_last ? std::min(number, pages) : number;
    if (habits.deepest_page > 0 && page > habits.deepest_page && page <= pages) {
        return {refusal(habits.deep_status, "Too deep."), 0};
    }
    if (page == 0 || page > pages) {
        return {refusal(404, "Invalid page."), 0};
    }
    std::optional<Changes> next;
    std::optional<Changes> previous;
    if ((page < pages || habits.names_one_more || habits.repeats_last) && !(habits.ends_early && size < wanted)) {
        next = {{"page", std::to_string(number + first)}};
    }
    if (page == 2) {
        previous = {{"page", std::nullopt}};
    } else if (page > 2) {
        previous = {{"page", std::to_string(page - 1)}};
    }
    const auto begin = (page - 1) * size;
    const auto length = habits.cap > 0 ? std::min(size, habits.cap) : size;
    return answer(count_member() + next_member(next) + previous_member(previous), begin,
                  std::min(begin + length, rows_.size()), page);
}

ListAnswer Renderer::limit_offset() const
{
    const auto& habits = quirks_.habits;
    const auto wanted = size_of(query_, "limit");
    const auto limit = habits.cap > 0 && !habits.skips_capped ? std::min(wanted, habits.cap) : wanted;
    const auto offset = whole_number(find(query_, "offset")).value_or(0);
    const auto begin = std::min(offset, rows_.size());
    const auto end = std::min(begin + (habits.cap > 0 ? std::min(limit, habits.cap) : limit), rows_.size());
    std::optional<Changes> next;
    std::optional<Changes> previous;
    if (end < rows_.size()) {
        next = {{"limit", std::to_string(limit)}, {"offset", std::to_string(offset + limit)}};
    }
    if (offset > limit) {
        previous = {{"limit", std::to_string(limit)}, {"offset", std::to_string(offset - limit)}};
    } else if (offset > 0) {
        previous = {{"limit", std::to_string(limit)}, {"offset", std::nullopt}};
    }
    return answer(count_member() + next_member(next) + previous_member(previous), begin, end, offset / limit + 1);
}

ListAnswer Renderer::cursor() const
{
    const auto text = find(query_, "cursor");
    const auto cursor = text && !text->empty() ? Cursor::decode(*text) : std::optional(Cursor());
    if (!cursor) {
        return {refusal(404, "Invalid cursor"), 0};
    }
    const auto size = size_of(query_, "page_size");
    const auto page = cursor_page(rows_, order_, cursor, size);
    if (!page) {
        return {django_page(500), 0};
    }
    const auto to = [](const std::optional<Cursor>& place) {
        return place ? std::optional(Changes{{"cursor", place->encode()}}) : std::nullopt;
    };
    return answer(next_member(to(page->next)) + previous_member(to(page->previous)), page->begin, page->end,
                  page->begin / size + 1);
}

}  // namespace

ListAnswer list_answer(const ListData& list, Envelope envelope, const ListQuirks& quirks, const Request& request)
{
    const auto query = request.query();
    std::optional<Order> order;
    if (envelope == Envelope::cursor && quirks.cursor_order) {
        order = quirks.cursor_order;
    } else if (!quirks.ignores_ordering) {
        order = Order::from_text(find(query, "ordering").value_or(""));
    }
    const auto& all = list.ordered(order.value_or(Order()));
    auto kept = filtered(all, quirks.ignores_filters ? Query() : query);
    if (auto* refused = std::get_if<Reply>(&kept)) {
        return {std::move(*refused), 0};
    }
    auto& rows = std::get<ListData::View>(kept);
    std::erase_if(rows, [&](const auto* row) { return quirks.hides.contains(row->id); });
    const Renderer renderer(rows, order.value_or(Order()), quirks, request);
    switch (envelope) {
    case Envelope::page_number: return renderer.page_number();
    case Envelope::limit_offset: return renderer.limit_offset();
    case Envelope::cursor: return renderer.cursor();
    case Envelope::array: break;
    }
    return renderer.array();
}

}  // namespace shelfd::sim
