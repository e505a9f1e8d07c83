#include "base/words/names.hpp"
#include "config/check/value_check.hpp"
#include "config/check/values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <set>
#include <strings.h>
#include <unistd.h>

namespace shelfd::config {
namespace {

using Kind = Node::Kind;

// Of params, headers and the like.
constexpr std::size_t most_members = 200;

// True if no element was marked by an earlier step.
bool members_are_whole(Node& value)
{
    const bool whole =
        std::none_of(value.children.begin(), value.children.end(), [](const Node& n) { return n.faulty; });
    value.faulty = value.faulty || !whole;
    return whole;
}

// The daemon sets these headers itself; a second one would break the request or send a secret to the wrong place.
constexpr std::array<const char*, 8> own_headers = {"authorization",       "host",           "content-length",
                                                    "transfer-encoding",   "connection",     "cookie",
                                                    "proxy-authorization", "accept-encoding"};

bool is_own_header(const std::string& name)
{
    return std::any_of(own_headers.begin(), own_headers.end(),
                       [&](const char* own) { return ::strcasecmp(own, name.c_str()) == 0; });
}

}  // namespace

void check_text_list(Node& value, const KeyInfo& info, const CheckContext& context)
{
    if (!expect_kind(value, info, Kind::array, context) || !members_are_whole(value)) {
        return;
    }
    std::set<std::string_view> seen;
    for (const auto& element : value.children) {
        if (element.kind != Kind::string || element.text.empty() || !is_printable(element.text)) {
            refuse(value, element.position, fmt::format("{} must contain strings that are not empty", info.name),
                   context);
        } else if (!seen.insert(element.text).second) {
            refuse(value, element.position, fmt::format("{} names \"{}\" twice", info.name, element.text), context);
        }
    }
}

void check_text_map(Node& value, const KeyInfo& info, const CheckContext& context)
{
    if (!expect_kind(value, info, Kind::table, context) || !members_are_whole(value)) {
        return;
    }
    if (value.children.size() > most_members) {
        refuse(value, value.children[most_members].key_position,
               fmt::format("{} has {} members, more than the {} that a request can carry", info.name,
                           value.children.size(), most_members),
               context);
        return;
    }
    for (const auto& member : value.children) {
        const bool fits = member.kind == Kind::integer || member.kind == Kind::boolean || member.kind == Kind::string;
        if (!fits) {
            refuse(value, member.position,
                   fmt::format("{}.{} must be a string, an integer or a boolean, not {}{}", info.name, member.key,
                               describe(member.kind),
                               member.kind == Kind::array ? "; a parameter is sent only once: configure one resource "
                                                            "for each value, or one string if the service splits it"
                                                          : ""),
                   context);
        } else if (member.key.empty() || !is_printable(member.key) || !is_printable(member.text)) {
            refuse(value, member.key_position,
                   fmt::format("{} must not contain an empty name or a control character", info.name), context);
        }
    }
}

void check_word_list(Node& value, const KeyInfo& info, const CheckContext& context)
{
    check_text_list(value, info, context);
    if (value.faulty) {
        return;
    }
    const auto words = words_of(info.range);
    for (const auto& element : value.children) {
        if (std::find(words.begin(), words.end(), element.text) == words.end()) {
            const auto alike = nearest_alike(element.text, words);
            refuse(value, element.position,
                   fmt::format("{} knows no \"{}\"; {}", info.name, element.text,
                               alike.empty() ? fmt::format("known are {}", fmt::join(words, ", "))
                                             : fmt::format("the nearest known one is \"{}\"", alike)),
                   context);
        }
    }
    if (value.children.empty()) {
        refuse(value, value.position, fmt::format("{} must name at least one word, like \"{}\"", info.name, words[0]),
               context);
    }
}

void check_program(Node& value, const KeyInfo& info, const CheckContext& context)
{
    if (!expect_kind(value, info, Kind::array, context) || !members_are_whole(value)) {
        return;
    }
    for (const auto& argument : value.children) {
        if (argument.kind != Kind::string || argument.text.find('\0') != std::string::npos) {
            refuse(value, argument.position, fmt::format("{} must be a list of strings", info.name), context);
            return;
        }
    }
    if (value.children.empty()) {
        refuse(value, value.position, fmt::format("{} must be {}", info.name, describe(info)), context);
        return;
    }
    const auto& program = value.children.front();
    if (!program.text.starts_with('/')) {
        refuse(value, program.position,
               fmt::format("the program \"{}\" must begin with \"/\": neither a shell nor a search path is used",
                           program.text),
               context);
    } else if (::access(program.text.c_str(), F_OK) != 0 && errno != EACCES) {
        report_missing(value, program.position, fmt::format("{}: {}", program.text, std::strerror(errno)), context);
    }
}

void check_secret_header_map(Node& value, const KeyInfo& info, const CheckContext& context)
{
    if (!expect_kind(value, info, Kind::table, context)) {
        return;
    }
    for (auto& member : value.children) {
        if (!is_header_name(member.key)) {
            refuse(value, member.key_position, "that is not a name of a header", context);
        } else if (is_own_header(member.key) && ::strcasecmp(member.key.c_str(), "authorization") != 0) {
            refuse(value, member.key_position, fmt::format("the header {} is the daemon's own", member.key), context);
        } else if (member.kind != Kind::string) {
            auto name = info;
            name.name = member.key;
            check_secret(member, name, context);
        } else if (::strcasecmp(member.key.c_str(), "authorization") == 0) {
            refuse(value, member.position,
                   fmt::format("{0} is a secret: write all of its value to a file (mode 0640, root:shelfd) and name "
                               "that, {0} = {{ file = \"/etc/shelfd/secrets/NAME\" }}",
                               member.key),
                   context);
        } else if (!is_printable(member.text)) {
            refuse(value, member.position,
                   fmt::format("{}.{} must be a string without control characters", info.name, member.key), context);
        }
    }
    value.faulty = value.faulty || std::any_of(value.children.begin(), value.children.end(),
                                               [](const Node& member) { return member.faulty; });
}

void check_header_map(Node& value, const KeyInfo& info, const CheckContext& context)
{
    if (!expect_kind(value, info, Kind::table, context) || !members_are_whole(value)) {
        return;
    }
    for (const auto& member : value.children) {
        if (!is_header_name(member.key)) {
            refuse(value, member.key_position, "not a valid header name", context);
        } else if (is_own_header(member.key)) {
            refuse(value, member.key_position, fmt::format("the daemon sets the header {} itself", member.key),
                   context);
        } else if (member.kind != Kind::string || !is_printable(member.text)) {
            refuse(value, member.position,
                   fmt::format("{}.{} must be a string without control characters", info.name, member.key), context);
        }
    }
}

void check_key(Node& value, const KeyInfo& info, const CheckContext& context)
{
    if (value.kind == Kind::string) {
        if (value.text.empty() || !is_printable(value.text)) {
            refuse(value, value.position, fmt::format("{} must be {}", info.name, describe(info)), context);
        }
        return;
    }
    if (!expect_kind(value, info, Kind::array, context)) {
        return;
    }
    check_text_list(value, info, context);
    if (value.children.empty()) {
        refuse(value, value.position, "key must name a member", context);
    }
}

void check_selection(Node& value, const KeyInfo& info, const CheckContext& context)
{
    check_text_list(value, info, context);
    if (value.kind == Kind::array && value.children.empty()) {
        refuse(value, value.position,
               info.section == Section::hooks
                   ? fmt::format("{} must name at least one table, or \"*\" for all", info.name)
                   : "resources must name at least one; to fetch nothing for a while use paused = true",
               context);
    }
}

}  // namespace shelfd::config
