#include "mirror/json/page_intake.hpp"

#include "mirror/json/pieces.hpp"
#include "mirror/json/placing.hpp"

namespace shelfd::mirror {

Result<Page> PageIntake::read(std::string_view results, std::span<const std::string_view> items, std::size_t before,
                              std::string& text)
{
    if (!exclusion_.empty()) {
        SHELFD_TRY_ASSIGN(cleaned, exclusion_.apply(results));
        text = std::move(cleaned);
        results = text;
    }
    if (slice_ != nullptr && slice_->is_list_by_parent()) {
        SHELFD_TRY_ASSIGN(completed, with_member(results, slice_->member, slice_->value));
        text = std::move(completed);
        results = text;
    }
    SHELFD_TRY_ASSIGN(page, reader_.read(results, text.empty() ? items : std::span<const std::string_view>(), before));
    if (slice_ != nullptr) {
        SHELFD_TRY(check_places(page, *slice_));
    }
    return std::move(page);
}

Result<void> PageIntake::each_piece(std::string_view results, const Take& take) const
{
    // Excluded members may be what makes an item so large.
    const auto largest = exclusion_.empty() ? max_piece + max_row : results.size();
    ArrayPieces pieces(results);
    std::string array;
    for (;;) {
        const auto before = pieces.rows();
        SHELFD_TRY_ASSIGN(piece, pieces.next());
        if (!piece) {
            return {};
        }
        // Checked before it is copied. Its last item may be the large one.
        if (piece->size() > largest) {
            return PageReader::too_large(resource_, pieces.rows(), piece->size());
        }
        array.assign("[").append(*piece).append("]");
        SHELFD_TRY(take(array, before));
    }
}

Result<std::string> PageIntake::without_excluded(std::string_view results) const
{
    return exclusion_.empty() ? std::string(results) : exclusion_.apply(results);
}

}  // namespace shelfd::mirror
