// The pages of a pass: read at once or, where they are large, in pieces; then staged and met.
#include "mirror/json/pieces.hpp"
#include "mirror/json/placing.hpp"
#include "mirror/lists/parents.hpp"
#include "mirror/pass_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <utility>

namespace shelfd::mirror {
namespace {

std::uint64_t count_fresh(const Page& page)
{
    const auto differs = [](const PageItem& item) { return !item.known || item.known->hash != item.hash; };
    return static_cast<std::uint64_t>(std::count_if(page.items.begin(), page.items.end(), differs));
}

using PieceSink = std::function<Result<void>(std::string_view array, std::size_t before)>;

// `largest`: bytes of a piece that can be read.
Result<void> each_piece(std::string_view results, const std::string& resource, std::size_t largest,
                        const PieceSink& take)
{
    ArrayPieces pieces(results);
    std::string array;
    for (;;) {
        const auto before = pieces.rows();
        auto piece = pieces.next();
        if (!piece || !*piece) {
            return piece ? Result<void>() : std::move(piece).error();
        }
        // Before it is copied. Its last row may be the large one.
        if ((*piece)->size() > largest) {
            return PageReader::too_large(resource, pieces.rows(), (*piece)->size());
        }
        array.assign("[").append(**piece).append("]");
        SHELFD_TRY(take(array, before));
    }
}

// The same row twice in a page, in two of its pieces: see PageReader, which finds those within one. `met`: rows of the
// pieces before.
Result<void> drop_repeated(Page& page, const SeenRows& met, const std::string& resource)
{
    std::vector<PageItem> kept;
    for (const auto& item : page.items) {
        const auto& state = item.staged ? item.staged : item.known;
        if (!state || !met.contains(state->ordinal)) {
            kept.push_back(item);
        } else if (state->hash != item.hash) {
            return Error(ErrorKind::protocol,
                         fmt::format("{}: two items of a page have the same key {}", resource, item.key.to_json()));
        }
    }
    if (kept.size() < page.items.size()) {
        page.items = std::move(kept);
        PageReader::sort(page);
    }
    return {};
}

}  // namespace

Result<Page> Pass::Parts::read(std::string_view results, std::size_t before, std::string& text)
{
    if (!exclusion.empty()) {
        SHELFD_TRY_ASSIGN(cleaned, exclusion.apply(results));
        text = std::move(cleaned);
        results = text;
    }
    const auto& slice = start.slice;
    if (slice && slice->is_list_by_parent()) {
        SHELFD_TRY_ASSIGN(completed, with_member(results, slice->member, slice->value));
        text = std::move(completed);
        results = text;
    }
    auto page = reader.read(results, before);
    if (page && slice) {
        SHELFD_TRY(check_places(*page, *slice));
    }
    return page;
}

Result<void> Pass::Parts::take(Page& page, Commit commit, PageFacts& page_facts)
{
    page_facts.items += page.items.size();
    page_facts.fresh += count_fresh(page);
    SHELFD_TRY(stage(page, commit));
    meet(page, page_facts);
    return {};
}

Result<PageFacts> Pass::Parts::add_whole(std::string_view results, Commit commit)
{
    std::string text;
    SHELFD_TRY_ASSIGN(page, read(results, 0, text));
    PageFacts page_facts;
    page_facts.bytes = text.empty() ? results.size() : text.size();
    auto done = look_up(page);
    done = done ? take(page, commit, page_facts) : std::move(done);
    if (!done) {
        if (done.error().kind() != ErrorKind::protocol) {
            broken = done.error();
        }
        return std::move(done).error();
    }
    close_page(page_facts);
    return page_facts;
}

// All of it is read before anything is taken, so that a page which is broken further on leaves nothing behind. What
// only shows when rows are written, or compared with those of another piece, breaks the pass.
Result<PageFacts> Pass::Parts::add_large(std::string_view results, Commit commit)
{
    // What is excluded may be what makes a row so large.
    const auto largest = exclusion.empty() ? max_piece + max_row : results.size();
    const auto check = [this](std::string_view array, std::size_t before) -> Result<void> {
        std::string text;
        SHELFD_TRY(read(array, before, text));
        return {};
    };
    SHELFD_TRY(each_piece(results, facts.name, largest, check));
    PageFacts page_facts;
    SeenRows met;
    const auto add_piece = [&](std::string_view array, std::size_t before) -> Result<void> {
        std::string text;
        SHELFD_TRY_ASSIGN(page, read(array, before, text));
        page_facts.bytes += text.empty() ? array.size() : text.size();
        auto done = look_up(page);
        done = done ? drop_repeated(page, met, facts.name) : std::move(done);
        done = done ? take(page, commit, page_facts) : std::move(done);
        for (const auto& item : page.items) {
            const auto& state = item.staged ? item.staged : item.known;
            if (done && state) {
                met.mark(state->ordinal, item.key);
            }
        }
        return done;
    };
    if (auto taken = each_piece(results, facts.name, largest, add_piece); !taken) {
        broken = taken.error();
        return std::move(taken).error();
    }
    close_page(page_facts);
    return page_facts;
}

}  // namespace shelfd::mirror
