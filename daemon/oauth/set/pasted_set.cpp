#include "oauth/set/pasted_set.hpp"

#include "base/text.hpp"
#include "oauth/set/token_answer.hpp"

#include <algorithm>

#include <fmt/core.h>

namespace shelfd::oauth {
namespace {

constexpr std::string_view what_is_right =
    "give the token response as JSON ({\"access_token\": \"…\", \"refresh_token\": \"…\", …}), or two lines, "
    "access_token=… and refresh_token=…";

Error wrong(std::string_view what)
{
    return Error(ErrorKind::usage, fmt::format("{}; {}", what, what_is_right));
}

std::string_view unquote(std::string_view text)
{
    const auto quoted =
        text.size() >= 2 && (text.front() == '"' || text.front() == '\'') && text.back() == text.front();
    return quoted ? text.substr(1, text.size() - 2) : text;
}

ImportedSet from_answer(TokenAnswer answer)
{
    ImportedSet set;
    set.access = std::move(answer.access);
    set.refresh = std::move(answer.refresh);
    set.lifetime = answer.lifetime;
    set.scope = std::move(answer.scope);
    set.token_type = std::move(answer.token_type);
    return set;
}

Result<ImportedSet> parse_json(std::string_view text)
{
    if (auto answer = parse_token_answer(text)) {
        return from_answer(std::move(*answer));
    }
    if (const auto error = parse_oauth_error(text); !error.said.empty()) {
        return wrong("this is the service's refusal of a request, not a token set");
    }
    const auto part = salvage_token_answer(text);
    if (!part.access.empty() || !part.refresh.empty()) {
        return wrong("this JSON is cut off, or has more text after its end");
    }
    return wrong("this is not a JSON object with an access_token");
}

Result<void> take_line(ImportedSet& set, std::string_view line, std::size_t number)
{
    const auto equals = line.find_first_of("=:");
    if (equals == std::string_view::npos) {
        return wrong(fmt::format("line {} is not of the form name=value", number));
    }
    const auto name = unquote(trimmed(line.substr(0, equals)));
    const auto value = unquote(trimmed(line.substr(equals + 1)));
    if (name == "access_token" || name == "refresh_token") {
        auto& token = name == "access_token" ? set.access : set.refresh;
        if (!token.empty()) {
            return wrong(fmt::format("line {} repeats {}", number, name));
        }
        if (!is_token_text(value)) {
            return wrong(fmt::format("line {}: {} is empty or contains a space or a control character", number, name));
        }
        token = Secret(std::string(value));
    } else if (name == "expires_in") {
        const auto answer = salvage_token_answer(fmt::format("{{\"expires_in\": {},", value));
        set.lifetime = answer.lifetime;
    } else if (name == "scope") {
        set.scope = std::string(value);
    } else if (name == "token_type") {
        set.token_type = std::string(value);
    } else {
        return wrong(fmt::format(
            "line {} has a name other than access_token, refresh_token, expires_in, scope, token_type", number));
    }
    return {};
}

Result<ImportedSet> parse_lines(std::string_view text)
{
    ImportedSet set;
    for (std::size_t number = 1; !text.empty(); ++number) {
        const auto end = std::min(text.find('\n'), text.size());
        const auto line = trimmed(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
        if (line.empty() || line.front() == '#') {
            continue;
        }
        SHELFD_TRY(take_line(set, line, number));
    }
    if (set.access.empty()) {
        return wrong("this contains no access_token");
    }
    return set;
}

}  // namespace

ImportedSet ImportedSet::clone() const
{
    return {access.clone(), refresh.clone(), lifetime, scope, token_type};
}

Result<ImportedSet> parse_paste(std::string_view text)
{
    if (text.size() > max_paste) {
        return wrong(fmt::format("this is {} bytes long; a token set has a few hundred", text.size()));
    }
    text = trimmed(without_byte_order_mark(trimmed(text)));
    if (text.empty()) {
        return wrong("no input was given");
    }
    auto set = text.front() == '{' ? parse_json(text) : parse_lines(text);
    if (set && set->access.equals(set->refresh)) {
        return wrong("access_token and refresh_token are the same");
    }
    return set;
}

}  // namespace shelfd::oauth
