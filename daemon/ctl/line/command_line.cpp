#include "ctl/line/command_line.hpp"

#include "base/words/names.hpp"
#include "ctl/line/grammar.hpp"

#include <CLI/App.hpp>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <fmt/format.h>

#include <algorithm>

namespace shelfd::ctl {
namespace {

namespace json = boost::json;

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

std::vector<std::string> subcommands_of(const CLI::App& app)
{
    std::vector<std::string> names;
    for (const auto* sub : app.get_subcommands([](const CLI::App*) { return true; })) {
        names.push_back(sub->get_name());
    }
    return names;
}

// As far as the command line names a verb: "shelfctl", "shelfctl auth", "shelfctl auth import".
struct TypedVerb {
    const CLI::App* app;
    std::string name;
    int words = 0;  // without "shelfctl"
};

TypedVerb typed_verb(const CLI::App& root)
{
    TypedVerb typed{&root, "shelfctl"};
    for (auto chosen = typed.app->get_subcommands(); !chosen.empty(); chosen = typed.app->get_subcommands()) {
        typed.app = chosen.back();
        typed.name += " " + typed.app->get_name();
        ++typed.words;
    }
    return typed;
}

// The word that stands where a verb is expected, after `skipped` other words; "" if there is none.
std::string word_for_verb(int argc, const char* const* argv, int skipped)
{
    for (int i = 1; i < argc; ++i) {
        const std::string_view word = argv[i];
        if (word == "--config" || word == "--socket") {
            ++i;  // the option's value
        } else if (!word.starts_with('-') && skipped-- == 0) {
            return std::string(word);
        }
    }
    return "";
}

// "shelfctl auth import" for "import": the groups that have such a verb.
std::vector<std::string> in_groups(const TypedVerb& typed, const std::string& word)
{
    std::vector<std::string> found;
    for (const auto& group : subcommands_of(*typed.app)) {
        const auto names = subcommands_of(*typed.app->get_subcommand(group));
        if (std::find(names.begin(), names.end(), word) != names.end()) {
            found.push_back(fmt::format("{} {} {}", typed.name, group, word));
        }
    }
    return found;
}

// A third of the letters of a short word is soon shared by chance ("frob", "probe").
bool is_slip_of(std::string_view word, std::string_view verb)
{
    const bool continues = verb.starts_with(word) || word.starts_with(verb);
    return continues || edit_distance(word, verb) <= std::max<std::size_t>(std::min(word.size(), verb.size()) / 3, 1);
}

// The command that prints the help of a verb: "shelfctl help auth import".
std::string help_for(const std::string& command)
{
    constexpr std::string_view program = "shelfctl";
    return "shelfctl help" + command.substr(program.size());
}

enum class Sought { verb, help };

std::string unknown_verb(const TypedVerb& typed, const std::string& word, Sought sought = Sought::verb)
{
    const auto names = subcommands_of(*typed.app);
    if (std::find(names.begin(), names.end(), word) != names.end()) {
        return fmt::format("write the verb before \"--\": {0} {1}\nTry: {0} --help", typed.name, word);
    }
    std::vector<std::string_view> known(names.begin(), names.end());
    // Of verbs that are as near: "hel" begins "held", too.
    std::stable_partition(known.begin(), known.end(), [](const auto name) { return name == "help"; });
    const auto alike = nearest_alike(word, known);
    auto groups = in_groups(typed, word);
    auto nearest = fmt::format("{} {}", typed.name, alike);
    if (sought == Sought::help) {
        std::transform(groups.begin(), groups.end(), groups.begin(), help_for);
        nearest = help_for(nearest);
    }
    const auto next = !groups.empty() ? fmt::format("did you mean: {}", fmt::join(groups, ", or: "))
                      : alike.empty() || !is_slip_of(word, alike)
                          ? fmt::format("there are: {} {}", typed.name, fmt::join(names, " | "))
                          : fmt::format("did you mean: {}", nearest);
    return fmt::format("unknown verb \"{}\"; {}\nTry: {} --help", word, next, typed.name);
}

// "; did you mean: --full" if one of the verb's options resembles the one typed.
std::string nearest_option(const CLI::App& app, std::string_view typed)
{
    std::vector<std::string> names;
    for (const auto* option : app.get_options()) {
        for (const auto& name : option->get_lnames()) {
            names.push_back("--" + name);
        }
    }
    const auto alike = nearest_alike(typed, std::vector<std::string_view>(names.begin(), names.end()));
    return alike.empty() ? "" : fmt::format("; did you mean: {}", alike);
}

// The message about an option that is not known, where no verb stands; "" if there is none.
std::string unknown_option(const TypedVerb& typed, int argc, const char* const* argv)
{
    for (int i = 1; i < argc; ++i) {
        const std::string_view word = argv[i];
        const auto name = std::string(word.substr(0, word.find('=')));
        bool is_known = !word.starts_with('-') || word == "--";
        for (const auto* app = typed.app; app != nullptr && !is_known; app = app->get_parent()) {
            is_known = app->get_option_no_throw(name) != nullptr;
        }
        if (!is_known) {
            return fmt::format("unknown option \"{}\"{}; ", name, nearest_option(*typed.app, name));
        }
    }
    return "";
}

// The message for a missing verb, a missing argument, or a mistyped verb.
std::string missing_text(const TypedVerb& typed, int argc, const char* const* argv, const std::string& what)
{
    const auto names = subcommands_of(*typed.app);
    if (names.empty()) {
        const auto library = word_for_verb(argc, argv, typed.words);
        const auto hint =
            what.starts_with("LIB ") ? std::string("; the libraries are listed by: shelfctl status")
            : what.starts_with("RESOURCE ")
                ? fmt::format("; the tables are listed by: shelfctl status {}", library.empty() ? "LIB" : library)
            : what.starts_with("PATH ") ? fmt::format("; the lists of the service are found by: shelfctl probe {}",
                                                      library.empty() ? "LIB" : library)
            : typed.name == "shelfctl hooks test" ? "; the hooks are listed by: shelfctl hooks list"
            : what.starts_with("SQL ")            ? ", in quotes, like \"SELECT * FROM freshness\""
                                                  : "";
        return fmt::format("{}{}\nTry: {} --help", what, hint, typed.name);
    }
    const auto word = word_for_verb(argc, argv, typed.words);
    return word.empty() ? fmt::format("{2}a verb is missing; there are: {0} {1}\nTry: {0} --help", typed.name,
                                      fmt::join(names, " | "), unknown_option(typed, argc, argv))
                        : unknown_verb(typed, word);
}

// The same for a message about an option that is not known, or about one word too many; "" for another message.
std::string nearest_option_in(const CLI::App& app, const std::string& message)
{
    if (message.find("not expected") == std::string::npos) {
        return "";
    }
    const auto begin = message.find(" --");
    if (begin == std::string::npos) {
        const bool names_tables = app.get_option_no_throw("--resource") != nullptr;
        return names_tables
                   ? fmt::format("; a table is named with: --resource {}", message.substr(message.rfind(' ') + 1))
                   : "";
    }
    return nearest_option(app, message.substr(begin + 1, message.find_first_of(" =", begin + 1) - begin - 1));
}

// What `shelfctl help VERB` prints.
NoCommand help_of(const CLI::App& root, const std::vector<std::string>& words)
{
    TypedVerb typed{&root, "shelfctl"};
    std::string parents;
    for (const auto& word : words) {
        if (word.empty()) {
            break;
        }
        const auto names = subcommands_of(*typed.app);
        if (std::find(names.begin(), names.end(), word) == names.end()) {
            return names.empty() ? NoCommand{ExitCode::usage,
                                             fmt::format("{0} has no verbs of its own\nTry: {0} --help", typed.name)}
                                 : NoCommand{ExitCode::usage, unknown_verb(typed, word, Sought::help)};
        }
        parents = typed.name;
        typed.app = typed.app->get_subcommand(word);
        typed.name += " " + word;
    }
    return NoCommand{ExitCode::done, parents.empty() ? root.help() : typed.app->help(parents)};
}

json::array texts(const std::vector<std::string>& list)
{
    json::array array;
    for (const auto& text : list) {
        array.emplace_back(text);
    }
    return array;
}

// {"usage": …, "verbs": [{"verb", "meaning", "arguments", "options": [{"option", "value", "meaning"}]}]}: those that
// the words begin; the options of every verb are those of the verb "".
std::string help_json(const std::string& verb, const std::string& word, const std::string& usage)
{
    const auto typed = word.empty() ? verb : verb + " " + word;
    json::array verbs;
    for (const auto& info : known_verbs()) {
        if (!typed.empty() && info.name != typed && !info.name.starts_with(typed + " ")) {
            continue;
        }
        json::array options;
        for (const auto& option : info.options) {
            options.push_back(
                json::object{{"option", option.name}, {"value", option.value}, {"meaning", option.meaning}});
        }
        verbs.push_back(json::object{{"verb", info.name},
                                     {"meaning", info.meaning},
                                     {"arguments", texts(info.arguments)},
                                     {"options", std::move(options)}});
    }
    return json::serialize(json::object{{"usage", usage}, {"verbs", std::move(verbs)}}) + "\n";
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
        return NoCommand{ExitCode::usage, missing_text(typed_verb(grammar.app()), argc, argv, error.what())};
    } catch (const CLI::ParseError& error) {
        const auto typed = typed_verb(grammar.app());
        return NoCommand{ExitCode::usage, fmt::format("{}{}\nTry: {} --help", error.what(),
                                                      nearest_option_in(*typed.app, error.what()), typed.name)};
    }
    if (grammar.app().got_subcommand("help")) {
        Command none;
        Grammar unused(none);  // one that has parsed a verb prints the help of that verb
        auto help = help_of(unused.app(), {command.help.verb, command.help.word});
        const bool is_json = command.output == Output::json && help.exit_code == ExitCode::done;
        return is_json ? NoCommand{ExitCode::done, help_json(command.help.verb, command.help.word, help.text)} : help;
    }
    const bool takes_all = command.verb == Verb::auth_ask || command.verb == Verb::auth_adopt ||
                           command.verb == Verb::auth_move_out || command.verb == Verb::auth_move_in;
    const bool needs_one = (command.verb == Verb::sync && !command.sync.all_libraries) || (takes_all && !command.all);
    if (needs_one && command.library.empty()) {
        return NoCommand{ExitCode::usage, missing_text(typed_verb(grammar.app()), argc, argv,
                                                       "LIB is missing, or --all for every library")};
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
