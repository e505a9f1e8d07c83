// The transition table that a header holds as a comment: rows of "// | state | event | when | next | action |".
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

namespace shelfd {

// One step of a machine, in words.
struct TableStep {
    std::string state;
    std::string event;
    std::string next;
    std::string action;

    friend auto operator<=>(const TableStep&, const TableStep&) = default;
    std::string text() const { return state + " | " + event + " | " + next + " | " + action; }
};

// Words that stand for several states, as "any".
using Groups = std::map<std::string, std::vector<std::string>>;

// All steps that the rows of `path`, below the source directory, allow. A cell may name several states or events,
// separated by commas; what follows a name after a space says more about it. An empty table, and a name that is none
// of `events`, unless another one of the cell is, throw std::runtime_error.
std::set<TableStep> steps_of_table(const std::string& path, const std::set<std::string>& events,
                                   const Groups& groups = {});

// One line for each step that only one of both has; "" where they are the same.
std::string compare_steps(const std::set<TableStep>& table, const std::set<TableStep>& machine);

}  // namespace shelfd
