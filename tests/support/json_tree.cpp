#include "support/json_tree.hpp"

#include "base/instant.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <stdexcept>

namespace shelfd {

namespace {

class Reader {
public:
    explicit Reader(std::string_view text) : text_(text) {}

    JsonTree value()
    {
        JsonTree tree;
        const char c = next();
        if (c == '{') {
            tree.type = JsonTree::Type::object;
            list('}', [&] {
                auto key = string();
                expect(':');
                tree.members[std::move(key)].push_back(value());
            });
        } else if (c == '[') {
            tree.type = JsonTree::Type::array;
            list(']', [&] { tree.elements.push_back(value()); });
        } else if (c == '"') {
            tree.type = JsonTree::Type::string;
            tree.text = string();
        } else {
            word(tree);
        }
        return tree;
    }

    void end()
    {
        skip();
        if (at_ != text_.size()) {
            fail();
        }
    }

private:
    [[noreturn]] void fail() const { throw std::runtime_error("no JSON: " + std::string(text_)); }
    void skip()
    {
        while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) {
            ++at_;
        }
    }
    char next()
    {
        skip();
        return at_ < text_.size() ? text_[at_] : '\0';
    }
    void expect(char c)
    {
        if (next() != c) {
            fail();
        }
        ++at_;
    }

    template <typename One>
    void list(char close, One one)
    {
        ++at_;
        if (next() == close) {
            ++at_;
            return;
        }
        for (;;) {
            one();
            if (next() == close) {
                ++at_;
                return;
            }
            expect(',');
        }
    }

    void word(JsonTree& tree)
    {
        std::string word;
        while (at_ < text_.size() && std::string_view(",]} \t\r\n").find(text_[at_]) == std::string_view::npos) {
            word += text_[at_++];
        }
        if (word == "null") {
            return;
        }
        const bool truth = word == "true" || word == "false";
        if (!truth && (word.empty() || word.find_first_not_of("0123456789+-.eE") != std::string::npos)) {
            fail();
        }
        tree.type = truth ? JsonTree::Type::boolean : JsonTree::Type::number;
        tree.number = word;
    }

    std::u16string string()
    {
        expect('"');
        std::u16string out;
        for (;;) {
            if (at_ >= text_.size()) {
                fail();
            }
            const char c = text_[at_++];
            if (c == '"') {
                return out;
            }
            if (c == '\\') {
                escape(out);
            } else {
                character(out, static_cast<unsigned char>(c));
            }
        }
    }

    void escape(std::u16string& out)
    {
        const char c = text_.at(at_++);
        constexpr std::string_view letters = "\"\\/bfnrt";
        constexpr std::string_view meanings = "\"\\/\b\f\n\r\t";
        if (c == 'u') {
            out += static_cast<char16_t>(std::stoul(std::string(text_.substr(at_, 4)), nullptr, 16));
            at_ += 4;
        } else {
            out += static_cast<char16_t>(meanings.at(letters.find(c)));
        }
    }

    void character(std::u16string& out, unsigned char first)
    {
        const int more = first < 0x80 ? 0 : first < 0xe0 ? 1 : first < 0xf0 ? 2 : 3;
        char32_t code = more == 0 ? first : first & (0x3fU >> more);
        for (int i = 0; i < more; ++i) {
            code = code << 6 | (static_cast<unsigned char>(text_.at(at_++)) & 0x3fU);
        }
        if (code >= 0x10000) {
            out += static_cast<char16_t>(0xd800 + ((code - 0x10000) >> 10));
            out += static_cast<char16_t>(0xdc00 + (code & 0x3ff));
        } else {
            out += static_cast<char16_t>(code);
        }
    }

    std::string_view text_;
    std::size_t at_ = 0;
};

bool same_moment(const std::u16string& a, const std::u16string& b)
{
    if (std::any_of(a.begin(), a.end(), [](char16_t c) { return c > 127; })) {
        return false;
    }
    const std::string first(a.begin(), a.end());
    const std::string second(b.begin(), b.end());
    const auto moment = Instant::from_rfc3339(first);
    const auto digits = [](const std::string& text) {
        const auto point = text.find('.');
        return point == std::string::npos ? 0 : text.find_first_not_of("0123456789", point + 1) - point - 1;
    };
    return moment && moment == Instant::from_rfc3339(second) && digits(first) <= 6 && digits(second) <= 6;
}

}  // namespace

JsonTree read_json(std::string_view text)
{
    Reader reader(text);
    auto tree = reader.value();
    reader.end();
    return tree;
}

bool equal_items(const JsonTree& a, const JsonTree& b)
{
    if (a.type != b.type) {
        return false;
    }
    const auto equal = [](const JsonTree& x, const JsonTree& y) { return equal_items(x, y); };
    switch (a.type) {
    case JsonTree::Type::null: return true;
    case JsonTree::Type::boolean:
    case JsonTree::Type::number: return a.number == b.number;
    case JsonTree::Type::string: return a.text == b.text || same_moment(a.text, b.text);
    case JsonTree::Type::array:
        return std::equal(a.elements.begin(), a.elements.end(), b.elements.begin(), b.elements.end(), equal);
    case JsonTree::Type::object: break;
    }
    return std::equal(a.members.begin(), a.members.end(), b.members.begin(), b.members.end(),
                      [&](const auto& x, const auto& y) {
                          return x.first == y.first &&
                                 std::equal(x.second.begin(), x.second.end(), y.second.begin(), y.second.end(), equal);
                      });
}

bool equal_items(std::string_view a, std::string_view b)
{
    return equal_items(read_json(a), read_json(b));
}

}  // namespace shelfd
