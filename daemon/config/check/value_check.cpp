#include "config/check/value_check.hpp"

#include "base/instant.hpp"
#include "base/regular_file.hpp"
#include "config/check/address.hpp"
#include "config/check/values.hpp"

#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <sstream>
#include <utility>
#include <vector>

namespace shelfd::config {
namespace {

using Kind = Node::Kind;

std::pair<std::string_view, std::string_view> ends_of(std::string_view range)
{
    const auto dots = range.find("..");
    return {range.substr(0, dots), range.substr(dots + 2)};
}

std::optional<std::int64_t> parse_integer(std::string_view text)
{
    std::int64_t value = 0;
    const auto end = text.data() + text.size();
    return std::from_chars(text.data(), end, value).ptr == end ? std::optional(value) : std::nullopt;
}

// True if `value` is within the range of `info`; `parse` reads the range's ends.
template <typename T, typename Parse>
bool in_range(const T& value, const KeyInfo& info, Parse parse)
{
    const auto [least, most] = ends_of(info.range);
    return value >= *parse(least) && value <= *parse(most);
}

void refuse_value(Node& value, const KeyInfo& info, const CheckContext& context)
{
    refuse(value, value.position, fmt::format("{} must be {}", info.name, describe(info)), context);
}

template <typename Parse>
void check_measure(Node& value, const KeyInfo& info, const CheckContext& context, Parse parse)
{
    if (!expect_kind(value, info, Kind::string, context)) {
        return;
    }
    const auto measure = parse(value.text);
    if (!measure || !in_range(*measure, info, parse)) {
        refuse_value(value, info, context);
    }
}

void check_rate(Node& value, const KeyInfo& info, const CheckContext& context)
{
    if (!expect_kind(value, info, Kind::string, context)) {
        return;
    }
    const auto rate = parse_rate(value.text);
    if (!rate || (rate->per_minute && !in_range(std::int64_t{*rate->per_minute}, info, parse_integer))) {
        refuse_value(value, info, context);
    }
}

void check_word(Node& value, const KeyInfo& info, const CheckContext& context)
{
    if (!expect_kind(value, info, Kind::string, context)) {
        return;
    }
    const auto words = words_of(info.range);
    if (std::find(words.begin(), words.end(), value.text) == words.end()) {
        refuse_value(value, info, context);
    }
}

void check_text(Node& value, const KeyInfo& info, const CheckContext& context)
{
    if (!expect_kind(value, info, Kind::string, context)) {
        return;
    }
    if (value.text.empty()) {
        refuse(value, value.position, fmt::format("{} must not be empty", info.name), context);
    } else if (!is_printable(value.text)) {
        refuse(value, value.position, fmt::format("{} must not contain a line break or control character", info.name),
               context);
    }
}

void check_scalar(Node& value, const KeyInfo& info, const CheckContext& context)
{
    if (value.kind == Kind::integer) {
        return;
    }
    if (value.kind != Kind::string) {
        refuse(value, value.position,
               fmt::format("{} must be {}, not {}", info.name, describe(info), describe(value.kind)), context);
        return;
    }
    check_text(value, info, context);
}

template <typename Check>
void check_address(Node& value, const KeyInfo& info, const CheckContext& context, Check check)
{
    if (!expect_kind(value, info, Kind::string, context)) {
        return;
    }
    if (const auto outcome = check(value.text); !outcome) {
        refuse(value, value.position, fmt::format("{} {}", info.name, outcome.error().text()), context);
    }
}

// The address of a chat is a secret: whoever knows it can write there.
void check_secret_url(Node& value, const KeyInfo& info, const CheckContext& context)
{
    if (value.kind == Kind::string) {
        check_address(value, info, context, check_url);
    } else {
        check_secret(value, info, context);
    }
}

constexpr std::size_t max_bundle = 16u << 20;  // all authorities trusted by browsers take 0.2 MiB

// Returns what is wrong with a file of trusted certificates; "" if it is valid.
std::string certificates_fault(const std::string& path)
{
    const auto text = read_regular_file(path, max_bundle);
    if (!text) {
        return text.error().text() + ", so no certificate in PEM format was read";
    }
    std::istringstream lines(*text);
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with("-----BEGIN ") && line.find("CERTIFICATE") != std::string::npos) {
            return "";
        }
    }
    return "it contains no certificate in PEM format (-----BEGIN CERTIFICATE-----)";
}

void check_file(Node& value, const KeyInfo& info, const CheckContext& context)
{
    if (!expect_kind(value, info, Kind::string, context)) {
        return;
    }
    if (!value.text.starts_with('/') || !is_printable(value.text)) {
        refuse(value, value.position,
               fmt::format("{} must begin with \"/\": a relative path would depend on where the daemon is started",
                           info.name),
               context);
        return;
    }
    constexpr std::size_t max_socket = 107;  // sun_path holds 108 bytes including the final zero
    if (info.section == Section::control && info.name == "socket" && value.text.size() > max_socket) {
        refuse(value, value.position,
               fmt::format("socket is {} bytes long, and a unix socket's path may have {}: choose a shorter one",
                           value.text.size(), max_socket),
               context);
    }
    if (info.name == "ca_file") {
        if (const auto fault = certificates_fault(value.text); !fault.empty()) {
            report_missing(value, value.position, fmt::format("{}: {}", value.text, fault), context);
        }
    }
}

void check_group(Node& value, const KeyInfo& info, const CheckContext& context)
{
    if (expect_kind(value, info, Kind::string, context) &&
        (!is_printable(value.text) || value.text.find_first_of(":, /") != std::string::npos)) {
        refuse_value(value, info, context);
    }
}

void check_integer(Node& value, const KeyInfo& info, const CheckContext& context)
{
    if (expect_kind(value, info, Kind::integer, context) && !in_range(value.integer, info, parse_integer)) {
        refuse_value(value, info, context);
    }
}

}  // namespace

void refuse(Node& value, const Position& position, std::string text, const CheckContext& context)
{
    context.faults.add(position, std::move(text));
    value.faulty = true;
}

void report_missing(Node& value, const Position& position, std::string text, const CheckContext& context)
{
    if (context.secrets == Secrets::not_now) {
        context.faults.warn(position, std::move(text));
    } else {
        refuse(value, position, std::move(text), context);
    }
}

bool expect_kind(Node& value, const KeyInfo& info, Kind kind, const CheckContext& context)
{
    if (value.kind == kind) {
        return true;
    }
    refuse(value, value.position, fmt::format("{} must be {}, not {}", info.name, describe(info), describe(value.kind)),
           context);
    return false;
}

std::string describe(const KeyInfo& info)
{
    const auto within = [&](std::string_view what, std::string_view example) {
        const auto [least, most] = ends_of(info.range);
        return fmt::format("{} from {} to {}{}", what, least, most, example);
    };
    switch (info.type) {
    case KeyType::word: return fmt::format("\"{}\"", fmt::join(words_of(info.range), "\" or \""));
    case KeyType::integer: return within("an integer", "");
    case KeyType::boolean: return "true or false";
    case KeyType::duration: return within("a duration", ", like \"15m\" or \"1h30m\"");
    case KeyType::size: return within("a size", ", like \"64MiB\"");
    case KeyType::share: return within("a share", ", like \"10%\"");
    case KeyType::rate: return within("a number of requests a minute", ", like \"100/min\", or \"none\"");
    case KeyType::scalar: return "a string or an integer";
    case KeyType::listen: return "an address and a port, like \"127.0.0.1:9464\"";
    case KeyType::group: return "the name of a user group";
    case KeyType::text_list: return "a list of strings";
    case KeyType::text_map: return "a table of strings, integers and booleans";
    case KeyType::header_map: return "a table of strings";
    case KeyType::key: return "the name of a member, or a list of names";
    case KeyType::selection: return "a list of names of resources, \"*\" and \"-NAME\"";
    case KeyType::clock_list: return "a list of times, like [\"03:30\"]";
    case KeyType::span_list: return "a list of spans of time, like [\"22:00-06:00\"]";
    case KeyType::day_list: return "a list of weekdays, like [\"mon\", \"fri\"]";
    case KeyType::secret: return "{ file = \"…\" }, { credential = \"…\" } or { command = [\"…\"] }";
    case KeyType::zone: return "the name of a time zone, like \"Europe/Brussels\"";
    case KeyType::word_list: return "a list of words";
    case KeyType::program: return "a list: the path of a program, then its arguments";
    case KeyType::secret_url: return "an address, or { file = \"…\" }, { credential = \"…\" } or { command = [\"…\"] }";
    case KeyType::secret_header_map: return "a table of strings and secrets";
    case KeyType::table: return "a table";
    default: return "a string";
    }
}

void check_value(Node& value, const KeyInfo& info, const CheckContext& context)
{
    if (value.faulty) {
        return;
    }
    switch (info.type) {
    case KeyType::text: return check_text(value, info, context);
    case KeyType::word: return check_word(value, info, context);
    case KeyType::integer: return check_integer(value, info, context);
    case KeyType::boolean: return void(expect_kind(value, info, Kind::boolean, context));
    case KeyType::duration: return check_measure(value, info, context, parse_duration);
    case KeyType::size: return check_measure(value, info, context, parse_size);
    case KeyType::share: return check_measure(value, info, context, parse_share);
    case KeyType::rate: return check_rate(value, info, context);
    case KeyType::origin: return check_address(value, info, context, parse_origin);
    case KeyType::url: return check_address(value, info, context, check_url);
    case KeyType::proxy: return check_address(value, info, context, check_proxy);
    case KeyType::route: return check_address(value, info, context, check_route);
    case KeyType::listen: return check_address(value, info, context, check_listen);
    case KeyType::file: return check_file(value, info, context);
    case KeyType::group: return check_group(value, info, context);
    case KeyType::scalar: return check_scalar(value, info, context);
    case KeyType::text_list: return check_text_list(value, info, context);
    case KeyType::text_map: return check_text_map(value, info, context);
    case KeyType::header_map: return check_header_map(value, info, context);
    case KeyType::key: return check_key(value, info, context);
    case KeyType::selection: return check_selection(value, info, context);
    case KeyType::secret: return check_secret(value, info, context);
    case KeyType::clock_list: return check_clock_list(value, info, context);
    case KeyType::span_list: return check_span_list(value, info, context);
    case KeyType::day_list: return check_day_list(value, info, context);
    case KeyType::zone: return check_zone(value, info, context);
    case KeyType::word_list: return check_word_list(value, info, context);
    case KeyType::program: return check_program(value, info, context);
    case KeyType::secret_url: return check_secret_url(value, info, context);
    case KeyType::secret_header_map: return check_secret_header_map(value, info, context);
    case KeyType::table: return;
    }
}

}  // namespace shelfd::config
