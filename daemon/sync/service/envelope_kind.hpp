// The kinds of frames that services put around a page of a list, and which of them go together.
#pragma once

#include <optional>
#include <string_view>

namespace shelfd::sync {

enum class Envelope {
    counted,  // {"count": 450, "next": "https://…?page=2&page_size=200", "results": […]}
    offset,  // {"count": 450, "next": "https://…?limit=200&offset=200", "results": […]}; its last page looks counted
    cursor,  // {"next": "https://…?cursor=cD0y", "results": […]}, without a count: `next` keeps its place in the list
    uncounted,  // {"next": "https://…?page=2", "results": […]}, or an offset: rows that go shift those behind them past
                // the walk, and no count tells; its last page looks like a cursor's
    array,   // […]: all of it in one answer, or a page whose headers or length tell of more
    object,  // {…}, a single row (`answers = "object"`)
};

// What is known after an answer of kind `seen` where `known` was known before; nothing = they do not go together.
std::optional<Envelope> agree(std::optional<Envelope> known, Envelope seen);
// The same for a page behind the first one of a walk: some services count on that one only.
std::optional<Envelope> agree_behind_first(Envelope known, Envelope seen);

const char* to_string(Envelope envelope);
std::optional<Envelope> envelope_from(std::string_view name);

}  // namespace shelfd::sync
