#include "ctl/start/block.hpp"

#include <sstream>

namespace shelfd::ctl {

std::string without_details(const std::string& block)
{
    std::string text;
    std::istringstream lines(block);
    for (std::string line; std::getline(lines, line);) {
        text += line.starts_with("detail = ") ? "# " + line + "  # one more request for each row\n" : line + "\n";
    }
    return text;
}

}  // namespace shelfd::ctl
