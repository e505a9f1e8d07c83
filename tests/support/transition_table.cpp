#include "support/transition_table.hpp"

#include "support/temp_directory.hpp"

#include <algorithm>
#include <stdexcept>

namespace shelfd {
namespace {

std::string trim(const std::string& text)
{
    const auto first = text.find_first_not_of(' ');
    return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(' ') - first + 1);
}

std::vector<std::string> split(const std::string& text, char separator)
{
    std::vector<std::string> parts;
    for (std::size_t begin = 0; begin <= text.size();) {
        const auto end = std::min(text.find(separator, begin), text.size());
        parts.push_back(trim(text.substr(begin, end - begin)));
        begin = end + 1;
    }
    return parts;
}

std::vector<std::string> names_of(const std::string& cell, const Groups& groups)
{
    const auto group = groups.find(cell);
    return group == groups.end() ? split(cell, ',') : group->second;
}

std::string first_word(const std::string& text)
{
    return text.substr(0, text.find(' '));
}

std::vector<std::string> events_of(const std::string& cell, const std::set<std::string>& known)
{
    std::vector<std::string> events;
    for (const auto& part : split(cell, ',')) {
        if (known.contains(first_word(part))) {
            events.push_back(first_word(part));
        }
    }
    if (events.empty()) {
        throw std::runtime_error("no event: " + cell);
    }
    return events;
}

}  // namespace

std::set<TableStep> steps_of_table(const std::string& path, const std::set<std::string>& events, const Groups& groups)
{
    const auto text = read_file(std::string(SHELFD_SOURCE_DIR) + "/" + path);
    std::set<TableStep> steps;
    for (const auto& line : split(text, '\n')) {
        const auto cells = split(line, '|');
        const bool is_row = line.starts_with("// | ") && cells.size() == 7 && cells[1] != "state";
        if (!is_row) {
            continue;
        }
        for (const auto& state : names_of(cells[1], groups)) {
            for (const auto& event : events_of(cells[2], events)) {
                for (const auto& next : names_of(cells[4], groups)) {
                    steps.insert({state, event, next, first_word(cells[5])});
                }
            }
        }
    }
    if (steps.empty()) {
        throw std::runtime_error(path + " has no transition table");
    }
    return steps;
}

std::string compare_steps(const std::set<TableStep>& table, const std::set<TableStep>& machine)
{
    std::string text;
    for (const auto& step : machine) {
        text += table.contains(step) ? "" : "no row for:    " + step.text() + "\n";
    }
    for (const auto& step : table) {
        text += machine.contains(step) ? "" : "never happens: " + step.text() + "\n";
    }
    return text;
}

}  // namespace shelfd
