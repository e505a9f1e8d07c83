// The queries of the pages behind the one at hand.
#pragma once

#include "sync/service/envelope.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace shelfd::sync {

// What the service calls the number of a page, and its length.
struct PageNames {
    std::string_view page_param;
    std::string_view page_size_param;
};

// The queries of up to `most` pages behind the one that `next_query` asks for, where they can be known: the page's
// number or offset grows by one step a page, and `count` says where the list ends. `query` is that of the page at hand,
// which held `items` rows. Empty where nothing is known.
std::vector<std::string> queries_ahead(const Query& query, const Page& page, std::uint64_t items,
                                       std::string_view page_param, std::size_t most);

// `next` may name the page alone: gives it what else `query` asked for, the one that the page at hand answers. A cursor
// has all of that in itself.
void complete_next(Page& page, const Query& query, std::string_view page_param);

// The address of the next page has another path than `path`, the one of the list, and asks for nothing that `query`
// does not ask for. (A front end may put something before each path, or take it away.)
bool leads_by_path(const Page& page, const Query& query, std::string_view path);

// The query of the page of a bare array behind the one that `query` asked for, if the service counts pages by number.
std::string query_behind(const Query& query, std::string_view page_param);

// A list by offset that was asked for pages under another list's name for their length answers with short ones: makes
// the next query ask for `page_size` rows. False when there is no longer page to be asked for.
bool lengthen_next(Page& page, std::uint32_t page_size);

// A service that gives fewer rows than were asked for, and reckons the next page as if it had given them all, leaves
// rows out between the two: makes the next query begin behind the `items` rows of the page at hand. Pages by number do
// so from the second one on, when they are asked for with that length. `query` is that of the page at hand; `asked`:
// how many rows it asked for.
void close_gap(Page& page, const Query& query, std::uint64_t items, std::uint64_t asked, const PageNames& names);

}  // namespace shelfd::sync
