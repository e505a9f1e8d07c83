#include "ctl/start/found_lists.hpp"

#include "ctl/start/identity_page.hpp"

#include <boost/json/array.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace shelfd::ctl {

std::string FoundLists::Unreadable::sentence() const
{
    return fmt::format("{} is not mirrored, because it cannot be read: {}", path, why);
}

void FoundLists::take(std::string_view event, const JsonReader& line)
{
    if (event == "plan") {
        steps_.say(fmt::format("at most {} requests {}", line.count("requests"), line.text("purpose")));
    } else if (event == "list") {
        on_list(line);
    } else if (event == "found") {
        on_found(line);
    }
}

void FoundLists::on_found(const JsonReader& line)
{
    const auto path = line.text("path");
    const auto verdict = line.text("verdict");
    // Usual paths that are not there say nothing about this service, nor does its root.
    const bool is_gone = verdict == "missing" && line.text("source") != "usual path" && path != "/";
    if (verdict == "object" && names_owner(path)) {
        pages_.push_back(path);
    } else if (verdict == "forbidden" || verdict == "limited" || is_gone) {
        unreadable_.push_back({path, line.text("why")});
    }
}

void FoundLists::on_list(const JsonReader& line)
{
    const auto path = line.text("path");
    const auto block = line.text("toml");
    if (block.empty()) {
        const auto* lines = line.array("lines");
        const auto* why = lines != nullptr && !lines->empty() ? lines->front().if_string() : nullptr;
        unreadable_.push_back({path, why != nullptr ? std::string(why->data(), why->size()) : "it is not a list"});
        return;
    }
    readable_.push_back({path, block});
    steps_.say(path + (line.count("count") > 0 ? fmt::format(": {} rows", line.count("count")) : ""));
}

std::vector<std::string> FoundLists::paths() const
{
    std::vector<std::string> paths;
    std::transform(readable_.begin(), readable_.end(), std::back_inserter(paths),
                   [](const Readable& list) { return list.path; });
    return paths;
}

}  // namespace shelfd::ctl
