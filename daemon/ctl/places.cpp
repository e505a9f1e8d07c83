#include "ctl/places.hpp"

#include "config/files.hpp"
#include "config/model.hpp"

#include <fstream>
#include <optional>

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

// What a reader of TOML does not give any more when the file has a fault of syntax further down: `key = "value"` in
// [section]. Good enough to find a socket, and used for nothing else.
std::optional<std::string> text_in_broken_file(const std::string& file, std::string_view section, std::string_view key)
{
    std::ifstream lines(file);
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

}  // namespace

Places find_places(const Command& command, const Environment& environment)
{
    config::FaultList ignored;
    const auto documents = config::read_documents(command.config_file, environment, ignored);
    const auto written = [&](std::string_view section, std::string_view key, const std::string& otherwise) {
        auto text = text_in(documents.root, section, key);
        if (!text && !documents.complete) {
            text = text_in_broken_file(command.config_file, section, key);
        }
        return text.value_or(otherwise);
    };
    Places places;
    places.mirrors = written("storage", "mirrors", config::Storage().mirrors);
    const auto variable = environment.find("SHELFD_SOCKET");
    if (!command.socket.empty()) {
        places.socket = command.socket;
    } else if (variable != environment.end() && !variable->second.empty()) {
        places.socket = variable->second;
    } else {
        places.socket = written("control", "socket", config::Control().socket);
    }
    return places;
}

}  // namespace shelfd::ctl
