// A page of items, cut into its items: each with its key, its bytes and their hash.
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
    std::int64_t place = 0;  // of a sliced table's row
    bool missed = false;     // a proven walk lacked it, and none has met it since
};

struct PageItem {
    std::string_view text;  // the object, as sent
    ItemKey key;
    ContentHash hash;
    std::optional<std::int64_t> place;  // in a sliced table; nothing when it tells none
    std::optional<RowState> known;      // what the mirror has under this key
    std::optional<RowState> staged;     // what this pass has staged under it

    // The newest sight of the row before this one.
    const std::optional<RowState>& newest() const { return staged ? staged : known; }
    bool is_new_or_changed() const { return !newest() || newest()->hash != hash; }
};

struct Page {
    std::vector<PageItem> items;        // in the order sent
    std::vector<std::uint32_t> sorted;  // places in `items`, by key
};

// Items point into the `items` given, or into buffers of the calling thread: such a page is gone when the next one is
// read on the same thread, by whichever reader.
class PageReader {
public:
    // `slice`, if the table has one, outlives it.
    PageReader(std::string resource, std::vector<std::string> key, const Slice* slice = nullptr);

    // `items`: those of `results`, where somebody found them before, each up to the comma or bracket behind it.
    // `before`: items of the same page that were read already, where this is a piece of it. Errors: protocol, with
    // resource, key and the item's place in the page (from 1) in the text; config for a row beyond max_row.
    Result<Page> read(std::string_view results, std::span<const std::string_view> items = {}, std::size_t before = 0);
    // What is said of a row beyond max_row, item `ordinal` of its page.
    static Error too_large(const std::string& resource, std::size_t ordinal, std::size_t bytes);
    // Of the calling thread, buffers that a large page left.
    static void release_large();
    // Brings `page.sorted` up to date with `page.items`.
    static void sort(Page& page);

private:
    Result<void> cut(std::string_view results, Page& page);
    Result<void> read_items(std::span<const std::string_view> items, Page& page);
    Result<PageItem> item(std::string_view text, std::size_t ordinal);
    static bool drop_repeated(Page& page);
    Result<void> check_keys(const Page& page) const;
    std::optional<std::int64_t> place_of(const Member& member);

    std::string resource_;
    std::vector<std::string> key_;
    const Slice* slice_;
    std::vector<std::string> wanted_;  // the key, and where the slice has one, the member that tells the place
    std::string text_;
    std::size_t items_before_ = 0;  // of the page before
    std::size_t first_ = 0;         // place of the first item in its page, from 0
    std::vector<Member> parts_;
};

}  // namespace shelfd::mirror
