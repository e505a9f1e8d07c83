#include "ctl/bugreport/redaction.hpp"

#include "base/text.hpp"
#include "base/words/digits.hpp"
#include "ctl/bugreport/message_words.hpp"
#include "ctl/bugreport/sentence_reader.hpp"
#include "ctl/bugreport/text_forms.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include <unistd.h>

namespace shelfd::ctl {
namespace {

// Words of libraries whose messages we pass on: libcurl, OpenSSL, SQLite.
constexpr std::string_view words_of_others =
    "couldn could not resolve proxy host name connect to server connection timed out after milliseconds operation "
    "failed ssl tls certificate problem unable to get local issuer self signed in chain has expired is not yet valid "
    "subject alternative no matches target peer recv send failure reset by empty reply from the transfer closed with "
    "outstanding read data remaining http version error setting routines alert handshake unexpected eof while reading "
    "database disk image malformed locked or full file encrypted a attempt write readonly open i/o constraint schema "
    "changed such table column near syntax interrupted out of memory corrupt corruption page tree freelist index";

constexpr std::size_t piece_size = 8;
constexpr int last_errno = 133;

void add_words(std::string_view text, std::unordered_set<std::string>& words)
{
    std::string word;
    for (const char c : std::string(text) + " ") {
        if (is_letter(c)) {
            word += lower(c);
        } else if (!word.empty()) {
            words.insert(std::exchange(word, ""));
        }
    }
}

}  // namespace

Redactor::Redactor(Hosts hosts) : hosts_(hosts)
{
    add_words(message_words, words_);
    add_words(words_of_others, words_);
    for (int number = 1; number <= last_errno; ++number) {
        add_words(std::strerror(number), words_);
    }
    // Names of months, which are also names of people.
    for (const auto* name : {"jan", "april", "june", "august"}) {
        words_.erase(name);
    }
}

void Redactor::keep(const std::string& name)
{
    names_.insert(name);
}

void Redactor::remove(const std::string& value)
{
    for (const auto& form : forms_of(value)) {
        if (form.size() < piece_size) {
            constexpr std::size_t too_common = 4;
            if (form.size() >= too_common) {
                removed_.push_back(form);
            }
            continue;
        }
        for (std::size_t at = 0; at + piece_size <= form.size(); ++at) {
            pieces_.insert(form.substr(at, piece_size));
        }
    }
}

void Redactor::add_host(const std::string& url)
{
    const auto host = host_of(url);
    if (!host.empty() && !host_names_.contains(host)) {
        const auto name = hosts_ == Hosts::kept ? host : fmt::format("host-{}", host_names_.size() + 1);
        host_names_.emplace(host, name);
    }
    // An address of a contact may end with it.
    for (std::size_t at = 0; hosts_ == Hosts::kept && at + piece_size <= host.size(); ++at) {
        kept_pieces_.insert(host.substr(at, piece_size));
    }
}

std::string Redactor::host_name(const std::string& host) const
{
    const auto found = host_names_.find(host);
    return found != host_names_.end() ? found->second : hosts_ == Hosts::kept ? host : "host";
}

std::string Redactor::origin(const std::string& url) const
{
    if (url.empty()) {
        return "";
    }
    const auto scheme = url.substr(0, url.find("://"));
    const bool is_scheme = scheme.size() < url.size() && std::all_of(scheme.begin(), scheme.end(), is_letter);
    return fmt::format("{}://{}", is_scheme ? scheme : "https", host_name(host_of(url)));
}

std::string Redactor::path(const std::string& url_path)
{
    const auto query = url_path.find_first_of("?#;");
    return query == std::string::npos ? url_path : url_path.substr(0, query) + "?…";
}

// "needs_person", "page_2", "v2": parts of our words, then at most three digits.
bool Redactor::is_known_word(std::string_view word) const
{
    if (names_.contains(word)) {
        return true;
    }
    constexpr std::size_t short_number = 3;
    const auto last_letter = word.find_last_not_of("0123456789");
    const auto letters = last_letter == std::string_view::npos ? 0 : last_letter + 1;
    if (word.size() - letters > short_number) {
        return false;
    }
    std::string part;
    for (const char c : std::string(word.substr(0, letters)) + "_") {
        if (is_letter(c)) {
            part += lower(c);
        } else if (c != '_' || (part.size() > 1 && !words_.contains(part))) {
            return false;
        } else {
            part.clear();
        }
    }
    return true;
}

bool Redactor::is_known(std::string_view joined) const
{
    if (names_.contains(joined)) {
        return true;
    }
    constexpr std::string_view joints = "-+=~&.";
    while (!joined.empty()) {
        const auto end = std::min(joined.find_first_of(joints), joined.size());
        if (!is_known_word(joined.substr(0, end))) {
            return false;
        }
        joined.remove_prefix(std::min(end + 1, joined.size()));
    }
    return true;
}

std::string Redactor::sentence(std::string_view text) const
{
    SentenceReader reader(text);
    std::string out;
    while (const auto part = reader.next()) {
        switch (part->kind) {
        case SentencePart::Kind::plain: out += part->text; break;
        case SentencePart::Kind::word: out += is_known(part->text) ? part->text : std::string(ellipsis); break;
        case SentencePart::Kind::host: out += host_name(part->text); break;
        case SentencePart::Kind::foreign: out += ellipsis; break;
        }
    }
    return without_repeated_ellipses(std::move(out));
}

std::string Redactor::identifier(const std::string& name) const
{
    constexpr std::size_t longest = 64;
    const auto fits = [](char c) { return is_letter(c) || is_digit(c) || c == '_'; };
    const auto digits = std::count_if(name.begin(), name.end(), is_digit);
    constexpr std::ptrdiff_t many = 4;
    return !name.empty() && name.size() <= longest && std::all_of(name.begin(), name.end(), fits) && digits <= many
               ? name
               : std::string(ellipsis);
}

// What follows a removed value without a break is a part of it, or tells where it was.
std::string Redactor::without_removed(std::string text) const
{
    const auto end_of_word = [&text](std::size_t at) {
        while (at < text.size() && (is_letter(text[at]) || is_digit(text[at]))) {
            ++at;
        }
        return at;
    };
    for (const auto& value : removed_) {
        // A short value that is a word of ours, like "demo", shows nothing.
        for (auto at = is_known(value) ? std::string::npos : text.find(value); at != std::string::npos;
             at = text.find(value, at)) {
            text.replace(at, end_of_word(at + value.size()) - at, "[redacted]");
        }
    }
    std::string out;
    std::size_t secret_until = 0;
    for (std::size_t at = 0; at < text.size(); ++at) {
        const auto piece = text.substr(at, piece_size);
        if (piece.size() == piece_size && pieces_.contains(piece) && !kept_pieces_.contains(piece)) {
            out += at >= secret_until ? "[redacted]" : "";
            secret_until = end_of_word(at + piece_size);
        }
        if (at >= secret_until) {
            out += text[at];
        }
    }
    return out;
}

}  // namespace shelfd::ctl
