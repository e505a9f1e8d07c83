// Turns answers of the service into pages of items: removes excluded members, adds the member of the slice, and splits
// large answers.
#pragma once

#include "base/result.hpp"
#include "mirror/json/exclusion.hpp"
#include "mirror/json/page.hpp"
#include "mirror/values/slice.hpp"

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace shelfd::mirror {

class PageIntake {
public:
    // `slice`, if not null, must outlive this.
    PageIntake(const std::string& resource, const std::vector<std::string>& key, const Slice* slice,
               Exclusion exclusion)
        : resource_(resource), slice_(slice), exclusion_(std::move(exclusion)), reader_(resource, key, slice)
    {
    }

    // Reads an array of items. `items`, `before`: see PageReader::read. If members were removed or added, `text`
    // becomes the array that was read instead of `results`; otherwise it stays empty. Errors: protocol; config for an
    // item that does not belong to the slice.
    Result<Page> read(std::string_view results, std::span<const std::string_view> items, std::size_t before,
                      std::string& text);

    // True if the last error of `read` was about the key of an item.
    bool is_key_at_fault() const { return reader_.is_key_at_fault(); }

    // Calls `take` for each piece of a large array, as an array of its own, with the number of items before it. Errors:
    // those of `take`; protocol; config for an item that is too large.
    using Take = std::function<Result<void>(std::string_view array, std::size_t before)>;
    Result<void> each_piece(std::string_view results, const Take& take) const;

    // Errors: protocol.
    Result<std::string> without_excluded(std::string_view results) const;

private:
    std::string resource_;
    const Slice* slice_;
    Exclusion exclusion_;
    PageReader reader_;
};

}  // namespace shelfd::mirror
