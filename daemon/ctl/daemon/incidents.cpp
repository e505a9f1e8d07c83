#include "ctl/daemon/incidents.hpp"

#include "base/words/library_names.hpp"

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <fmt/format.h>

namespace shelfd::ctl {
namespace {

namespace json = boost::json;

std::string time_text(const std::optional<Instant>& at)
{
    return at ? at->to_short_text() : "?";
}

}  // namespace

std::string describe_libraries(const std::vector<std::string>& names)
{
    return names.empty() ? "shelfd" : name_libraries(names);
}

std::string describe_ended(const JsonReader& incident)
{
    const auto why = incident.text("why");
    return fmt::format("{} {} {}: {}, from {} to {}{}", incident.text("id"), incident.text("severity"),
                       describe_libraries(incident.texts("libraries")), incident.text("title"),
                       time_text(incident.instant("since")), time_text(incident.instant("ended")),
                       why.empty() ? "" : ": " + why);
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
