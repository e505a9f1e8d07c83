#include "ctl/login/letter_template.hpp"

#include "base/regular_file.hpp"
#include "ctl/login/english_letter.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <set>
#include <sstream>

namespace shelfd::ctl {
namespace {

constexpr const char* installed_letters = "/usr/share/shelfd/letters/";
constexpr std::size_t largest_letter = 64u << 10;

constexpr std::array sentence_names = {"when_unknown", "when_none",    "when_deadline", "when_now",   "when_since",
                                       "when_any",     "kind_service", "kind_personal", "scopes_any", "questions"};
const std::set<std::string, std::less<>> known_words = {"library", "auth_url", "client_id", "kind",     "scopes",
                                                        "when",    "contact",  "questions", "deadline", "ahead",
                                                        "since",   "reason",   "lacked"};

using Words = std::map<std::string, std::string>;

// Words without a value become nothing.
std::string filled(const std::string& text, const Words& words)
{
    std::string out;
    for (std::size_t at = 0; at < text.size();) {
        const auto open = text.find('{', at);
        const auto close = open == std::string::npos ? open : text.find('}', open);
        if (close == std::string::npos) {
            return out + text.substr(at);
        }
        out += text.substr(at, open - at);
        const auto found = words.find(text.substr(open + 1, close - open - 1));
        out += found == words.end() ? "" : found->second;
        at = close + 1;
    }
    return out;
}

// The first word in braces that has no meaning; "" = none.
std::string unknown_word(std::string_view text)
{
    for (auto open = text.find('{'); open != std::string_view::npos; open = text.find('{', open + 1)) {
        const auto word = text.substr(open + 1, text.find('}', open) - open - 1);
        if (!known_words.contains(word)) {
            return std::string(word);
        }
    }
    return "";
}

}  // namespace

Result<LetterTemplate> LetterTemplate::parse(std::string_view text)
{
    LetterTemplate made;
    std::istringstream lines{std::string(text)};
    std::string line;
    while (std::getline(lines, line) && line != "---") {
        const auto equals = line.find(" = ");
        if (!line.starts_with('#') && equals != std::string::npos) {
            made.sentences_[line.substr(0, equals)] = line.substr(equals + 3);
        }
    }
    made.letter_.assign(std::istreambuf_iterator<char>(lines), {});
    for (const auto* name : sentence_names) {
        if (!made.sentences_.contains(name)) {
            return Error(ErrorKind::config,
                         fmt::format("the sentence \"{} = …\" is missing before the line ---", name));
        }
    }
    if (made.letter_.empty()) {
        return Error(ErrorKind::config, "there is no letter after a line ---");
    }
    auto all = made.letter_;
    for (const auto& [name, sentence] : made.sentences_) {
        all += sentence;
    }
    if (const auto word = unknown_word(all); !word.empty()) {
        return Error(ErrorKind::config,
                     fmt::format("{{{}}} has no meaning in a letter; known: {}", word, fmt::join(known_words, ", ")));
    }
    return made;
}

std::optional<std::string> LetterTemplate::reason(TokenState state) const
{
    for (const auto& name : {fmt::format("reason_{}", to_string(state)), std::string("reason_any")}) {
        if (const auto found = sentences_.find(name); found != sentences_.end()) {
            return found->second;
        }
    }
    return std::nullopt;
}

std::string LetterTemplate::fill(const Words& words) const
{
    auto text = filled(letter_, words);
    for (auto blank = text.find("\n\n\n"); blank != std::string::npos; blank = text.find("\n\n\n")) {
        text.erase(blank, 1);
    }
    while (text.ends_with("\n\n")) {
        text.pop_back();
    }
    return text;
}

std::string LetterTemplate::fill_sentence(const std::string& name, const Words& words) const
{
    return filled(sentence(name), words);
}

Result<LetterTemplate> find_letter(const std::string& config_file, const std::string& language)
{
    const auto own = (std::filesystem::path(config_file).parent_path() / "letters" / (language + ".txt")).string();
    const auto shipped = installed_letters + language + ".txt";
    for (const auto& path : {own, shipped}) {
        const auto text = read_regular_file(path, largest_letter);
        if (!text && text.error().system_errno != ENOENT && text.error().system_errno != ENOTDIR) {
            return Error(text.error().kind(), fmt::format("cannot read {}: {}", path, text.error().text()));
        }
        if (text) {
            auto parsed = LetterTemplate::parse(*text);
            return parsed ? std::move(parsed) : Result<LetterTemplate>(std::move(parsed.error()).in(path));
        }
    }
    if (language == "en") {
        return LetterTemplate::parse(english_letter);
    }
    return Error(ErrorKind::not_found,
                 fmt::format("there is no letter in the language \"{0}\": neither {1} nor {2}. Write one: copy "
                             "{3}en.txt to {1}, and translate it",
                             language, own, shipped, installed_letters));
}

}  // namespace shelfd::ctl
