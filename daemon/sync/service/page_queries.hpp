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
// request `page_size` rows. Returns false if that is not possible or not longer.
bool lengthen_next(Page& page, std::uint32_t page_size);

// Some services return fewer rows than requested but compute the next page as if they had returned all, so rows between
// the two are skipped. Makes the next query begin after the `items` rows of the current page. Numbered pages are
// corrected from the second one on, which is requested with that length. `query` is the current page's; `asked` is the
// number of rows it requested.
void close_gap(Page& page, const Query& query, std::uint64_t items, std::uint64_t asked, const PageNames& names);

}  // namespace shelfd::sync
