#include "ctl/line/completion.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace shelfd::ctl {
namespace {

constexpr std::string_view opening =
    "# Made by `shelfctl completion`; a test keeps it equal to the grammar of shelfctl.\n";

// --help is offered with the options of every verb.
std::vector<OptionInfo> own_options(const VerbInfo& verb)
{
    auto options = verb.options;
    if (!verb.name.empty()) {
        std::erase_if(options, [](const auto& option) { return option.name == "--help"; });
    }
    return options;
}

std::vector<std::string> option_names(const VerbInfo& verb)
{
    std::vector<std::string> names;
    for (const auto& option : own_options(verb)) {
        names.push_back(option.name);
    }
    return names;
}

const VerbInfo& common(const std::vector<VerbInfo>& verbs)
{
    return *std::find_if(verbs.begin(), verbs.end(), [](const auto& verb) { return verb.name.empty(); });
}

// "auth" for "auth import"; "" for a verb of one word.
std::string group_of(const VerbInfo& verb)
{
    const auto blank = verb.name.find(' ');
    return blank == std::string::npos ? "" : verb.name.substr(0, blank);
}

std::string last_word(const VerbInfo& verb)
{
    const auto blank = verb.name.find(' ');
    return blank == std::string::npos ? verb.name : verb.name.substr(blank + 1);
}

std::set<std::string> groups(const std::vector<VerbInfo>& verbs)
{
    std::set<std::string> all;
    for (const auto& verb : verbs) {
        if (const auto group = group_of(verb); !group.empty()) {
            all.insert(group);
        }
    }
    return all;
}

// The words that may follow `group`; "" = the first word.
std::vector<std::string> words_after(const std::vector<VerbInfo>& verbs, const std::string& group)
{
    std::vector<std::string> words;
    for (const auto& verb : verbs) {
        auto word = group_of(verb) == group ? last_word(verb) : group.empty() ? group_of(verb) : "";
        if (!word.empty() && std::find(words.begin(), words.end(), word) == words.end()) {
            words.push_back(std::move(word));
        }
    }
    return words;
}

// The known values of an argument or option.
std::string_view shells_of(const VerbInfo& verb)
{
    return verb.name == "completion" ? "bash zsh fish" : "";
}

// Options with a value: the word after them is not a verb.
std::vector<std::string> valued_options(const std::vector<VerbInfo>& verbs, std::string_view value)
{
    std::vector<std::string> names;
    for (const auto& verb : verbs) {
        for (const auto& option : verb.options) {
            const bool is_new = std::find(names.begin(), names.end(), option.name) == names.end();
            if (is_new && (value.empty() ? !option.value.empty() : option.value == value)) {
                names.push_back(option.name);
            }
        }
    }
    return names;
}

// Quoted for a shell.
std::string quoted(std::string text)
{
    std::string safe;
    for (const char c : text) {
        safe += c == '\'' ? "'\\''" : std::string(1, c);
    }
    return "'" + safe + "'";
}

// In zsh's descriptions colons have a meaning.
std::string zsh_word(const std::string& word, const std::string& meaning)
{
    std::string safe;
    for (const char c : meaning) {
        safe += c == ':' ? "\\:" : std::string(1, c);
    }
    return quoted(word + ":" + safe);
}

std::vector<std::string> zsh_options(const VerbInfo& verb)
{
    std::vector<std::string> words;
    for (const auto& option : own_options(verb)) {
        words.push_back(zsh_word(option.name, option.meaning));
    }
    return words;
}

// The words to offer after `seen`.
std::string zsh_case(const std::string& seen, const std::string& label, const std::vector<std::string>& words)
{
    return fmt::format("    {})\n        local -a found=({})\n        _describe {} found\n        ;;\n", quoted(seen),
                       fmt::join(words, " "), label);
}

// First the verbs, alone and after each group, then the options of each verb.
std::string zsh_cases(const std::vector<VerbInfo>& verbs)
{
    std::string cases;
    auto starts = groups(verbs);
    starts.insert("");
    for (const auto& group : starts) {
        std::vector<std::string> words;
        for (const auto& word : words_after(verbs, group)) {
            const auto name = group.empty() ? word : group + " " + word;
            const auto verb =
                std::find_if(verbs.begin(), verbs.end(), [&](const auto& one) { return one.name == name; });
            words.push_back(verb == verbs.end() ? quoted(word) : zsh_word(word, verb->meaning));
        }
        cases += zsh_case(group, "verb", words);
    }
    for (const auto& verb : verbs) {
        if (!verb.name.empty()) {
            auto words = zsh_options(verb);
            if (!shells_of(verb).empty()) {
                words.emplace_back(shells_of(verb));
            }
            cases += zsh_case(verb.name, "option", words);
        }
    }
    return cases;
}

std::vector<std::string> file_options(const std::vector<VerbInfo>& verbs)
{
    auto names = valued_options(verbs, "FILE");
    const auto paths = valued_options(verbs, "PATH");
    names.insert(names.end(), paths.begin(), paths.end());
    return names;
}

}  // namespace

std::string bash_completion(const std::vector<VerbInfo>& verbs)
{
    std::string cases;
    const auto add = [&](const std::string& verb, const std::vector<std::string>& words) {
        cases += fmt::format("    {}) words='{}' ;;\n", quoted(verb), fmt::join(words, " "));
    };
    for (const auto& group : groups(verbs)) {
        add(group, words_after(verbs, group));
    }
    for (const auto& verb : verbs) {
        auto words = verb.name.empty() ? words_after(verbs, "") : option_names(verb);
        if (const auto shells = shells_of(verb); !shells.empty()) {
            words.emplace_back(shells);
        }
        add(verb.name, words);
    }
    return fmt::format(R"({0}_shelfctl()
{{
    local current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD - 1]}} verb='' words='' word i
    COMPREPLY=()
    case $previous in
    {1}) mapfile -t COMPREPLY < <(compgen -f -- "$current"); return ;;
    {6}) return ;;
    esac
    for ((i = 1; i < COMP_CWORD; i++)); do
        word=${{COMP_WORDS[i]}}
        case $word in
        {2}) i=$((i + 1)) ;;
        -*) ;;
        *)
            verb=${{verb:+$verb }}$word
            case $verb in {3}) ;; *) break ;; esac
            ;;
        esac
    done
    case $verb in
{4}    esac
    case $current in -*) words="$words {5}" ;; esac
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
}}
complete -F _shelfctl shelfctl
)",
                       opening, fmt::join(file_options(verbs), " | "), fmt::join(valued_options(verbs, ""), " | "),
                       fmt::join(groups(verbs), " | "), cases, fmt::join(option_names(common(verbs)), " "),
                       fmt::join(valued_options(verbs, "TIME"), " | "));
}

std::string zsh_completion(const std::vector<VerbInfo>& verbs)
{
    return fmt::format(R"(#compdef shelfctl
{0}_shelfctl()
{{
    local verb='' word
    local -i i
    case $words[CURRENT-1] in
    {1}) _files; return ;;
    {6}) return ;;
    esac
    for ((i = 2; i < CURRENT; i++)); do
        word=$words[i]
        case $word in
        {2}) i=$((i + 1)) ;;
        -*) ;;
        *)
            verb=${{verb:+$verb }}$word
            case $verb in {3}) ;; *) break ;; esac
            ;;
        esac
    done
    if [[ $PREFIX == -* ]]; then
{4}    fi
    case $verb in
{5}    esac
}}
_shelfctl "$@"
)",
                       opening, fmt::join(file_options(verbs), "|"), fmt::join(valued_options(verbs, ""), "|"),
                       fmt::join(groups(verbs), "|"),
                       fmt::format("        local -a common=({})\n        _describe option common\n",
                                   fmt::join(zsh_options(common(verbs)), " ")),
                       zsh_cases(verbs), fmt::join(valued_options(verbs, "TIME"), "|"));
}

std::string fish_completion(const std::vector<VerbInfo>& verbs)
{
    std::string text(opening);
    text += "complete -c shelfctl -f\n";
    const auto all = fmt::format("{}", fmt::join(words_after(verbs, ""), " "));
    const auto seen = [](const VerbInfo& verb) {
        const auto group = group_of(verb);
        return group.empty() ? fmt::format("__fish_seen_subcommand_from {}", verb.name)
                             : fmt::format("__fish_seen_subcommand_from {}; and __fish_seen_subcommand_from {}", group,
                                           last_word(verb));
    };
    for (const auto& group : groups(verbs)) {
        text += fmt::format("complete -c shelfctl -n 'not __fish_seen_subcommand_from {}' -a {}\n", all, group);
    }
    for (const auto& verb : verbs) {
        const auto group = group_of(verb);
        if (!verb.name.empty()) {
            const auto place =
                group.empty() ? fmt::format("not __fish_seen_subcommand_from {}", all)
                              : fmt::format("__fish_seen_subcommand_from {}; and not __fish_seen_subcommand_from {}",
                                            group, fmt::join(words_after(verbs, group), " "));
            text +=
                fmt::format("complete -c shelfctl -n '{}' -a {} -d {}\n", place, last_word(verb), quoted(verb.meaning));
        }
        for (const auto& option : own_options(verb)) {
            const auto place = verb.name.empty() ? "" : fmt::format(" -n '{}'", seen(verb));
            const auto value = option.value.empty() ? "" : option.value == "TIME" ? " -x" : " -r -F";
            text += fmt::format("complete -c shelfctl{} -l {}{} -d {}\n", place, option.name.substr(2), value,
                                quoted(option.meaning));
        }
        if (const auto shells = shells_of(verb); !shells.empty()) {
            text += fmt::format("complete -c shelfctl -n '{}' -a '{}'\n", seen(verb), shells);
        }
    }
    return text;
}

}  // namespace shelfd::ctl
