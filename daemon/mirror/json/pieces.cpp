#include "mirror/json/pieces.hpp"

#include <string>

namespace shelfd::mirror {
namespace {

constexpr std::string_view blanks = " \t\r\n";

Error broken(const char* what)
{
    return Error(ErrorKind::protocol, std::string("a page is not JSON: ") + what);
}

bool are_blank(std::string_view text)
{
    return text.find_first_not_of(blanks) == std::string_view::npos;
}

// Position after the closing quote of the string whose opening quote is at `at`; npos if it is missing.
std::size_t skip_string(std::string_view text, std::size_t at)
{
    for (auto quote = text.find('"', at + 1); quote != std::string_view::npos; quote = text.find('"', quote + 1)) {
        auto first = quote;
        while (first > at + 1 && text[first - 1] == '\\') {
            --first;
        }
        if ((quote - first) % 2 == 0) {
            return quote + 1;
        }
    }
    return std::string_view::npos;
}

// Position after the closing bracket of the array or object that begins at `at`; npos if it is missing.
std::size_t skip_nested(std::string_view text, std::size_t at)
{
    std::size_t depth = 0;
    while (at < text.size()) {
        switch (text[at]) {
        case '"': at = skip_string(text, at); continue;
        case '[':
        case '{': ++depth; break;
        case ']':
        case '}':
            if (--depth == 0) {
                return at + 1;
            }
            break;
        default: break;
        }
        ++at;
    }
    return std::string_view::npos;
}

}  // namespace

ArrayPieces::ArrayPieces(std::string_view array, std::size_t bytes, std::size_t rows)
    : text_(array), piece_bytes_(bytes), piece_rows_(rows)
{
    at_ = text_.find_first_not_of(blanks);
    at_ = at_ != std::string_view::npos && text_[at_] == '[' ? at_ + 1 : std::string_view::npos;
}

Result<std::optional<std::string_view>> ArrayPieces::next()
{
    if (is_over_) {
        return std::optional<std::string_view>();
    }
    const auto begin = at_;
    std::size_t rows = 1;
    while (at_ < text_.size()) {
        const char c = text_[at_];
        if (c == '"') {
            at_ = skip_string(text_, at_);
        } else if (c == '[' || c == '{') {
            at_ = skip_nested(text_, at_);
        } else if (c == ',' && (at_ - begin >= piece_bytes_ || rows == piece_rows_)) {
            const auto piece = text_.substr(begin, at_++ - begin);
            rows_ += rows;
            return are_blank(piece) ? Result<std::optional<std::string_view>>(broken("a row is missing"))
                                    : std::optional(piece);
        } else if (c == ']' || c == '}') {
            const auto piece = text_.substr(begin, at_ - begin);
            is_over_ = true;
            if (c == '}' || !are_blank(text_.substr(at_ + 1))) {
                return broken(c == '}' ? "its brackets do not match" : "something follows its rows");
            }
            if (are_blank(piece) && rows_ > 0) {
                return broken("a comma ends its rows");
            }
            rows_ += are_blank(piece) ? 0 : rows;
            return std::optional(piece);
        } else {
            rows += c == ',' ? 1 : 0;
            ++at_;
        }
    }
    is_over_ = true;
    return broken("its rows do not end");
}

std::size_t past_value(std::string_view text, std::size_t at)
{
    const char c = at < text.size() ? text[at] : '\0';
    return c == '"' ? skip_string(text, at) : c == '[' || c == '{' ? skip_nested(text, at) : std::string_view::npos;
}

}  // namespace shelfd::mirror
