#include "sync/service/bare_array.hpp"

#include "base/words/digits.hpp"
#include "http/link_header.hpp"
#include "http/target_length.hpp"
#include "http/url.hpp"
#include "sync/service/envelope_kind.hpp"

#include <fmt/core.h>
#include <simdjson.h>

#include <string_view>

namespace shelfd::sync {
namespace {

// Reads a header that is a JSON object: {"TotalCount":450,"PageSize":100}.
std::optional<std::uint64_t> total_in_json(std::string_view text)
{
    const simdjson::padded_string padded(text);
    simdjson::ondemand::parser parser;
    for (const char* name : {"total", "TotalCount", "totalCount", "total_count"}) {
        simdjson::ondemand::document document;
        std::uint64_t total = 0;
        if (parser.iterate(padded).get(document) == simdjson::SUCCESS &&
            document[name].get_uint64().get(total) == simdjson::SUCCESS) {
            return total;
        }
    }
    return std::nullopt;
}

std::optional<std::uint64_t> total_of(const http::Response& response)
{
    for (const char* name : {"X-Total-Count", "X-Total", "Total-Count", "X-Pagination-Total-Count"}) {
        if (const auto total = number_in(response.header(name))) {
            return total;
        }
    }
    const auto range = response.header("Content-Range");  // "items 0-99/450"
    // RFC 9110 section 14.4: with the unit "bytes" it is the length of the body.
    const bool counts_rows = !range.starts_with("bytes");
    if (const auto slash = range.rfind('/'); counts_rows && slash != std::string_view::npos) {
        return number_in(range.substr(slash + 1));
    }
    const auto pagination = response.header("X-Pagination");
    return pagination.empty() ? std::nullopt : total_in_json(pagination);
}

}  // namespace

Result<ArrayRest> rest_of_array(const http::Response& response)
{
    ArrayRest rest;
    rest.total = total_of(response);
    if (const auto next = http::link_target(response.joined("Link"), "next")) {
        if (next->size() > http::max_target) {
            return next_too_long(next->size());
        }
        rest.next_query = http::query_of(*next);
        if (rest.next_query->empty()) {
            return next_by_path(
                "the answer is a bare array, and the address of its next page, in its header Link, has no query");
        }
        rest.next_path = http::path_of(*next);
    }
    return rest;
}

Error next_by_path(std::string_view seen)
{
    return misfit(fmt::format("{}: pages that differ only in their path cannot be followed", seen),
                  "if one page can contain the whole list, raise `page_size`; otherwise split the list with "
                  "`window`, `parent` or a filter in `params`");
}

Error next_too_long(std::size_t bytes)
{
    return misfit(fmt::format("the address of the next page has {} bytes, more than the {} that servers accept: "
                              "the list cannot be followed",
                              bytes, http::max_target),
                  "tell the operator of the service, or check `path`");
}

}  // namespace shelfd::sync
