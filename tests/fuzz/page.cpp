// The rows of a page, cut into items with their keys; excluded members go before.
#include "mirror/json/page.hpp"
#include "fuzz/input.hpp"
#include "mirror/json/exclusion.hpp"
#include "mirror/json/object.hpp"

#include <algorithm>

using namespace shelfd;
using fuzz::promise;

namespace {

void check_items(std::string_view rows, const std::vector<std::string>& key)
{
    mirror::PageReader reader("recipes", key);
    const auto page = reader.read(rows);
    if (!page) {
        promise(page.error().kind() == ErrorKind::protocol, "rows that cannot be read are the service's fault");
        return;
    }
    promise(page->sorted.size() == page->items.size(), "every item is in order");
    for (std::size_t i = 1; i < page->sorted.size(); ++i) {
        promise(page->items[page->sorted[i - 1]].key < page->items[page->sorted[i]].key, "no key is there twice");
    }
    for (const auto& item : page->items) {
        promise(rows.find(item.text) != std::string_view::npos, "an item is as it was sent");
        promise(item.key.size() == key.size(), "a key has all of its parts");
        promise(mirror::read_key(item.key.to_json()) == item.key, "a key is written and read as the same");
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    static const mirror::Exclusion exclusion({"created_by.email", "a.b.c", "x"});
    const auto rows = fuzz::text_of(data, size);
    check_items(rows, {"id"});
    check_items(rows, {"id", "slug"});
    const auto kept = exclusion.apply(rows);
    if (kept) {
        promise(kept->size() <= rows.size(), "leaving out adds nothing");
        const auto again = exclusion.apply(*kept);
        promise(again && *again == *kept, "what was left out is gone at once");
        const bool was_json = mirror::check_value(rows) == nullptr;
        promise(!was_json || mirror::check_value(*kept) == nullptr, "what is left of JSON is JSON");
    }
    return 0;
}
