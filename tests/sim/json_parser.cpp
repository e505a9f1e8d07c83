#include "sim/json.hpp"

#include <fmt/format.h>

#include <optional>

namespace shelfd::sim {

namespace {

// Recursive descent over RFC 8259. nothing means a fault at the place where `rest_` begins.
class Parser {
public:
    explicit Parser(std::string_view text) : rest_(text) {}

    std::optional<Json> document()
    {
        auto value = this->value(0);
        skip_space();
        return rest_.empty() ? value : std::nullopt;
    }
    std::size_t left() const { return rest_.size(); }

private:
    void skip_space()
    {
        const auto at = rest_.find_first_not_of(" \t\r\n");
        rest_.remove_prefix(at == std::string_view::npos ? rest_.size() : at);
    }

    bool take(std::string_view word)
    {
        skip_space();
        if (!rest_.starts_with(word)) {
            return false;
        }
        rest_.remove_prefix(word.size());
        return true;
    }

    std::optional<Json> value(int depth)
    {
        skip_space();
        if (rest_.empty() || depth > 64) {
            return std::nullopt;
        }
        switch (rest_.front()) {
        case '{': return object(depth);
        case '[': return array(depth);
        case '"': return string();
        case 'n': return take("null") ? std::optional(Json()) : std::nullopt;
        case 't': return take("true") ? std::optional(Json(true)) : std::nullopt;
        case 'f': return take("false") ? std::optional(Json(false)) : std::nullopt;
        default: return number();
        }
    }

    std::optional<Json> object(int depth)
    {
        auto result = Json::object();
        take("{");
        if (take("}")) {
            return result;
        }
        do {
            skip_space();
            auto key = rest_.starts_with('"') ? string() : std::nullopt;
            if (!key || !take(":")) {
                return std::nullopt;
            }
            auto member = value(depth + 1);
            if (!member) {
                return std::nullopt;
            }
            result.members.emplace_back(std::move(key->text), std::move(*member));
        } while (take(","));
        return take("}") ? std::optional(std::move(result)) : std::nullopt;
    }

    std::optional<Json> array(int depth)
    {
        auto result = Json::array();
        take("[");
        if (take("]")) {
            return result;
        }
        do {
            auto item = value(depth + 1);
            if (!item) {
                return std::nullopt;
            }
            result.items.push_back(std::move(*item));
        } while (take(","));
        return take("]") ? std::optional(std::move(result)) : std::nullopt;
    }

    std::size_t digits(std::size_t at) const
    {
        while (at < rest_.size() && rest_[at] >= '0' && rest_[at] <= '9') {
            ++at;
        }
        return at;
    }

    std::optional<Json> number()
    {
        const std::size_t first = rest_.starts_with('-') ? 1 : 0;
        std::size_t end = digits(first);
        if (end == first || (rest_[first] == '0' && end > first + 1)) {
            return std::nullopt;
        }
        if (end < rest_.size() && rest_[end] == '.') {
            const auto fraction = end + 1;
            end = digits(fraction);
            if (end == fraction) {
                return std::nullopt;
            }
        }
        if (end < rest_.size() && (rest_[end] == 'e' || rest_[end] == 'E')) {
            auto exponent = end + 1;
            if (exponent < rest_.size() && (rest_[exponent] == '+' || rest_[exponent] == '-')) {
                ++exponent;
            }
            end = digits(exponent);
            if (end == exponent) {
                return std::nullopt;
            }
        }
        auto result = Json::number(std::string(rest_.substr(0, end)));
        rest_.remove_prefix(end);
        return result;
    }

    std::optional<Json> string()
    {
        std::string text;
        rest_.remove_prefix(1);
        while (!rest_.empty() && rest_.front() != '"') {
            if (static_cast<unsigned char>(rest_.front()) < 0x20) {
                return std::nullopt;
            }
            if (rest_.front() != '\\') {
                text += rest_.front();
                rest_.remove_prefix(1);
            } else if (!escape(text)) {
                return std::nullopt;
            }
        }
        if (rest_.empty()) {
            return std::nullopt;
        }
        rest_.remove_prefix(1);
        return Json(std::move(text));
    }

    bool escape(std::string& text)
    {
        static constexpr std::string_view names = "\"\\/bfnrt";
        static constexpr std::string_view meanings = "\"\\/\b\f\n\r\t";
        if (rest_.size() < 2) {
            return false;
        }
        const char kind = rest_[1];
        rest_.remove_prefix(2);
        if (kind != 'u') {
            const auto at = names.find(kind);
            if (at == std::string_view::npos) {
                return false;
            }
            text += meanings[at];
            return true;
        }
        auto code = hex4();
        if (code && *code >= 0xd800 && *code < 0xdc00 && rest_.starts_with("\\u")) {
            rest_.remove_prefix(2);
            const auto low = hex4();
            code = low && *low >= 0xdc00 && *low < 0xe000
                       ? std::optional(0x10000 + ((*code - 0xd800) << 10) + (*low - 0xdc00))
                       : std::nullopt;
        }
        return code && append_utf8(text, *code);
    }

    std::optional<std::uint32_t> hex4()
    {
        if (rest_.size() < 4) {
            return std::nullopt;
        }
        std::uint32_t code = 0;
        for (const char digit : rest_.substr(0, 4)) {
            static constexpr std::string_view hex = "0123456789abcdef";
            const char lower = digit >= 'A' && digit <= 'F' ? static_cast<char>(digit + 32) : digit;
            const auto at = hex.find(lower);
            if (at == std::string_view::npos) {
                return std::nullopt;
            }
            code = code * 16 + static_cast<std::uint32_t>(at);
        }
        rest_.remove_prefix(4);
        return code;
    }

    static bool append_utf8(std::string& text, std::uint32_t code)
    {
        const auto tail = [&](int shift) { text += static_cast<char>(0x80 | ((code >> shift) & 0x3f)); };
        if (code < 0x80) {
            text += static_cast<char>(code);
        } else if (code < 0x800) {
            text += static_cast<char>(0xc0 | (code >> 6));
            tail(0);
        } else if (code < 0x10000) {
            if (code >= 0xd800 && code < 0xe000) {
                return false;  // half a surrogate pair is no character
            }
            text += static_cast<char>(0xe0 | (code >> 12));
            tail(6);
            tail(0);
        } else {
            text += static_cast<char>(0xf0 | (code >> 18));
            tail(12);
            tail(6);
            tail(0);
        }
        return true;
    }

    std::string_view rest_;
};

}  // namespace

Result<Json> parse_json(std::string_view text)
{
    Parser parser(text);
    auto value = parser.document();
    if (!value) {
        return Error(ErrorKind::protocol, fmt::format("not JSON at byte {}", text.size() - parser.left()));
    }
    return std::move(*value);
}

}  // namespace shelfd::sim
