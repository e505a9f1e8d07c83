#include "ctl/bugreport/sentence_reader.hpp"

#include "base/instant.hpp"
#include "base/words/digits.hpp"

#include <algorithm>
#include <array>

namespace shelfd::ctl {
namespace {

using Kind = SentencePart::Kind;

constexpr std::size_t max_kept_digits = 4;

bool is_beyond_ascii(char c)
{
    constexpr unsigned char last_ascii = 127;
    return static_cast<unsigned char>(c) > last_ascii;
}

bool is_word(char c)
{
    return is_letter(c) || is_digit(c) || c == '_' || is_beyond_ascii(c);
}

// Joins words to one that is kept or dropped as a whole: parts of a token could look like words.
bool is_joint(char c)
{
    constexpr std::string_view joints = "-+=%@~&.";
    return joints.find(c) != std::string_view::npos;
}

template <typename Test>
std::size_t length_while(std::string_view text, Test&& test)
{
    const auto end = std::find_if_not(text.begin(), text.end(), test);
    return static_cast<std::size_t>(end - text.begin());
}

// The length of "2026-11-26T13:00:00Z" or with a fraction; 0 if none begins here.
std::size_t instant_length(std::string_view text)
{
    constexpr std::size_t longest = 32;
    const auto end = text.substr(0, longest).find('Z');
    const bool is_one = end != std::string_view::npos && Instant::from_rfc3339(text.substr(0, end + 1));
    return is_one ? end + 1 : 0;
}

// "api.example.com", but not "shelfd.toml"; with the length of the chunk.
bool looks_like_host(std::string_view chunk)
{
    const auto dot = chunk.rfind('.');
    if (dot == std::string_view::npos || dot == 0 || chunk.find('_') != std::string_view::npos) {
        return false;
    }
    // Keys of the configuration: "storage.tokens".
    constexpr std::array<std::string_view, 11> sections = {"storage",  "control",  "service",     "library",
                                                           "resource", "defaults", "application", "hooks",
                                                           "snapshot", "changes",  "deletions"};
    if (std::find(sections.begin(), sections.end(), chunk.substr(0, chunk.find('.'))) != sections.end()) {
        return false;
    }
    const auto last = chunk.substr(dot + 1);
    constexpr std::array<std::string_view, 8> files = {"toml", "db", "txt", "json", "new", "service", "conf", "sock"};
    return last.size() > 1 && std::all_of(last.begin(), last.end(), is_letter) &&
           std::find(files.begin(), files.end(), last) == files.end();
}

// "2001:db8::1"
bool looks_like_address(std::string_view chunk)
{
    return std::count(chunk.begin(), chunk.end(), ':') > 1 && std::all_of(chunk.begin(), chunk.end(), [](char c) {
               return is_digit(c) || c == ':' || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F') || c == '.';
           });
}

std::size_t count_digits(std::string_view text)
{
    return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), is_digit));
}

}  // namespace

SentencePart SentenceReader::take(Kind kind, std::size_t length)
{
    SentencePart part{kind, std::string(rest_.substr(0, length))};
    rest_.remove_prefix(std::min(length, rest_.size()));
    return part;
}

// What is longer than one word.
std::optional<SentencePart> SentenceReader::special()
{
    const char first = rest_.front();
    if (first == '"') {
        const auto end = rest_.find('"', 1);
        return take(Kind::foreign, end == std::string_view::npos ? rest_.size() : end + 1);
    }
    if ((first == '?' || first == '#' || first == '&') && rest_.size() > 1 && rest_[1] != ' ') {
        return take(Kind::foreign, length_while(rest_, [](char c) { return c != ' ' && c != '"' && c != ')'; }));
    }
    if (const auto length = instant_length(rest_); length > 0) {
        return take(Kind::plain, length);
    }
    const auto address = length_while(rest_, [](char c) { return is_word(c) || c == ':' || c == '.'; });
    if (looks_like_address(rest_.substr(0, address))) {
        return take(Kind::foreign, address);
    }
    if (is_word(first)) {
        auto host = length_while(rest_, [](char c) { return is_word(c) || c == '.' || c == '-'; });
        while (host > 0 && rest_[host - 1] == '.') {
            --host;
        }
        if (looks_like_host(rest_.substr(0, host))) {
            return take(Kind::host, host);
        }
    }
    // Digits with what people put between them: dates, numbers of telephones and accounts.
    if (is_digit(first) || (first == '+' && rest_.size() > 1 && is_digit(rest_[1]))) {
        auto length = length_while(rest_, [](char c) {
            return is_digit(c) || c == ' ' || c == '-' || c == '.' || c == '/' || c == '+' || c == ':' || c == ',';
        });
        while (length > 0 && !is_digit(rest_[length - 1])) {
            --length;
        }
        const auto digits = rest_.substr(0, length);
        const bool ends_number = length == rest_.size() || !is_word(rest_[length]);
        if (count_digits(digits) > max_kept_digits) {
            return take(Kind::foreign, length);
        }
        if (ends_number) {
            return take(Kind::plain, length);
        }
    }
    return std::nullopt;
}

std::optional<SentencePart> SentenceReader::next()
{
    if (rest_.empty()) {
        return std::nullopt;
    }
    if (auto part = special()) {
        return part;
    }
    if (is_word(rest_.front())) {
        auto length = length_while(rest_, [](char c) { return is_word(c) || is_joint(c); });
        while (is_joint(rest_[length - 1])) {
            --length;
        }
        return take(Kind::word, length);
    }
    const char first = rest_.front();
    return take(first < ' ' ? Kind::foreign : Kind::plain, 1);
}

std::string without_repeated_ellipses(std::string text)
{
    std::string out;
    std::string between;  // since the last one, signs only
    bool after_one = false;
    for (std::size_t at = 0; at < text.size();) {
        if (std::string_view(text).substr(at).starts_with(ellipsis)) {
            out += after_one ? "" : std::string(ellipsis);
            between.clear();
            after_one = true;
            at += ellipsis.size();
        } else if (after_one && !is_word(text[at])) {
            between += text[at++];
        } else {
            out += between;
            between.clear();
            after_one = false;
            out += text[at++];
        }
    }
    return out + between;
}

}  // namespace shelfd::ctl
