#include "ctl/line/completion_words.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace shelfd::ctl {

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

std::string values_of(const VerbInfo& verb, const std::vector<VerbInfo>& verbs)
{
    return verb.name == "completion" ? "bash zsh fish"
           : verb.name == "help"     ? fmt::format("{}", fmt::join(words_after(verbs, ""), " "))
                                     : "";
}

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

std::vector<std::string> file_options(const std::vector<VerbInfo>& verbs)
{
    auto names = valued_options(verbs, "FILE");
    const auto paths = valued_options(verbs, "PATH");
    names.insert(names.end(), paths.begin(), paths.end());
    return names;
}

std::vector<std::string> places_of(const std::vector<VerbInfo>& verbs, std::string_view argument)
{
    std::vector<std::string> places;
    for (const auto& verb : verbs) {
        for (std::size_t i = 0; i < verb.arguments.size(); ++i) {
            const auto& name = verb.arguments[i];
            if (name == argument || name == fmt::format("[{}]", argument)) {
                places.push_back(fmt::format("'{}:{}'", verb.name, i));
            }
        }
    }
    return places;
}

}  // namespace shelfd::ctl
