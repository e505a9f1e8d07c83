#include "mirror/json/page.hpp"

#include "mirror/json/decoding_version.hpp"
#include "mirror/json/pieces.hpp"
#include "mirror/json/text.hpp"

#include <simdjson.h>

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>

namespace shelfd::mirror {

namespace {

// Larger buffers are freed after the page; they take five times its size.
constexpr std::size_t max_kept = std::size_t{2} << 20U;

struct Buffers {
    simdjson::ondemand::parser parser;
    std::string text;  // simdjson reads up to 64 bytes past its end
};

// Owned by the thread, not by the pass: hundreds of passes wait for pages while a few threads read.
Buffers& buffers_of_thread()
{
    thread_local Buffers buffers;
    return buffers;
}

}  // namespace

PageReader::PageReader(std::string resource, std::vector<std::string> key, const Slice* slice)
    : resource_(std::move(resource)), key_(std::move(key)), slice_(slice), wanted_(key_)
{
    if (slice_ != nullptr && !slice_->field.empty()) {
        wanted_.push_back(slice_->field);
    }
}

Error PageReader::too_large(const std::string& resource, std::size_t ordinal, std::size_t bytes)
{
    return Error(ErrorKind::config,
                 fmt::format("{}: item {} of a page has {:.1f} MiB, more than the {} MiB that a row may have: add its "
                             "large member to `exclude`",
                             resource, ordinal, static_cast<double>(bytes) / (1U << 20U), max_row >> 20U));
}

void PageReader::release_large()
{
    if (auto& buffers = buffers_of_thread(); buffers.text.capacity() > max_kept) {
        const Buffers taken = std::exchange(buffers, Buffers());  // an assignment would keep the memory of the text
    }
}

Result<Page> PageReader::read(std::string_view results, std::span<const std::string_view> items, std::size_t before)
{
    first_ = before;
    is_key_at_fault_ = false;
    // Larger texts come in pieces, and only a piece with a large row exceeds max_piece.
    if (results.size() > std::max(max_whole, max_piece + max_row)) {
        return too_large(resource_, first_ + 1, results.size());
    }
    Page page;
    page.items.reserve(std::max(items_before_, items.size()));
    SHELFD_TRY(items.empty() ? cut(results, page) : read_items(items, page));
    items_before_ = page.items.size();
    sort(page);
    if (drop_repeated(page)) {
        sort(page);
    }
    SHELFD_TRY(check_keys(page));
    return page;
}

// simdjson checks UTF-8 and the frame of the array, and finds where items end. It does not check inside items: known
// ones were checked when they were new, others will be.
Result<void> PageReader::cut(std::string_view results, Page& page)
{
    auto& [parser, buffer] = buffers_of_thread();
    buffer.reserve(results.size() + simdjson::SIMDJSON_PADDING);
    buffer.assign(results);
    const auto fault = [&](std::size_t ordinal, simdjson::error_code code) {
        return Error(ErrorKind::protocol, fmt::format("{}: item {} of a page is broken: {}", resource_, ordinal,
                                                      simdjson::error_message(code)));
    };
    simdjson::ondemand::document document;
    const simdjson::padded_string_view view(buffer.data(), buffer.size(), buffer.capacity());
    if (const auto code = parser.iterate(view).get(document)) {
        return Error(ErrorKind::protocol,
                     fmt::format("{}: a page is not JSON: {}", resource_, simdjson::error_message(code)));
    }
    simdjson::ondemand::array array;
    if (document.get_array().get(array)) {
        return Error(ErrorKind::protocol, fmt::format("{}: the items of a page are not an array", resource_));
    }
    std::size_t ordinal = first_;
    for (auto element : array) {
        ++ordinal;
        simdjson::ondemand::object object;
        std::string_view text;
        auto code = element.get_object().get(object);
        code = code ? code : object.raw_json().get(text);
        if (code) {
            return fault(ordinal, code);
        }
        SHELFD_TRY_ASSIGN(read, item(text, ordinal));
        page.items.push_back(std::move(read));
    }
    if (document.current_location().error() != simdjson::OUT_OF_BOUNDS) {
        return Error(ErrorKind::protocol, fmt::format("{}: something follows the items of a page", resource_));
    }
    return {};
}

Result<void> PageReader::read_items(std::span<const std::string_view> items, Page& page)
{
    std::size_t ordinal = first_;
    for (const auto text : items) {
        SHELFD_TRY_ASSIGN(read, item(text, ++ordinal));
        page.items.push_back(std::move(read));
    }
    return {};
}

Result<PageItem> PageReader::item(std::string_view text, std::size_t ordinal)
{
    PageItem item;
    // simdjson's view extends to the comma or bracket after the object.
    item.text = text.substr(0, text.find_last_of('}') + 1);
    if (item.text.size() > max_row) {
        return too_large(resource_, ordinal, item.text.size());
    }
    const auto fault = [&](const std::string& why) {
        return Error(ErrorKind::protocol, fmt::format("{}: item {} of a page: {}", resource_, ordinal, why));
    };
    if (const char* broken = find_members(item.text, wanted_, parts_)) {
        return fault(broken);
    }
    for (std::size_t i = 0; i < key_.size(); ++i) {
        if (parts_[i].value.empty()) {
            return key_fault(ordinal, key_[i], "is missing");
        }
        if (parts_[i].type == JsonType::null) {
            return key_fault(ordinal, key_[i], "is null");
        }
        auto part = key_part(parts_[i]);
        if (!part) {
            return key_fault(ordinal, key_[i], "is neither a text nor a whole number");
        }
        if (i == 0) {
            item.key.first = std::move(*part);
        } else {
            item.key.rest.push_back(std::move(*part));
        }
    }
    item.hash = content_hash(item.text, decoding_version);
    if (slice_ != nullptr) {
        item.place = slice_->field.empty() ? std::optional(slice_->first) : place_of(parts_.back());
    }
    return item;
}

Error PageReader::key_fault(std::size_t ordinal, const std::string& member, const char* why)
{
    is_key_at_fault_ = true;
    return {ErrorKind::protocol,
            fmt::format("{}: item {} of a page: its key \"{}\" {}", resource_, ordinal, member, why)};
}

std::optional<std::int64_t> PageReader::place_of(const Member& member)
{
    if (member.value.empty() || member.type != JsonType::string) {
        return std::nullopt;
    }
    (void)unescape(member.inside(), text_);
    return slice_->place_of(text_);
}

// Services list by ascending or descending key, so there is little to sort.
void PageReader::sort(Page& page)
{
    const auto& items = page.items;
    auto& sorted = page.sorted;
    sorted.resize(items.size());
    std::iota(sorted.begin(), sorted.end(), 0U);
    const auto before = [&](std::uint32_t a, std::uint32_t b) { return items[a].key < items[b].key; };
    if (items.size() > 1 && before(sorted.back(), sorted.front())) {
        std::reverse(sorted.begin(), sorted.end());
    }
    if (!std::is_sorted(sorted.begin(), sorted.end(), before)) {
        std::sort(sorted.begin(), sorted.end(), before);
    }
}

// A service that joins tables lists a row once for each match; items with equal text are one row. The service counts
// them all, so such a list proves nothing.
bool PageReader::drop_repeated(Page& page)
{
    std::vector<bool> repeated(page.items.size());
    bool any = false;
    for (std::size_t place = 1; place < page.sorted.size(); ++place) {
        const auto first = std::min(page.sorted[place - 1], page.sorted[place]);
        const auto second = std::max(page.sorted[place - 1], page.sorted[place]);
        const auto& one = page.items[first];
        const auto& other = page.items[second];
        if (one.key == other.key && one.text == other.text) {
            repeated[second] = any = true;
        }
    }
    if (any) {
        std::vector<PageItem> kept;
        for (std::size_t place = 0; place < page.items.size(); ++place) {
            if (!repeated[place]) {
                kept.push_back(std::move(page.items[place]));
            }
        }
        page.items = std::move(kept);
    }
    return any;
}

Result<void> PageReader::check_keys(const Page& page)
{
    const auto& items = page.items;
    const auto same = [&](std::uint32_t a, std::uint32_t b) { return items[a].key == items[b].key; };
    const auto twice = std::adjacent_find(page.sorted.begin(), page.sorted.end(), same);
    if (twice == page.sorted.end()) {
        return {};
    }
    is_key_at_fault_ = true;
    return Error(ErrorKind::protocol,
                 fmt::format("{}: items {} and {} of a page have the same key {}", resource_,
                             first_ + std::min(twice[0], twice[1]) + 1, first_ + std::max(twice[0], twice[1]) + 1,
                             items[*twice].key.to_json()));
}

}  // namespace shelfd::mirror
