// What is known of the answers to requests for a list.
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

namespace shelfd::mirror {

// The frame of a page of a list.
enum class Envelope {
    counted,  // {"count": 450, "next": "https://…?page=2&page_size=200", "results": […]}
    offset,  // {"count": 450, "next": "https://…?limit=200&offset=200", "results": […]}; its last page looks counted
    cursor,  // {"next": "https://…?cursor=cD0y", "results": […]}, without a count; `next` keeps its place in the list
    uncounted,  // {"next": "https://…?page=2", "results": […]} or an offset, without a count: a deleted row shifts the
                // rows after it past the walk undetected; its last page looks like a cursor's
    array,   // […]: the whole list, or a page whose headers or length show that there is more
    object,  // {…}, a single row (`answers = "object"`)
};

// How a list returns more rows than one answer has.
enum class Further {
    unknown,      // not tried yet
    page,         // the next page by number, counted from 1
    page_from_0,  // the same, counted from 0
    offset,       // the rows after an offset
    page_size,    // a longer page
    none,         // one answer is the whole list
    cut,          // no request returns more, although there are more rows, or the length suggests it
};

// How the rows of a ledger state when they happened.
enum class PlaceForm { unknown, days, instants };

// The words for Envelope in `_resources` and in messages.
inline constexpr auto envelope_words = std::to_array<std::pair<Envelope, const char*>>({
    {Envelope::counted, "counted"},
    {Envelope::offset, "offset"},
    {Envelope::cursor, "cursor"},
    {Envelope::uncounted, "uncounted"},
    {Envelope::array, "array"},
    {Envelope::object, "object"},
});

constexpr const char* to_string(Envelope envelope)
{
    return std::find_if(envelope_words.begin(), envelope_words.end(),
                        [envelope](const auto& one) { return one.first == envelope; })
        ->second;
}

constexpr std::optional<Envelope> envelope_from(std::string_view word)
{
    const auto* found = std::find_if(envelope_words.begin(), envelope_words.end(),
                                     [word](const auto& one) { return one.second == word; });
    return found == envelope_words.end() ? std::nullopt : std::optional(found->first);
}

}  // namespace shelfd::mirror
