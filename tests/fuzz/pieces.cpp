// A large answer, cut into pieces: what is read from them is what is read from the whole.
#include "mirror/json/pieces.hpp"
#include "config/model/model.hpp"
#include "fuzz/input.hpp"
#include "mirror/json/object.hpp"
#include "mirror/json/page.hpp"
#include "sync/service/envelope.hpp"
#include "sync/service/large_answer.hpp"

#include <optional>
#include <string>

using namespace shelfd;
using fuzz::promise;

namespace {

// The elements of all pieces, one after the other; nothing where the array is not whole.
std::optional<std::vector<std::string>> elements_of_pieces(std::string_view array, std::size_t bytes, std::size_t rows)
{
    mirror::ArrayPieces pieces(array, bytes, rows);
    std::vector<std::string> all;
    for (;;) {
        const auto piece = pieces.next();
        if (!piece) {
            return std::nullopt;
        }
        if (!*piece) {
            promise(pieces.rows() == all.size(), "the rows of the pieces are counted");
            return all;
        }
        const auto text = "[" + std::string(**piece) + "]";
        std::vector<mirror::Member> elements;
        if (mirror::parse_elements(text, elements) != nullptr) {
            return std::nullopt;
        }
        promise(elements.size() <= rows, "no piece has more rows than it may");
        for (const auto& element : elements) {
            all.emplace_back(element.value);
        }
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    if (size < 2) {
        return 0;
    }
    const std::size_t bytes = 1 + data[0] % 64;
    const std::size_t rows = 1 + data[1] % 8;
    std::string answer(fuzz::text_of(data + 2, size - 2));
    std::vector<mirror::Member> whole;
    const bool is_array = mirror::parse_elements(answer, whole) == nullptr;
    if (const auto pieces = elements_of_pieces(answer, bytes, rows)) {
        promise(is_array, "pieces that can be read are those of an array");
        promise(pieces->size() == whole.size(), "no row is lost, none added");
        for (std::size_t i = 0; i < whole.size(); ++i) {
            promise((*pieces)[i] == whole[i].value, "a row is as it was sent");
        }
    } else {
        promise(!is_array, "an array can be cut into pieces");
    }
    const auto found = sync::find_rows(answer);
    const std::string rows_found(found.value_or(""));
    promise(!is_array || found, "an array is its own rows");
    // Frames that both read: the same rows. Names written with escapes are for the reader of small answers only.
    auto copy = answer;
    const auto page = sync::read_page(copy, config::Answers::list, "page");
    if (page && found && answer.find('\\') == std::string::npos && page->results.starts_with('[') &&
        mirror::check_value(answer) == nullptr) {
        promise(page->results == rows_found, "the rows are found where they are");
    }
    return 0;
}
