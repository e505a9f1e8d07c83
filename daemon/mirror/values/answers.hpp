// What is known of the answers to requests for a list.
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

namespace shelfd::mirror {

// The frame that a service puts around a page of a list.
enum class Envelope {
    counted,  // {"count": 450, "next": "https://…?page=2&page_size=200", "results": […]}
    offset,  // {"count": 450, "next": "https://…?limit=200&offset=200", "results": […]}; its last page looks counted
    cursor,  // {"next": "https://…?cursor=cD0y", "results": […]}, without a count: `next` keeps its place in the list
    uncounted,  // {"next": "https://…?page=2", "results": […]}, or an offset: rows that go shift those behind them past
                // the walk, and no count tells; its last page looks like a cursor's
    array,   // […]: all of it in one answer, or a page whose headers or length tell of more
    object,  // {…}, a single row (`answers = "object"`)
};

// How a list answers to being asked for more than it gives by itself.
enum class Further {
    unknown,      // nobody has asked so far
    page,         // the next page by its number; the first one is 1
    page_from_0,  // likewise, and the first one is 0
    offset,       // the rows behind so many
    page_size,    // a longer page
    none,         // nothing more comes: what one answer brings is the list
    cut,          // nothing that is asked for brings more, and there is more, or the length says that there may be
};

// How the rows of a ledger write when they happened.
enum class PlaceForm { unknown, days, instants };

// The words of Envelope, in `_resources` and in messages.
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
