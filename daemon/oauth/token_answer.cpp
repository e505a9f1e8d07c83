#include "oauth/token_answer.hpp"

#include "base/byte_order_mark.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <vector>

#include <boost/json/monotonic_resource.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>

namespace shelfd::oauth {
namespace {

namespace json = boost::json;

// Parsed values live in a block that is wiped afterwards, since tokens are among them.
template <typename Take>
bool with_object(std::string_view body, Take take)
{
    const auto text = without_byte_order_mark(body);
    std::vector<unsigned char> block(4096 + 4 * text.size());
    bool is_object = false;
    {
        json::monotonic_resource memory(block.data(), block.size());
        json::error_code error;
        const auto value = json::parse({text.data(), text.size()}, error, &memory);
        if (!error && value.is_object()) {
            is_object = true;
            take(value.get_object());
        }
    }
    explicit_bzero(block.data(), block.size());
    return is_object;
}

std::string text_member(const json::object& object, std::string_view name)
{
    const auto* member = object.if_contains({name.data(), name.size()});
    if (member == nullptr || !member->is_string()) {
        return "";
    }
    return std::string(member->get_string().data(), member->get_string().size());
}

std::optional<Duration> lifetime_of_seconds(double seconds)
{
    if (!std::isfinite(seconds) || seconds < 1) {
        return std::nullopt;
    }
    constexpr auto most = std::chrono::duration<double>(longest_lifetime).count();
    return std::chrono::seconds(static_cast<std::int64_t>(std::min(seconds, most)));
}

std::optional<Duration> lifetime_of_text(std::string_view text)
{
    double seconds = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
    if (error != std::errc() || end != text.data() + text.size()) {
        return std::nullopt;
    }
    return lifetime_of_seconds(seconds);
}

std::optional<Duration> lifetime_of(const json::object& object)
{
    const auto* member = object.if_contains("expires_in");
    if (member == nullptr) {
        return std::nullopt;
    }
    if (member->is_string()) {
        return lifetime_of_text({member->get_string().data(), member->get_string().size()});
    }
    json::error_code error;
    const auto seconds = member->to_number<double>(error);
    return error ? std::nullopt : lifetime_of_seconds(seconds);
}

// Walks the members of an object whose end may be missing.
class Beginning {
public:
    explicit Beginning(std::string_view text) : rest_(text) {}

    bool skip(char wanted)
    {
        skip_space();
        if (rest_.empty() || rest_.front() != wanted) {
            return false;
        }
        rest_.remove_prefix(1);
        return true;
    }

    // The text of a closed string, "" for one that is no text (a byte that is not UTF-8, a line break): those behind
    // it count all the same. Nothing when its end is missing.
    std::optional<std::string> string()
    {
        skip_space();
        const auto end = closing_quote(0);
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

    // The raw text of a value that is no string, up to the comma or brace that proves its end; nothing when there is
    // none.
    std::optional<std::string_view> other()
    {
        skip_space();
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
            if (depth == 0 && (c == ',' || c == '}')) {
                const auto value = rest_.substr(0, i);
                rest_.remove_prefix(i);
                return value.substr(0, value.find_last_not_of(" \t\r\n") + 1);
            }
            depth += c == '{' || c == '[' ? 1 : 0;
            depth -= depth > 0 && (c == '}' || c == ']') ? 1 : 0;
        }
        return std::nullopt;
    }

    bool at_string()
    {
        skip_space();
        return !rest_.empty() && rest_.front() == '"';
    }

private:
    void skip_space() { rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t\r\n"), rest_.size())); }

    // Of the string that begins at `begin`.
    std::size_t closing_quote(std::size_t begin) const
    {
        if (begin >= rest_.size() || rest_[begin] != '"') {
            return std::string_view::npos;
        }
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

void take_text(TokenAnswer& answer, const std::string& key, std::string value)
{
    if (key == "access_token" && is_token_text(value)) {
        answer.access = Secret(std::move(value));
    } else if (key == "refresh_token" && is_token_text(value)) {
        answer.refresh = Secret(std::move(value));
    } else if (key == "token_type") {
        answer.token_type = std::move(value);
    } else if (key == "scope") {
        answer.scope = std::move(value);
    } else if (key == "expires_in") {
        answer.lifetime = lifetime_of_text(value);
    }
}

}  // namespace

bool is_token_text(std::string_view text)
{
    return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c > 0x20 && c < 0x7f; });
}

std::optional<TokenAnswer> parse_token_answer(std::string_view body)
{
    TokenAnswer answer;
    const auto take = [&answer](const json::object& object) {
        for (const char* key : {"access_token", "refresh_token", "token_type", "scope"}) {
            take_text(answer, key, text_member(object, key));
        }
        answer.lifetime = lifetime_of(object);
    };
    if (!with_object(body, take) || answer.access.empty()) {
        return std::nullopt;
    }
    return answer;
}

std::string parse_oauth_error(std::string_view body)
{
    std::string error;
    with_object(body, [&error](const json::object& object) { error = text_member(object, "error"); });
    return error;
}

TokenAnswer salvage_token_answer(std::string_view beginning)
{
    TokenAnswer answer;
    Beginning walk(without_byte_order_mark(beginning));
    if (!walk.skip('{')) {
        return answer;
    }
    do {
        const auto key = walk.string();
        if (!key || !walk.skip(':')) {
            break;
        }
        if (walk.at_string()) {
            auto value = walk.string();
            if (!value) {
                break;
            }
            take_text(answer, *key, std::move(*value));
        } else {
            const auto value = walk.other();
            if (!value) {
                break;
            }
            if (*key == "expires_in") {
                answer.lifetime = lifetime_of_text(*value);
            }
        }
    } while (walk.skip(','));
    return answer;
}

}  // namespace shelfd::oauth
