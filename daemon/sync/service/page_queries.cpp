#include "sync/service/page_queries.hpp"

#include "base/words/digits.hpp"
#include "http/url.hpp"

#include <algorithm>
#include <utility>

namespace shelfd::sync {
namespace {

// More rows than any list has; below it, page number times page size fits into 64 bits.
constexpr std::uint64_t max_rows = std::uint64_t{1} << 32;

std::string_view without_slash(std::string_view path)
{
    return path.substr(0, path.find_last_not_of('/') + 1);
}

std::optional<std::uint64_t> number_of(const Query& query, std::string_view name)
{
    const auto* found = query.find(name);
    return found == nullptr ? std::nullopt : number_in(*found);
}

std::uint64_t offset_of(const Query& query)
{
    return number_of(query, "offset").value_or(0);
}

}  // namespace

std::vector<std::string> queries_ahead(const Query& query, const Page& page, std::uint64_t items,
                                       std::string_view page_param, std::size_t most)
{
    std::vector<std::string> queries;
    if (!page.count || !page.next_query || items == 0 || items > max_rows || *page.count > max_rows) {
        return queries;
    }
    auto params = page.next_query->params();
    for (const std::string_view name : {page_param, std::string_view("offset")}) {
        const auto is_it = [name](const http::Param& param) { return param.name == name; };
        const auto next = std::find_if(params.begin(), params.end(), is_it);
        const auto* here = query.find(name);
        // If a parameter occurs twice, it is not known which one the service uses.
        const bool is_one = std::count_if(params.begin(), params.end(), is_it) == 1;
        const auto number = is_one ? number_in(next->value) : std::nullopt;
        if (!number) {
            continue;
        }
        if (*number > *page.count) {
            return queries;
        }
        const bool is_offset = name != page_param;
        const auto start = here == nullptr ? (is_offset ? 0 : 1) : number_in(*here).value_or(*number);
        const auto step = *number - std::min(start, *number);
        const auto rows_before_next = is_offset ? *number : (*number - 1) * items;
        if (step != (is_offset ? items : 1) || rows_before_next >= *page.count) {
            return queries;
        }
        for (auto rows = rows_before_next + items; rows < *page.count && queries.size() < most; rows += items) {
            next->value = std::to_string(is_offset ? rows : rows / items + 1);
            queries.push_back(http::format_query(params));
        }
        return queries;
    }
    return queries;
}

void complete_next(Page& page, const Query& query, std::string_view page_param)
{
    if (!page.next_query || !(page.next_query->has(page_param) || page.next_query->has("offset"))) {
        return;
    }
    auto params = page.next_query->params();
    const auto named = params.size();
    for (const auto& param : query.params()) {
        const bool is_place = param.name == page_param || param.name == "offset" || param.name == "limit";
        if (!is_place && !page.next_query->has(param.name)) {
            params.push_back(param);
        }
    }
    if (params.size() > named) {
        page.next_query.emplace(std::move(params));
    }
}

bool leads_by_path(const Page& page, const Query& query, std::string_view path)
{
    const auto next_path = without_slash(page.next_path);
    path = without_slash(path);
    if (!page.next_query || next_path.empty() || next_path.ends_with(path) || path.ends_with(next_path)) {
        return false;
    }
    const auto& asked = query.params();
    const auto& next = page.next_query->params();
    return std::all_of(next.begin(), next.end(), [&](const http::Param& param) {
        return std::any_of(asked.begin(), asked.end(),
                           [&](const http::Param& one) { return one.name == param.name && one.value == param.value; });
    });
}

std::string query_behind(const Query& query, std::string_view page_param)
{
    auto params = query.params();
    const auto is_page = [page_param](const http::Param& param) { return param.name == page_param; };
    const auto here = std::find_if(params.begin(), params.end(), is_page);
    if (here == params.end()) {
        params.push_back({std::string(page_param), "2"});
    } else {
        here->value = std::to_string(number_in(here->value).value_or(1) + 1);
        params.erase(std::remove_if(here + 1, params.end(), is_page), params.end());
    }
    return http::format_query(params);
}

Gap close_gap(Page& page, const Query& query, std::uint64_t items, std::uint64_t asked, const PageNames& names)
{
    if (!page.next_query || items == 0 || items >= asked) {
        return Gap::none;
    }
    const auto& next = *page.next_query;
    const auto length = std::to_string(items);
    if (const auto offset = number_of(next, "offset")) {
        const auto here = offset_of(query);
        const auto limit = number_of(query, "limit");
        const auto requested = limit ? *limit : number_of(query, names.page_size_param).value_or(asked);
        const bool is_jump = *offset == here + requested || *offset == here + asked;
        if (!is_jump || *offset <= here + items) {
            return Gap::none;
        }
        http::Params shorter{{"offset", std::to_string(here + items)}};
        for (const std::string_view name : {std::string_view("limit"), names.page_size_param}) {
            if (next.has(name)) {
                shorter.push_back({std::string(name), length});
            }
        }
        page.next_query = next.with(shorter);
        return requested > items ? Gap::closed : Gap::remains;
    }
    if (number_of(next, names.page_param) && !number_of(query, names.page_param) &&
        number_of(next, names.page_size_param).value_or(0) > items) {
        page.next_query = next.with({{std::string(names.page_size_param), length}});
        return Gap::closed;
    }
    return Gap::none;
}

bool lengthen_next(Page& page, const Query& query, std::uint64_t items, std::uint32_t page_size)
{
    if (!page.next_query || number_of(*page.next_query, "offset") != offset_of(query) + items) {
        return false;
    }
    const auto length = number_of(*page.next_query, "limit");
    if (!length || *length >= page_size) {
        return false;
    }
    page.next_query = page.next_query->with({{"limit", std::to_string(page_size)}});
    return true;
}

}  // namespace shelfd::sync
