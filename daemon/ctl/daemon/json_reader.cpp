#include "ctl/daemon/json_reader.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

namespace shelfd::ctl {

namespace json = boost::json;

std::string JsonReader::text(const char* name) const
{
    const auto* value = object_.if_contains(name);
    if (value == nullptr || !value->is_string()) {
        return "";
    }
    return std::string(value->get_string().data(), value->get_string().size());
}

bool JsonReader::flag(const char* name) const
{
    const auto* value = object_.if_contains(name);
    return value != nullptr && value->is_bool() && value->get_bool();
}

double JsonReader::number(const char* name) const
{
    const auto* value = object_.if_contains(name);
    return value != nullptr && value->is_number() ? value->to_number<double>() : 0;
}

std::uint64_t JsonReader::count(const char* name) const
{
    const auto* value = object_.if_contains(name);
    if (value != nullptr && value->is_uint64()) {
        return value->get_uint64();
    }
    return value != nullptr && value->is_int64() && value->get_int64() > 0
               ? static_cast<std::uint64_t>(value->get_int64())
               : 0;
}

std::optional<Instant> JsonReader::instant(const char* name) const
{
    return Instant::from_rfc3339(text(name));
}

std::optional<Duration> JsonReader::seconds(const char* name) const
{
    constexpr double longest = 1e11;
    const auto* value = object_.if_contains(name);
    const double seconds = number(name);
    if (value == nullptr || !value->is_number() || !(seconds >= -longest && seconds <= longest)) {
        return std::nullopt;
    }
    return Duration(static_cast<std::int64_t>(seconds * 1e6));
}

const json::object* JsonReader::object(const char* name) const
{
    const auto* value = object_.if_contains(name);
    return value != nullptr ? value->if_object() : nullptr;
}

const json::array* JsonReader::array(const char* name) const
{
    const auto* value = object_.if_contains(name);
    return value != nullptr ? value->if_array() : nullptr;
}

std::vector<const json::object*> JsonReader::objects(const char* name) const
{
    std::vector<const json::object*> found;
    const auto* all = array(name);
    for (std::size_t i = 0; all != nullptr && i < all->size(); ++i) {
        if (const auto* object = (*all)[i].if_object()) {
            found.push_back(object);
        }
    }
    return found;
}

std::vector<std::uint64_t> JsonReader::counts(const char* name) const
{
    std::vector<std::uint64_t> found;
    const auto* all = array(name);
    for (std::size_t i = 0; all != nullptr && i < all->size(); ++i) {
        if (const auto* number = (*all)[i].if_int64(); number != nullptr && *number >= 0) {
            found.push_back(static_cast<std::uint64_t>(*number));
        }
    }
    return found;
}

std::vector<std::string> JsonReader::texts(const char* name) const
{
    std::vector<std::string> found;
    const auto* all = array(name);
    for (std::size_t i = 0; all != nullptr && i < all->size(); ++i) {
        if (const auto* text = (*all)[i].if_string()) {
            found.emplace_back(text->data(), text->size());
        }
    }
    return found;
}

}  // namespace shelfd::ctl
