#include "ctl/daemon/incidents.hpp"

#include <boost/json/array.hpp>
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

std::vector<const json::object*> objects(const JsonReader& answer, const char* name)
{
    std::vector<const json::object*> found;
    if (const auto* list = answer.array(name)) {
        for (const auto& one : *list) {
            if (const auto* object = one.if_object()) {
                found.push_back(object);
            }
        }
    }
    return found;
}

std::string describe_libraries(const std::vector<std::string>& names)
{
    constexpr std::size_t shown = 3;
    if (names.empty()) {
        return "shelfd";
    }
    const auto count = static_cast<std::ptrdiff_t>(std::min(shown, names.size()));
    auto text = fmt::format("{}", fmt::join(names.begin(), names.begin() + count, ", "));
    return names.size() > shown ? text + fmt::format(" and {} more", names.size() - shown) : text;
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
    for (const auto* object : objects(JsonReader(document.get_object()), "ended")) {
        if (const JsonReader incident(*object); incident.text("id") == id) {
            return describe_ended(incident);
        }
    }
    return std::nullopt;
}

}  // namespace shelfd::ctl
