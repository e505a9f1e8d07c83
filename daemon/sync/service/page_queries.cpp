#include "sync/service/page_queries.hpp"

#include "base/digits.hpp"
#include "http/url.hpp"

#include <algorithm>
#include <utility>

namespace shelfd::sync {
namespace {

bool has_param(std::string_view query, std::string_view name)
{
    const auto params = http::parse_query(query);
    return std::any_of(params.begin(), params.end(), [name](const http::Param& param) { return param.name == name; });
}

// More rows than any list has. The product of a page's number and its length fits in 64 bits below that.
constexpr std::uint64_t max_rows = std::uint64_t{1} << 32;

std::string_view without_slash(std::string_view path)
{
    return path.substr(0, path.find_last_not_of('/') + 1);
}

}  // namespace

std::vector<std::string> queries_ahead(std::string_view query, const Page& page, std::uint64_t items,
                                       std::string_view page_param, std::size_t most)
{
    std::vector<std::string> queries;
    if (!page.count || !page.next_query || items == 0 || items > max_rows || *page.count > max_rows) {
        return queries;
    }
    auto params = http::parse_query(*page.next_query);
    const auto before = http::parse_query(query);
    for (const std::string_view name : {page_param, std::string_view("offset")}) {
        const auto is_it = [name](const http::Param& param) { return param.name == name; };
        const auto next = std::find_if(params.begin(), params.end(), is_it);
        const auto here = std::find_if(before.begin(), before.end(), is_it);
        // Given twice, nobody knows which of them counts.
        const bool is_one = std::count_if(params.begin(), params.end(), is_it) == 1;
        const auto number = is_one ? number_in(next->value) : std::nullopt;
        if (!number) {
            continue;
        }
        if (*number > *page.count) {
            return queries;
        }
        const bool is_offset = name != page_param;
        const auto start = here == before.end() ? (is_offset ? 0 : 1) : number_in(here->value).value_or(*number);
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

void complete_next(Page& page, std::string_view query, std::string_view page_param)
{
    if (!page.next_query || !(has_param(*page.next_query, page_param) || has_param(*page.next_query, "offset"))) {
        return;
    }
    auto params = http::parse_query(*page.next_query);
    bool complete = true;
    for (auto& param : http::parse_query(query)) {
        const bool is_place = param.name == page_param || param.name == "offset" || param.name == "limit";
        if (!is_place && !has_param(*page.next_query, param.name)) {
            params.push_back(std::move(param));
            complete = false;
        }
    }
    if (!complete) {
        page.next_query = http::format_query(params);
    }
}

bool leads_by_path(const Page& page, std::string_view query, std::string_view path)
{
    const auto next_path = without_slash(page.next_path);
    path = without_slash(path);
    if (!page.next_query || next_path.empty() || next_path.ends_with(path) || path.ends_with(next_path)) {
        return false;
    }
    const auto asked = http::parse_query(query);
    const auto next = http::parse_query(*page.next_query);
    return std::all_of(next.begin(), next.end(), [&](const http::Param& param) {
        return std::any_of(asked.begin(), asked.end(),
                           [&](const http::Param& one) { return one.name == param.name && one.value == param.value; });
    });
}

std::string query_behind(std::string_view query, std::string_view page_param)
{
    auto params = http::parse_query(query);
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

void close_gap(Page& page, std::string_view query, std::uint64_t items, std::uint64_t asked, const PageNames& names)
{
    if (!page.next_query || items == 0 || items >= asked) {
        return;
    }
    auto params = http::parse_query(*page.next_query);
    const auto number_of = [](const http::Params& in, std::string_view name) -> std::optional<std::uint64_t> {
        const auto found = std::find_if(in.begin(), in.end(), [&](const auto& param) { return param.name == name; });
        return found == in.end() ? std::nullopt : number_in(found->value);
    };
    const auto here = http::parse_query(query);
    if (const auto offset = number_of(params, "offset")) {
        const auto behind = number_of(here, "offset").value_or(0) + items;
        if (*offset > behind) {
            params = http::merge_params(params, {{"offset", std::to_string(behind)}});
            page.next_query = http::format_query(params);
        }
    } else if (number_of(params, names.page_param) && !number_of(here, names.page_param) &&
               number_of(params, names.page_size_param).value_or(0) > items) {
        params = http::merge_params(params, {{std::string(names.page_size_param), std::to_string(items)}});
        page.next_query = http::format_query(params);
    }
}

bool lengthen_next(Page& page, std::uint32_t page_size)
{
    if (!page.next_query || !has_param(*page.next_query, "offset")) {
        return false;
    }
    auto params = http::parse_query(*page.next_query);
    const auto limit =
        std::find_if(params.begin(), params.end(), [](const http::Param& param) { return param.name == "limit"; });
    const auto length = limit == params.end() ? std::nullopt : number_in(limit->value);
    if (!length || *length >= page_size) {
        return false;
    }
    limit->value = std::to_string(page_size);
    page.next_query = http::format_query(params);
    return true;
}

}  // namespace shelfd::sync
