// What is wrong with a configuration, and where.
#pragma once

#include "config/model/model.hpp"

#include <string>
#include <vector>

namespace shelfd::config {

enum class FaultKind {
    content,  // the text has to change
    rights,   // owner or mode of a file has to
};

struct Fault {
    Position position;
    std::string text;  // one line: what is wrong and what would be right; never a secret
    FaultKind kind = FaultKind::content;
};

// "file:line:column: text", the form editors jump to.
std::string to_text(const Fault& fault);
// "file:line:column"
std::string to_text(const Position& position);

// Collects faults and warnings of one load. The same text at the same place is kept once: a fault in something shared
// is found again by every library that uses it. Single-threaded.
class FaultList {
public:
    void add(const Position& position, std::string text, FaultKind kind = FaultKind::content);
    void warn(const Position& position, std::string text);

    bool empty() const { return faults_.empty(); }
    std::size_t size() const { return faults_.size(); }
    // In the order of `files`, then by line and column. Empties the list.
    std::vector<Fault> take_faults(const std::vector<std::string>& files);
    std::vector<Fault> take_warnings(const std::vector<std::string>& files);

private:
    std::vector<Fault> faults_;
    std::vector<Fault> warnings_;
};

}  // namespace shelfd::config
