#include "ctl/context/places.hpp"

#include "base/regular_file.hpp"
#include "base/words/names.hpp"
#include "config/model/model.hpp"
#include "config/tree/files.hpp"

#include <fmt/core.h>

#include <optional>
#include <sstream>

namespace shelfd::ctl {
namespace {

std::optional<std::string> text_in(const config::Node& root, std::string_view section, std::string_view key)
{
    const auto* table = root.find(section);
    const auto* value = table != nullptr && table->is_table() ? table->find(key) : nullptr;
    if (value == nullptr || value->kind != config::Node::Kind::string || value->faulty || value->text.empty()) {
        return std::nullopt;
    }
    return value->text;
}

// Finds `key = "value"` in [section] of a file with a syntax error further down, for which a TOML parser returns
// nothing. Good enough to find a socket, and used only for that.
std::optional<std::string> text_in_broken_file(const std::string& file, std::string_view section, std::string_view key)
{
    std::istringstream lines(read_regular_file(file, config::max_file).value_or(""));
    std::string line;
    for (bool inside = false; std::getline(lines, line);) {
        const auto begin = line.find_first_not_of(" \t");
        if (begin == std::string::npos) {
            continue;
        }
        if (line[begin] == '[') {
            inside = line.compare(begin, section.size() + 2, "[" + std::string(section) + "]") == 0;
            continue;
        }
        const auto open = line.find('"');
        const auto close = line.find('"', open + 1);
        if (inside && line.compare(begin, key.size(), key) == 0 && open != std::string::npos &&
            close != std::string::npos && line.find_first_not_of(" \t=", begin + key.size()) == open) {
            return line.substr(open + 1, close - open - 1);
        }
    }
    return std::nullopt;
}

// True if the file may set the key, but it could not be read.
bool is_hidden(const config::Documents& documents, std::string_view section, std::string_view key)
{
    const auto* table = documents.root.find(section);
    return !documents.complete || (table != nullptr && (!table->is_table() || table->find(key) != nullptr));
}

}  // namespace

Places find_places(const Command& command, const Environment& environment)
{
    config::FaultList faults;
    const auto documents = config::read_documents(command.config_file, environment, faults);
    const bool was_named = command.config_file != Command().config_file;
    const auto written = [&](std::string_view section, std::string_view key) {
        auto text = text_in(documents.root, section, key);
        if (!text && !documents.complete) {
            text = text_in_broken_file(command.config_file, section, key);
        }
        return text;
    };
    const auto found = faults.take_faults(documents.files);
    // If a file was named but cannot be read, the command must not reach another daemon or its mirrors.
    const auto trouble = [&](std::string_view section, std::string_view key, const char* what) -> std::string {
        if (!was_named || !is_hidden(documents, section, key)) {
            return "";
        }
        const auto why = found.empty() ? fmt::format("{}: {}.{} is not a text", command.config_file, section, key)
                                       : config::to_text(found.front());
        return fmt::format("{}; so it does not say {}: correct the file, or name another with --config", why, what);
    };
    Places places;
    const auto mirrors = written("storage", "mirrors");
    places.mirrors = mirrors.value_or(config::Storage().mirrors);
    places.mirrors_trouble = mirrors ? "" : trouble("storage", "mirrors", "where its mirrors are");
    const auto variable = environment.find("SHELFD_SOCKET");
    if (!command.socket.empty()) {
        places.socket = command.socket;
    } else if (variable != environment.end() && !variable->second.empty()) {
        places.socket = variable->second;
    } else {
        const auto socket = written("control", "socket");
        places.socket = socket.value_or(config::Control().socket);
        places.socket_trouble = socket ? "" : trouble("control", "socket", "where its daemon listens");
    }
    return places;
}

Result<void> check_places(const Command& command, const Environment& environment)
{
    switch (command.verb) {
    case Verb::doctor:
    case Verb::bugreport:
    case Verb::config_check:
    case Verb::config_show:
    case Verb::completion:
    case Verb::version:
    case Verb::try_list:
    case Verb::init:
    case Verb::plan: return {};  // these read the configuration themselves, or need none
    default: break;
    }
    const bool reads_mirrors = command.verb == Verb::sql || command.verb == Verb::changes ||
                               command.verb == Verb::schema || command.verb == Verb::explain ||
                               command.verb == Verb::log;
    const auto places = find_places(command, environment);
    // If a mirror is not in its place, the daemon is asked on the socket.
    const auto& trouble =
        reads_mirrors && !places.mirrors_trouble.empty() ? places.mirrors_trouble : places.socket_trouble;
    if (!trouble.empty()) {
        return Error(ErrorKind::config, trouble);
    }
    return {};
}

Error no_library(const Command& command, const config::Configuration& configuration)
{
    std::vector<std::string> names;
    for (const auto& library : configuration.libraries) {
        names.push_back(library.name);
    }
    return Error(ErrorKind::not_found,
                 fmt::format("there is no library {} in {} (known: {}); see: shelfctl config show", command.library,
                             command.config_file, list_nearest_first(command.library, std::move(names))));
}

}  // namespace shelfd::ctl
