#include "ctl/line/completion.hpp"

#include "ctl/line/completion_words.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace shelfd::ctl {
namespace {

constexpr std::string_view opening =
    "# Made by `shelfctl completion`; a test keeps it equal to the grammar of shelfctl.\n";

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
            if (auto values = values_of(verb, verbs); !values.empty()) {
                words.push_back(std::move(values));
            }
            cases += zsh_case(verb.name, "option", words);
        }
    }
    return cases;
}

// The function that prints the names that fit the present place; with an argument, the tables of the library.
std::string fish_names(const std::vector<VerbInfo>& verbs)
{
    return fmt::format(R"sh(function __shelfctl_names
    set -l verb ''
    set -l args
    set -l given
    set -l skip ''
    set -l whole ''
    for word in (commandline -opc)[2..-1]
        if test -n "$skip"
            test "$skip" = given; and set -a given $word
            set skip ''
        else
            switch $word
                case --config --socket
                    set -a given $word
                    set skip given
                case {0}
                    set skip value
                case '-*'
                case '*'
                    if test -n "$whole"
                        set -a args $word
                    else
                        set verb (string trim "$verb $word")
                        contains -- $verb {1}; or set whole yes
                    end
            end
        end
    end
    if test (count $argv) -gt 0
        shelfctl $given completion tables $args[1] 2>/dev/null
        return
    end
    switch "$verb:"(count $args)
        case {2}
            shelfctl $given completion libraries 2>/dev/null
        case {3}
            shelfctl $given completion tables $args[1] 2>/dev/null
    end
end
complete -c shelfctl -a '(__shelfctl_names)'
)sh",
                       fmt::join(valued_options(verbs, ""), " "), fmt::join(groups(verbs), " "),
                       fmt::join(places_of(verbs, "LIB"), " "), fmt::join(places_of(verbs, "RESOURCE"), " "));
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
        if (auto values = values_of(verb, verbs); !values.empty()) {
            words.push_back(std::move(values));
        }
        add(verb.name, words);
    }
    return fmt::format(R"sh({0}_shelfctl()
{{
    local current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD - 1]}} verb='' words='' word i whole=''
    local -a args=() given=()
    COMPREPLY=()
    case $previous in
    {1}) mapfile -t COMPREPLY < <(compgen -f -- "$current"); return ;;
    {6}) return ;;
    esac
    for ((i = 1; i < COMP_CWORD; i++)); do
        word=${{COMP_WORDS[i]}}
        case $word in
        --config | --socket) given+=("$word" "${{COMP_WORDS[i + 1]}}"); i=$((i + 1)) ;;
        {2}) i=$((i + 1)) ;;
        -*) ;;
        *)
            if [[ -n $whole ]]; then
                args+=("$word")
                continue
            fi
            verb=${{verb:+$verb }}$word
            case $verb in {3}) ;; *) whole=yes ;; esac
            ;;
        esac
    done
    case $verb in
{4}    esac
    case $previous:$current:$verb:${{#args[@]}} in
    --resource:*) words=$(shelfctl "${{given[@]}}" completion tables "${{args[0]}}" 2>/dev/null) ;;
    *:-*) words="$words {5}" ;;
    *)
        case $verb:${{#args[@]}} in
        {7}) words="$words $(shelfctl "${{given[@]}}" completion libraries 2>/dev/null)" ;;
        {8}) words="$words $(shelfctl "${{given[@]}}" completion tables "${{args[0]}}" 2>/dev/null)" ;;
        esac
        ;;
    esac
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
}}
complete -F _shelfctl shelfctl
)sh",
                       opening, fmt::join(file_options(verbs), " | "), fmt::join(valued_options(verbs, ""), " | "),
                       fmt::join(groups(verbs), " | "), cases, fmt::join(option_names(common(verbs)), " "),
                       fmt::join(valued_options(verbs, "TIME"), " | "), fmt::join(places_of(verbs, "LIB"), " | "),
                       fmt::join(places_of(verbs, "RESOURCE"), " | "));
}

std::string zsh_completion(const std::vector<VerbInfo>& verbs)
{
    return fmt::format(R"sh(#compdef shelfctl
{0}_shelfctl()
{{
    local verb='' word whole=''
    local -a args given names
    local -i i
    case $words[CURRENT-1] in
    {1}) _files; return ;;
    {6}) return ;;
    esac
    for ((i = 2; i < CURRENT; i++)); do
        word=$words[i]
        case $word in
        --config|--socket) given+=("$word" "$words[i+1]"); i=$((i + 1)) ;;
        {2}) i=$((i + 1)) ;;
        -*) ;;
        *)
            if [[ -n $whole ]]; then
                args+=("$word")
                continue
            fi
            verb=${{verb:+$verb }}$word
            case $verb in {3}) ;; *) whole=yes ;; esac
            ;;
        esac
    done
    if [[ $words[CURRENT-1] == --resource ]]; then
        names=(${{(f)"$(shelfctl $given completion tables $args[1] 2>/dev/null)"}})
        compadd -a names
        return
    fi
    if [[ $PREFIX == -* ]]; then
{4}    else
        case "$verb:$#args" in
        {7}) names=(${{(f)"$(shelfctl $given completion libraries 2>/dev/null)"}}) ;;
        {8}) names=(${{(f)"$(shelfctl $given completion tables $args[1] 2>/dev/null)"}}) ;;
        esac
        compadd -a names
    fi
    case $verb in
{5}    esac
}}
_shelfctl "$@"
)sh",
                       opening, fmt::join(file_options(verbs), "|"), fmt::join(valued_options(verbs, ""), "|"),
                       fmt::join(groups(verbs), "|"),
                       fmt::format("        local -a common=({})\n        _describe option common\n",
                                   fmt::join(zsh_options(common(verbs)), " ")),
                       zsh_cases(verbs), fmt::join(valued_options(verbs, "TIME"), "|"),
                       fmt::join(places_of(verbs, "LIB"), "|"), fmt::join(places_of(verbs, "RESOURCE"), "|"));
}

std::string fish_completion(const std::vector<VerbInfo>& verbs)
{
    std::string text(opening);
    text += "complete -c shelfctl -f\n" + fish_names(verbs);
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
            const auto value = option.value.empty()         ? ""
                               : option.value == "TIME"     ? " -x"
                               : option.value == "RESOURCE" ? " -x -a '(__shelfctl_names tables)'"
                                                            : " -r -F";
            text += fmt::format("complete -c shelfctl{} -l {}{} -d {}\n", place, option.name.substr(2), value,
                                quoted(option.meaning));
        }
        if (const auto values = values_of(verb, verbs); !values.empty()) {
            text += fmt::format("complete -c shelfctl -n '{}' -a '{}'\n", seen(verb), values);
        }
    }
    return text;
}

}  // namespace shelfd::ctl
