#include "config/check/known_keys.hpp"
#include "ctl/line/command_line.hpp"
#include "ctl/line/completion.hpp"
#include "support/catch.hpp"
#include "support/temp_directory.hpp"

#include <fmt/core.h>

#include <map>
#include <set>
#include <sstream>
#include <variant>
#include <vector>

namespace shelfd::ctl {
namespace {

std::string source_file(const std::string& name)
{
    return read_file(std::string(SHELFD_SOURCE_DIR) + "/" + name);
}

// The text below each heading of a manual page (.Sh and .Ss), by its name.
std::map<std::string, std::string> sections_of(const std::string& page)
{
    std::map<std::string, std::string> sections;
    std::istringstream lines(page);
    std::string line;
    std::string name;
    while (std::getline(lines, line)) {
        if (line.starts_with(".Ss ") || line.starts_with(".Sh ")) {
            name = line.substr(4);
        }
        sections[name] += line + "\n";
    }
    return sections;
}

// The names of the items in a list of that text: lines that begin with `macro`.
std::set<std::string> items_of(const std::string& text, const std::string& macro)
{
    std::set<std::string> items;
    std::istringstream lines(text);
    std::string line;
    while (std::getline(lines, line)) {
        if (line.starts_with(macro)) {
            items.insert(line.substr(macro.size()));
        }
    }
    return items;
}

TEST_CASE("every verb and option stands in shelfctl(1), and nothing that is none")
{
    const auto sections = sections_of(source_file("contrib/man/shelfctl.1"));
    std::set<std::string> verbs;
    for (const auto& verb : known_verbs()) {
        INFO("verb: " << verb.name);
        verbs.insert(verb.name);
        const auto found = sections.find(verb.name.empty() ? "DESCRIPTION" : verb.name);
        REQUIRE(found != sections.end());
        for (const auto& option : verb.options) {
            INFO("option: " << option.name);
            const bool everywhere = option.name == "--help" && !verb.name.empty();
            CHECK((everywhere || found->second.find("Fl -" + option.name.substr(2)) != std::string::npos));
        }
        for (const auto& argument : verb.arguments) {
            const auto name = argument.starts_with("[") ? argument.substr(1, argument.size() - 2) : argument;
            INFO("argument: " << name);
            CHECK((name == "SHELL" || found->second.find("Ar " + name) != std::string::npos));
        }
    }
    for (const auto& [name, text] : sections) {
        const bool is_verb = text.starts_with(".Ss ");
        CHECK((!is_verb || verbs.contains(name)));
    }
}

TEST_CASE("every exit status of shelfctl(1), but that of a bug, stands in --help")
{
    const auto sections = sections_of(source_file("contrib/man/shelfctl.1"));
    auto codes = items_of(sections.at("EXIT STATUS"), ".It ");
    CHECK(codes.erase("70") == 1);
    CHECK(codes.size() == 10);
    const std::vector<const char*> words = {"shelfctl", "--help"};
    const auto help = std::get<NoCommand>(parse_command_line(static_cast<int>(words.size()), words.data())).text;
    const auto begin = help.find("Exit: ");
    REQUIRE(begin != std::string::npos);
    const auto exits = help.substr(begin);
    for (const auto& code : codes) {
        INFO(code);
        const bool is_told =
            exits.find(" " + code + " ") != std::string::npos || exits.find("\n" + code + " ") != std::string::npos;
        CHECK(is_told);
    }
}

TEST_CASE("every key stands in shelfd.toml(5) in its table, and nothing that is none")
{
    const auto sections = sections_of(source_file("contrib/man/shelfd.toml.5"));
    std::map<std::string, std::set<std::string>> expected;
    for (const auto& key : config::known_keys()) {
        if (key.supported) {
            const auto heading = std::string(config::heading(key.section));
            expected[key.section == config::Section::identity ? "identity = { ... }" : heading].emplace(key.name);
        }
    }
    for (const auto& [heading, keys] : expected) {
        INFO(heading);
        const auto found = sections.find(heading);
        REQUIRE(found != sections.end());
        CHECK(items_of(found->second, ".It Va ") == keys);
    }
    // What a later version will understand is named apart, table by table.
    std::istringstream reserved(sections.at("RESERVED"));
    std::set<std::string> named;
    std::string line;
    std::string table;
    while (std::getline(reserved, line)) {
        if (line.starts_with(".It Li ")) {
            table = line.substr(7, line.find_first_of(" .]", 8) - 7);
        } else if (line.starts_with(".Va ")) {
            std::istringstream words(line.substr(4));
            for (std::string word; words >> word;) {
                if (word != ",") {
                    named.insert((table.starts_with("[") ? table.substr(1) : table) + "." + word);
                }
            }
        }
    }
    std::set<std::string> later;
    for (const auto& key : config::known_keys()) {
        if (!key.supported) {
            later.insert(fmt::format("{}.{}", config::to_string(key.section), key.name));
        }
    }
    CHECK(named == later);
}

TEST_CASE("the completion files are what shelfctl prints")
{
    const auto verbs = known_verbs();
    CHECK(source_file("contrib/completion/shelfctl.bash") == bash_completion(verbs));
    CHECK(source_file("contrib/completion/_shelfctl") == zsh_completion(verbs));
    CHECK(source_file("contrib/completion/shelfctl.fish") == fish_completion(verbs));
}

TEST_CASE("every verb and option is completed in every shell")
{
    const auto verbs = known_verbs();
    const auto bash = bash_completion(verbs);
    const auto zsh = zsh_completion(verbs);
    const auto fish = fish_completion(verbs);
    for (const auto& verb : verbs) {
        INFO("verb: " << verb.name);
        const auto last = verb.name.substr(verb.name.rfind(' ') + 1);
        CHECK(bash.find("'" + verb.name + "')") != std::string::npos);
        CHECK(zsh.find("'" + verb.name + "')") != std::string::npos);
        CHECK((verb.name.empty() || fish.find(" -a " + last) != std::string::npos));
        for (const auto& option : verb.options) {
            INFO("option: " << option.name);
            CHECK(bash.find(option.name) != std::string::npos);
            CHECK(zsh.find("'" + option.name + ":") != std::string::npos);
            CHECK(fish.find(" -l " + option.name.substr(2)) != std::string::npos);
        }
    }
}

}  // namespace
}  // namespace shelfd::ctl
