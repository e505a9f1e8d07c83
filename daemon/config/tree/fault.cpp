#include "config/tree/fault.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <tuple>
#include <utility>

namespace shelfd::config {
namespace {

std::vector<Fault> in_order(std::vector<Fault> faults, const std::vector<std::string>& files)
{
    const auto order = [&files](const Fault& fault) {
        const auto file = std::find(files.begin(), files.end(), fault.position.file) - files.begin();
        return std::make_tuple(file, fault.position.line, fault.position.column);
    };
    std::stable_sort(faults.begin(), faults.end(),
                     [&order](const Fault& a, const Fault& b) { return order(a) < order(b); });
    std::vector<Fault> unique;
    for (auto& fault : faults) {
        // Only the last faults can be equal: the list is ordered by position.
        bool known = false;
        for (auto last = unique.rbegin(); last != unique.rend() && order(*last) == order(fault); ++last) {
            known = known || last->text == fault.text;
        }
        if (!known) {
            unique.push_back(std::move(fault));
        }
    }
    return unique;
}

// A name that TOML may write with escapes is shown with them, so that a fault stays one line.
std::string in_one_line(std::string_view text)
{
    std::string line;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        line += byte < ' ' || byte == 0x7f ? fmt::format("\\u{:04X}", byte) : std::string(1, c);
    }
    return line;
}

}  // namespace

std::string to_text(const Position& position)
{
    return fmt::format("{}:{}:{}", position.file, position.line, position.column);
}

std::string to_text(const Fault& fault)
{
    return to_text(fault.position) + ": " + fault.text;
}

void FaultList::add(const Position& position, std::string_view text, FaultKind kind)
{
    faults_.push_back({position, in_one_line(text), kind});
}

void FaultList::warn(const Position& position, std::string_view text)
{
    warnings_.push_back({position, in_one_line(text)});
}

std::vector<Fault> FaultList::take_faults(const std::vector<std::string>& files)
{
    return in_order(std::exchange(faults_, {}), files);
}

std::vector<Fault> FaultList::take_warnings(const std::vector<std::string>& files)
{
    return in_order(std::exchange(warnings_, {}), files);
}

}  // namespace shelfd::config
