#include "oauth/set/answer_objects.hpp"

#include "base/text.hpp"

#include <algorithm>
#include <cstring>
#include <optional>

#include <boost/json/monotonic_resource.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>

namespace shelfd::oauth {
namespace {

namespace json = boost::json;

constexpr unsigned max_depth = 3;

// Parses JSON whose end may be missing.
class Beginning {
public:
    explicit Beginning(std::string_view text) : rest_(text) {}

    bool skip(char wanted)
    {
        if (!at(wanted)) {
            return false;
        }
        rest_.remove_prefix(1);
        return true;
    }

    bool at(char wanted)
    {
        rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t\r\n"), rest_.size()));
        return !rest_.empty() && rest_.front() == wanted;
    }

    // Returns the text of a closed string; "" if it is not valid JSON (invalid UTF-8, a line break), so that the
    // members after it still count. Empty optional if the end is missing.
    std::optional<std::string> string()
    {
        const auto end = at('"') ? closing_quote(0) : std::string_view::npos;
        if (end == std::string_view::npos) {
            return std::nullopt;
        }
        const Secret wrapped("[" + std::string(rest_.substr(0, end + 1)) + "]");
        rest_.remove_prefix(end + 1);
        json::error_code error;
        const auto parsed = json::parse({wrapped.reveal().data(), wrapped.reveal().size()}, error);
        if (error) {
            return "";
        }
        const auto& text = parsed.get_array().front().get_string();
        return std::string(text.data(), text.size());
    }

    // Returns the raw text of a value other than a string, up to the comma, brace or bracket that ends it; an empty
    // optional if none follows.
    std::optional<std::string_view> other()
    {
        at(' ');  // skips the space before it
        std::size_t depth = 0;
        for (std::size_t i = 0; i < rest_.size(); ++i) {
            const char c = rest_[i];
            if (c == '"') {
                const auto end = depth > 0 ? closing_quote(i) : std::string_view::npos;
                if (end == std::string_view::npos) {
                    return std::nullopt;
                }
                i = end;
                continue;
            }
            if (depth == 0 && (c == ',' || c == '}' || c == ']')) {
                const auto value = rest_.substr(0, i);
                rest_.remove_prefix(i);
                return value.substr(0, value.find_last_not_of(" \t\r\n") + 1);
            }
            depth += c == '{' || c == '[' ? 1 : 0;
            depth -= depth > 0 && (c == '}' || c == ']') ? 1 : 0;
        }
        return std::nullopt;
    }

private:
    // Position of the quote that closes the string beginning at `begin`; npos if it is missing.
    std::size_t closing_quote(std::size_t begin) const
    {
        for (std::size_t i = begin + 1; i < rest_.size(); ++i) {
            if (rest_[i] == '\\') {
                ++i;
            } else if (rest_[i] == '"') {
                return i;
            }
        }
        return std::string_view::npos;
    }

    std::string_view rest_;
};

class ObjectReader {
public:
    explicit ObjectReader(std::vector<AnswerObject>& objects) : objects_(objects) {}

    // Both return false if the end is missing or the text is not JSON.
    bool object(Beginning& walk, const std::string& name, unsigned depth)
    {
        if (!walk.skip('{')) {
            return false;
        }
        const auto index = objects_.size();
        objects_.push_back({name, depth, {}});
        if (walk.skip('}')) {
            return true;
        }
        do {
            const auto key = walk.string();
            if (!key || !walk.skip(':') || !value(walk, *key, index)) {
                return false;
            }
        } while (walk.skip(','));
        return walk.skip('}');
    }

    bool array_of_objects(Beginning& walk)
    {
        if (!walk.skip('[')) {
            return false;
        }
        while (object(walk, "", 0) && walk.skip(',')) {
        }
        return walk.skip(']');
    }

private:
    // Reads the value of member `name` of the object `index`.
    bool value(Beginning& walk, const std::string& name, std::size_t index)
    {
        const auto depth = objects_[index].depth;
        if (walk.at('"')) {
            auto text = walk.string();
            if (!text) {
                return false;
            }
            take_text(name, Secret(std::move(*text)), index);
            return true;
        }
        const bool is_nested = walk.at('{') || walk.at('[');
        if (is_nested && depth < max_depth) {
            // Skips a nested value that is not JSON, if its end is present.
            const auto before = walk;
            if (walk.at('{') ? object(walk, name, depth + 1) : array(walk, name, index)) {
                return true;
            }
            walk = before;
        }
        const auto raw = walk.other();
        if (raw && !is_nested) {
            objects_[index].members.push_back({name, Secret(std::string(*raw)), false});
        }
        return raw.has_value();
    }

    bool array(Beginning& walk, const std::string& name, std::size_t index)
    {
        walk.skip('[');
        if (walk.skip(']')) {
            return true;
        }
        do {
            // Skips elements other than strings and objects: no service sends tokens in arrays of arrays, and the stack
            // is limited.
            const bool is_taken = walk.at('"') || walk.at('{');
            if (is_taken ? !value(walk, name, index) : !walk.other()) {
                return false;
            }
        } while (walk.skip(','));
        return walk.skip(']');
    }

    // A gateway may forward the service's body as a string.
    void take_text(const std::string& name, Secret text, std::size_t index)
    {
        const auto depth = objects_[index].depth;
        const auto content = trimmed(text.reveal());
        if (depth < max_depth && !content.empty() && content.front() == '{') {
            Beginning inner(content);
            object(inner, name, depth + 1);
        }
        objects_[index].members.push_back({name, std::move(text), true});
    }

    std::vector<AnswerObject>& objects_;
};

std::optional<unsigned> hex_digit(char c)
{
    const char small = lower(c);
    return small >= '0' && small <= '9'   ? std::optional(static_cast<unsigned>(small - '0'))
           : small >= 'a' && small <= 'f' ? std::optional(static_cast<unsigned>(small - 'a' + 10))
                                          : std::nullopt;
}

// Decodes only %XX: an unencoded plus sign is far more often part of a token than a space.
std::string percent_decoded(std::string_view text)
{
    std::string out;
    out.reserve(text.size());
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto high = text[i] == '%' && i + 2 < text.size() ? hex_digit(text[i + 1]) : std::nullopt;
        const auto low = high ? hex_digit(text[i + 2]) : std::nullopt;
        if (low) {
            out += static_cast<char>(*high * 16 + *low);
            i += 2;
        } else {
            out += text[i];
        }
    }
    return out;
}

bool is_form_name(std::string_view name)
{
    const auto fits = [](char c) {
        const char small = lower(c);
        return (small >= 'a' && small <= 'z') || (small >= '0' && small <= '9') || c == '_' || c == '-' || c == '.';
    };
    return !name.empty() && std::all_of(name.begin(), name.end(), fits);
}

std::vector<AnswerObject> read_form(std::string_view text, AnswerEnd ending)
{
    AnswerObject form;
    while (!text.empty()) {
        const auto end = std::min(text.find('&'), text.size());
        const auto pair = text.substr(0, end);
        const bool is_closed = end < text.size() || ending == AnswerEnd::closed;
        text.remove_prefix(std::min(end + 1, text.size()));
        const auto equals = pair.find('=');
        if (equals == std::string_view::npos || !is_form_name(pair.substr(0, equals))) {
            return {};  // not a form at all
        }
        if (is_closed) {
            form.members.push_back(
                {std::string(pair.substr(0, equals)), Secret(percent_decoded(pair.substr(equals + 1))), true});
        }
    }
    std::vector<AnswerObject> objects;
    if (!form.members.empty()) {
        objects.push_back(std::move(form));
    }
    return objects;
}

std::string_view content_of(std::string_view body)
{
    return trimmed(without_byte_order_mark(trimmed(body)));
}

}  // namespace

std::vector<AnswerObject> read_answer_objects(std::string_view beginning, AnswerEnd ending)
{
    const auto text = content_of(beginning);
    std::vector<AnswerObject> objects;
    if (text.empty()) {
        return objects;
    }
    ObjectReader reader(objects);
    Beginning walk(text);
    if (text.front() == '{') {
        reader.object(walk, "", 0);
    } else if (text.front() == '[') {
        reader.array_of_objects(walk);
    } else {
        return read_form(text, ending);
    }
    return objects;
}

bool is_whole_answer(std::string_view body)
{
    const auto text = content_of(body);
    if (text.empty() || (text.front() != '{' && text.front() != '[')) {
        return !read_form(text, AnswerEnd::closed).empty();
    }
    // Parsed values contain tokens, so they are placed in a block that is wiped afterwards.
    std::vector<unsigned char> block(4096 + 4 * text.size());
    bool is_json = false;
    {
        json::monotonic_resource memory(block.data(), block.size());
        json::error_code error;
        const auto value = json::parse({text.data(), text.size()}, error, &memory);
        is_json = !error;
    }
    explicit_bzero(block.data(), block.size());
    return is_json;
}

std::string plain_name(std::string_view name)
{
    std::string plain;
    for (const char c : name) {
        const char small = lower(c);
        if ((small >= 'a' && small <= 'z') || (small >= '0' && small <= '9')) {
            plain += small;
        }
    }
    return plain;
}

}  // namespace shelfd::oauth
