#include "ctl/line/command_line.hpp"

#include "config/check/suggest.hpp"
#include "ctl/line/grammar.hpp"

#include <CLI/App.hpp>
#include <fmt/format.h>

#include <algorithm>

namespace shelfd::ctl {
namespace {

VerbInfo describe(const CLI::App& app, const std::string& name)
{
    VerbInfo info{name, app.get_description(), {}, {}};
    for (const auto* option : app.get_options()) {
        if (option->get_positional()) {
            const auto& argument = option->get_name(true);
            info.arguments.push_back(option->get_required() ? argument : "[" + argument + "]");
        } else {
            const bool takes_value = option->get_expected_min() > 0;
            info.options.push_back({option->get_lnames().empty() ? option->get_name() : "--" + option->get_lnames()[0],
                                    option->get_description(), takes_value ? option->get_type_name() : ""});
        }
    }
    return info;
}

void collect(const CLI::App& app, const std::string& prefix, std::vector<VerbInfo>& verbs)
{
    for (const auto* sub : app.get_subcommands([](const CLI::App*) { return true; })) {
        const auto name = prefix + sub->get_name();
        if (sub->get_subcommands([](const CLI::App*) { return true; }).empty()) {
            verbs.push_back(describe(*sub, name));
        } else {
            collect(*sub, name + " ", verbs);
        }
    }
}

// The message for a missing verb, a missing argument, or a mistyped verb.
std::string missing_text(const CLI::App& root, int argc, const char* const* argv, const std::string& what)
{
    const auto* app = &root;
    auto name = std::string("shelfctl");
    for (auto chosen = app->get_subcommands(); !chosen.empty(); chosen = app->get_subcommands()) {
        app = chosen.back();
        name += " " + app->get_name();
    }
    std::vector<std::string> words;
    for (const auto* sub : app->get_subcommands([](const CLI::App*) { return true; })) {
        words.push_back(sub->get_name());
    }
    if (words.empty()) {
        return fmt::format("{}\nTry: {} --help", what, name);
    }
    const std::vector<std::string_view> known(words.begin(), words.end());
    for (int i = 1; i < argc; ++i) {
        const std::string_view word = argv[i];
        const auto nearest = config::nearest(word, known);
        if (!word.starts_with("-") && word != app->get_name() && config::edit_distance(word, nearest) <= 2) {
            return fmt::format("unknown verb \"{}\"; did you mean: {} {}", word, name, nearest);
        }
    }
    return fmt::format("a verb is missing; there are: {} {}\nTry: {} --help", name, fmt::join(words, " | "), name);
}

// Where several values are expected, CLI11 takes [1,"a"] for a list of two. A space in front keeps such a key together.
std::vector<std::string> keep_keys_whole(int argc, const char* const* argv)
{
    std::vector<std::string> words;
    for (int i = 0; i < argc; ++i) {
        const std::string word = argv[i];
        const bool is_list = i > 0 && word.starts_with('[') && word.ends_with(']');
        words.push_back(is_list ? " " + word : word);
    }
    return words;
}

}  // namespace

std::variant<Command, NoCommand> parse_command_line(int argc, const char* const* argv)
{
    Command command;
    Grammar grammar(command);
    const auto words = keep_keys_whole(argc, argv);
    std::vector<const char*> pointers;
    for (const auto& word : words) {
        pointers.push_back(word.c_str());
    }
    try {
        grammar.app().parse(argc, pointers.data());
    } catch (const CLI::CallForVersion& asked) {
        return NoCommand{ExitCode::done, std::string(asked.what()) + "\n"};
    } catch (const CLI::CallForHelp&) {
        return NoCommand{ExitCode::done, grammar.app().help()};
    } catch (const CLI::RequiredError& error) {
        return NoCommand{ExitCode::usage, missing_text(grammar.app(), argc, argv, error.what())};
    } catch (const CLI::ParseError& error) {
        return NoCommand{ExitCode::usage,
                         fmt::format("{}\nTry: shelfctl --help, or shelfctl VERB --help", error.what())};
    }
    for (auto& key : command.keys) {
        key.erase(0, key.starts_with(" [") ? 1 : 0);
    }
    command.key.erase(0, command.key.starts_with(" [") ? 1 : 0);
    return command;
}

std::vector<VerbInfo> known_verbs()
{
    Command command;
    Grammar grammar(command);
    std::vector<VerbInfo> verbs{describe(grammar.app(), "")};
    collect(grammar.app(), "", verbs);
    return verbs;
}

}  // namespace shelfd::ctl
