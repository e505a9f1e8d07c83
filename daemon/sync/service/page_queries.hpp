// The queries of the pages after the current one.
#pragma once

#include "sync/service/envelope.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace shelfd::sync {

// The service's names for page number and page size.
struct PageNames {
    std::string_view page_param;
    std::string_view page_size_param;
};

// The queries of up to `most` pages after the one of `next_query`, if they are predictable: page number or offset grows
// by one step for each page, and `count` gives the end. `query` is that of the current page, which held `items` rows.
// Empty if they are not.
std::vector<std::string> queries_ahead(const Query& query, const Page& page, std::uint64_t items,
                                       std::string_view page_param, std::size_t most);

// Adds to the query of `next` the parameters of `query`, the current page's, that it lacks: some services name only the
// page. Only for page numbers and offsets; a cursor contains all parameters.
void complete_next(Page& page, const Query& query, std::string_view page_param);

// True if the next page differs from the current one by its path: its path is not `path`, the list's, and every
// parameter of its query is in `query` with the same value. (A proxy may add or remove a prefix of paths.)
bool leads_by_path(const Page& page, const Query& query, std::string_view path);

// For a bare array whose pages are numbered: the query of the page after the one of `query`.
std::string query_behind(const Query& query, std::string_view page_param);

// For a list by offset that ignored the configured name for the page size and sent short pages: makes the next query
// request `page_size` rows. `query` is the current page's, which held `items` rows. Returns false if that is not
// possible or not longer, or if the next offset is not the number of rows before the next page: it may be a key, or the
// number of a page.
bool lengthen_next(Page& page, const Query& query, std::uint64_t items, std::uint32_t page_size);

enum class Gap {
    none,
    closed,
    remains,  // closed, but a page without a next one is not the end: the service reckons with a length of its own
};

// Some services return fewer rows than requested but compute the next page as if they had returned all, so rows between
// the two are skipped. Makes the next query begin after the `items` rows of the current page, and request that many.
// Only where the next offset is the current one plus the number of rows requested: any other offset may be a key, or
// the number of a page, and is followed as it is. Numbered pages are corrected from the second one on, which is
// requested with that length. `query` is the current page's; `asked`: rows requested if it names no number.
Gap close_gap(Page& page, const Query& query, std::uint64_t items, std::uint64_t asked, const PageNames& names);

}  // namespace shelfd::sync
