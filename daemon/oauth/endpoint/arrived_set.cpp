#include "oauth/endpoint/arrived_set.hpp"

#include "base/text.hpp"
#include "oauth/set/answer_dress.hpp"
#include "oauth/set/inflated.hpp"
#include "oauth/set/token_scan.hpp"

#include <algorithm>
#include <array>

namespace shelfd::oauth {
namespace {

std::string_view content_of(std::string_view body)
{
    return trimmed(without_byte_order_mark(trimmed(body)));
}

// Gateways and portals send HTML pages.
bool is_page(std::string_view text)
{
    constexpr std::array<std::string_view, 8> signs = {
        "<html", "<!doctype html", "<body", "<head", "<title", "<h1", "<br", "<p>"};
    const auto small = text.starts_with('<') ? lower(text.substr(0, 4096)) : std::string();
    return std::any_of(signs.begin(), signs.end(),
                       [&small](auto sign) { return small.find(sign) != std::string::npos; });
}

// JSON whose end is missing was damaged on its way: what it held is lost, and another answer may be whole.
bool is_cut_json(std::string_view text)
{
    if (!text.starts_with('{') && !text.starts_with('[')) {
        return false;
    }
    for (const bool with_strings : {true, false}) {
        int depth = 0;
        bool in_string = false;
        for (std::size_t i = 0; i < text.size(); ++i) {
            const char c = text[i];
            if (with_strings && c == '"') {
                in_string = !in_string;
            } else if (in_string) {
                i += c == '\\' ? 1 : 0;
            } else {
                depth += c == '{' || c == '[' ? 1 : 0;
                depth -= c == '}' || c == ']' ? 1 : 0;
                if (depth == 0) {
                    return false;
                }
            }
        }
    }
    return true;
}

}  // namespace

ArrivedSet::ArrivedSet(std::string_view body, std::string_view presented)
    : body_(body), presented_(presented), readings_(readings_of(body))
{
}

bool ArrivedSet::is_echo(const TokenAnswer& tokens) const
{
    return tokens.access.empty() && oauth::is_echo(tokens.refresh.reveal(), presented_);
}

std::optional<ArrivedSet::Pair> ArrivedSet::usable(TokenAnswer tokens, Presented presented) const
{
    constexpr std::size_t shortest_token = 16;  // a refusal may show marks in the place of tokens: "***"
    const auto length = std::min(tokens.access.reveal().size(), tokens.refresh.reveal().size());
    const bool is_refused = presented == Presented::is_echo &&
                            (length < shortest_token || oauth::is_echo(tokens.refresh.reveal(), presented_));
    if (length == 0 || is_refused) {
        return std::nullopt;
    }
    return Pair{std::move(tokens), true};
}

std::optional<ArrivedSet::Pair> ArrivedSet::find_pair(AnswerEnd ending, Presented presented) const
{
    for (const auto& reading : readings_) {
        if (auto pair = usable(salvage_token_answer(reading.reveal(), ending), presented)) {
            return pair;
        }
    }
    for (const auto names : {TokenNames::proper, TokenNames::shorter}) {
        for (const auto& reading : readings_) {
            if (auto pair = usable(scan_tokens(reading.reveal(), names), presented)) {
                pair->is_named = names == TokenNames::proper;
                return pair;
            }
        }
    }
    return std::nullopt;
}

TokenAnswer ArrivedSet::salvage(AnswerEnd ending) const
{
    auto found = salvage_token_answer(body_, ending);
    for (const auto& reading : readings_) {
        if (found.refresh.empty()) {
            auto other = salvage_token_answer(reading.reveal(), ending);
            found = other.refresh.empty() ? std::move(found) : std::move(other);
        }
    }
    return found;
}

std::optional<TokenAnswer> ArrivedSet::find_grant() const
{
    for (const auto& reading : readings_) {
        if (auto tokens = parse_token_answer(reading.reveal())) {
            return tokens;
        }
    }
    return std::nullopt;
}

OauthError ArrivedSet::find_error() const
{
    auto first = parse_oauth_error(body_);
    for (const auto& reading : readings_) {
        if (auto error = parse_oauth_error(reading.reveal()); first.code.empty() && !error.code.empty()) {
            first = std::move(error);
        }
    }
    return first;
}

ArrivedSet::Rest ArrivedSet::rest() const
{
    // A gateway that cuts a compressed answer cuts what it says.
    const Secret unpacked(inflated(body_, longest_reading));
    const auto text = content_of(unpacked.empty() ? body_ : unpacked.reveal());
    const auto names = [this](const Secret& reading) { return names_tokens(reading.reveal(), presented_); };
    if (is_cut_json(text)) {
        return Rest::no_set;
    }
    if (std::any_of(readings_.begin(), readings_.end(), names)) {
        return Rest::set;
    }
    if (text.empty() || is_page(text)) {
        return Rest::nothing;
    }
    return may_hold_tokens(text, presented_) ? Rest::set : Rest::no_set;
}

bool ArrivedSet::names_new_refresh() const
{
    return std::any_of(readings_.begin(), readings_.end(), [this](const Secret& reading) {
        return oauth::names_new_refresh(reading.reveal(), presented_);
    });
}

}  // namespace shelfd::oauth
