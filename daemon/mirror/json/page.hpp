// A page, split into items: each with its key, its text and its hash.
#pragma once

#include "base/result.hpp"
#include "mirror/json/content_hash.hpp"
#include "mirror/json/item_key.hpp"
#include "mirror/values/slice.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace shelfd::mirror {

struct RowState {
    ContentHash hash;
    std::int64_t ordinal = 0;
    std::int64_t place = 0;  // in a sliced table
    bool missed = false;     // a proven walk lacked it, and none has met it since
};

struct PageItem {
    std::string_view text;  // the object, as sent
    ItemKey key;
    ContentHash hash;
    std::optional<std::int64_t> place;  // in a sliced table; empty if the item states none
    std::optional<RowState> known;      // the state in the mirror under this key
    std::optional<RowState> staged;     // the state staged by this pass under it

    // The latest state of the row before this item.
    const std::optional<RowState>& newest() const { return staged ? staged : known; }
    bool is_new_or_changed() const { return !newest() || newest()->hash != hash; }
};

struct Page {
    std::vector<PageItem> items;        // in the order sent
    std::vector<std::uint32_t> sorted;  // positions in `items`, by key
};

// Items point into the `items` given, or into buffers of the calling thread: such a page becomes invalid when any
// reader reads the next one on the same thread.
class PageReader {
public:
    // `slice`, if not null, must outlive the reader.
    PageReader(std::string resource, std::vector<std::string> key, const Slice* slice = nullptr);

    // `items`: the items of `results`, if they are known, each up to the comma or bracket after it. `before`: number
    // of items of the same page in earlier pieces. Errors: protocol, with resource, key and the item's position in the
    // page (from 1); config for an item larger than max_row.
    Result<Page> read(std::string_view results, std::span<const std::string_view> items = {}, std::size_t before = 0);
    // True if the last error of `read` was about the key of an item.
    bool is_key_at_fault() const { return is_key_at_fault_; }
    // The error for an item larger than max_row at position `ordinal` of its page.
    static Error too_large(const std::string& resource, std::size_t ordinal, std::size_t bytes);
    // Frees the buffers that a large page left on the calling thread.
    static void release_large();
    // Updates `page.sorted` from `page.items`.
    static void sort(Page& page);

private:
    Result<void> cut(std::string_view results, Page& page);
    Result<void> read_items(std::span<const std::string_view> items, Page& page);
    Result<PageItem> item(std::string_view text, std::size_t ordinal);
    static bool drop_repeated(Page& page);
    Result<void> check_keys(const Page& page);
    Error key_fault(std::size_t ordinal, const std::string& member, const char* why);
    std::optional<std::int64_t> place_of(const Member& member);

    std::string resource_;
    std::vector<std::string> key_;
    const Slice* slice_;
    std::vector<std::string> wanted_;  // the key, and the slice's member with the place, if it has one
    std::string text_;
    std::size_t items_before_ = 0;  // in the previous page
    std::size_t first_ = 0;         // position of the first item in its page, from 0
    std::vector<Member> parts_;
    bool is_key_at_fault_ = false;
};

}  // namespace shelfd::mirror
