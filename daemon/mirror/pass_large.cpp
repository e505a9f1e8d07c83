// Pages so large that they are read in pieces.
#include "mirror/json/pieces.hpp"
#include "mirror/pass_parts.hpp"

#include <fmt/format.h>

#include <functional>
#include <utility>

namespace shelfd::mirror {
namespace {

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
        if (auto done = take(array, before); !done) {
            return done;
        }
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

// All of it is read before anything is taken, so that a page which is broken further on leaves nothing behind. What only
// shows when rows are written, or compared with those of another piece, breaks the pass.
Result<PageFacts> Pass::Parts::add_large(std::string_view results, Commit commit)
{
    // What is excluded may be what makes a row so large.
    const auto largest = exclusion.empty() ? largest_piece + largest_row : results.size();
    auto checked = each_piece(results, facts.name, largest, [this](std::string_view array, std::size_t before) -> Result<void> {
        std::string text;
        auto page = read(array, before, text);
        return page ? Result<void>() : std::move(page).error();
    });
    if (!checked) {
        return std::move(checked).error();
    }
    PageFacts page_facts;
    SeenRows met;
    auto taken = each_piece(results, facts.name, largest, [&](std::string_view array, std::size_t before) -> Result<void> {
        std::string text;
        auto page = read(array, before, text);
        if (!page) {
            return std::move(page).error();
        }
        page_facts.bytes += text.empty() ? array.size() : text.size();
        auto done = look_up(*page);
        done = done ? drop_repeated(*page, met, facts.name) : std::move(done);
        done = done ? take(*page, commit, page_facts) : std::move(done);
        for (const auto& item : page->items) {
            const auto& state = item.staged ? item.staged : item.known;
            if (done && state) {
                met.mark(state->ordinal, item.key);
            }
        }
        return done;
    });
    if (!taken) {
        broken = taken.error();
        return std::move(taken).error();
    }
    close_page(page_facts);
    return page_facts;
}

}  // namespace shelfd::mirror
