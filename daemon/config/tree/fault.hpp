// Faults of a configuration and their positions.
#pragma once

#include "config/model/model.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace shelfd::config {

enum class FaultKind {
    content,  // the text must change
    rights,   // owner or mode of a file must change
};

struct Fault {
    Position position;
    std::string text;  // one line: what is wrong and what is valid; never a secret
    FaultKind kind = FaultKind::content;
};

// "file:line:column: text", a form that editors can jump to.
std::string to_text(const Fault& fault);
// "file:line:column"
std::string to_text(const Position& position);

// Collects faults and warnings of one load. Keeps the same text at the same position once, since every library that
// uses a shared table reports its faults again. Single-threaded.
class FaultList {
public:
    void add(const Position& position, std::string_view text, FaultKind kind = FaultKind::content);
    void warn(const Position& position, std::string_view text);

    bool empty() const { return faults_.empty(); }
    std::size_t size() const { return faults_.size(); }
    // Ordered by file as in `files`, then by line and column. Empties the list.
    std::vector<Fault> take_faults(const std::vector<std::string>& files);
    std::vector<Fault> take_warnings(const std::vector<std::string>& files);

private:
    std::vector<Fault> faults_;
    std::vector<Fault> warnings_;
};

}  // namespace shelfd::config
