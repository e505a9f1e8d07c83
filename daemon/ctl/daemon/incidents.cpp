#include "ctl/daemon/incidents.hpp"

#include "base/words/library_names.hpp"

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace shelfd::ctl {
namespace {

namespace json = boost::json;

std::string time_text(const std::optional<Instant>& at)
{
    return at ? at->to_short_text() : "?";
}

}  // namespace

std::string describe_libraries(const std::vector<std::string>& names, std::size_t all)
{
    if (names.empty()) {
        return "shelfd";
    }
    auto padded = names;
    padded.resize(std::max(names.size(), all));  // those without a name are counted
    return name_libraries(padded);
}

std::string describe_silences(const JsonReader& answer)
{
    std::vector<std::pair<std::string, std::vector<std::string>>> groups;
    for (const auto* object : answer.objects("silences")) {
        const JsonReader silence(*object);
        auto until = time_text(silence.instant("until"));
        auto group =
            std::find_if(groups.begin(), groups.end(), [&until](const auto& one) { return one.first == until; });
        if (group == groups.end()) {
            group = groups.insert(group, {std::move(until), {}});
        }
        group->second.push_back(silence.text("library"));
    }
    std::string text;
    for (const auto& [until, libraries] : groups) {
        text += libraries.size() == 1
                    ? fmt::format("{0} is silenced until {1}; to end that: shelfctl silence {0} off\n",
                                  libraries.front(), until)
                    : fmt::format("{} are silenced until {}; to end that for the first: shelfctl silence {} off; to "
                                  "end all silences: shelfctl silence '*' off\n",
                                  describe_libraries(libraries), until, libraries.front());
    }
    return text;
}

std::string describe_ended(const JsonReader& incident)
{
    const auto why = incident.text("why");
    return fmt::format("{} {} {}: {}, from {} to {}{}", incident.text("id"), incident.text("severity"),
                       describe_libraries(incident.texts("libraries"), incident.count("library_count")),
                       incident.text("title"), time_text(incident.instant("since")),
                       time_text(incident.instant("ended")), why.empty() ? "" : ": " + why);
}

std::optional<std::string> find_ended(const std::string& answer, const std::string& id)
{
    boost::system::error_code error;
    const auto document = json::parse(answer, error);
    if (error || !document.is_object()) {
        return std::nullopt;
    }
    for (const auto* object : JsonReader(document.get_object()).objects("ended")) {
        if (const JsonReader incident(*object); incident.text("id") == id) {
            return describe_ended(incident);
        }
    }
    return std::nullopt;
}

}  // namespace shelfd::ctl
