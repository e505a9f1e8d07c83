#include "ctl/library/set_identity.hpp"

#include "ctl/daemon/client.hpp"
#include "ctl/daemon/json_reader.hpp"

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <fmt/format.h>

#include <algorithm>

namespace shelfd::ctl {
namespace {

namespace json = boost::json;

// A text or a number; "" for anything else.
std::string scalar(const json::value* value)
{
    if (value == nullptr || value->is_object() || value->is_array() || value->is_null()) {
        return "";
    }
    const auto* text = value->if_string();
    return text != nullptr ? std::string(text->data(), text->size()) : json::serialize(*value);
}

// Names that leave no doubt; others are for a person to find.
std::string user_field_of(const json::object& page)
{
    for (const std::string name : {"user", "owner", "account_user"}) {
        const auto* member = page.if_contains(name);
        const auto* inner = member != nullptr ? member->if_object() : nullptr;
        for (const std::string id : {"id", "uuid", "pk"}) {
            if (inner != nullptr && !scalar(inner->if_contains(id)).empty()) {
                return name + "." + id;
            }
        }
    }
    for (const std::string name : {"user_id", "owner_id", "user"}) {
        if (!scalar(page.if_contains(name)).empty()) {
            return name;
        }
    }
    return "";
}

}  // namespace

std::string find_user_field(std::string_view body)
{
    boost::system::error_code broken;
    const auto document = json::parse({body.data(), body.size()}, broken);
    return broken || !document.is_object() ? "" : user_field_of(document.get_object());
}

Result<SetIdentity> read_identity(std::string_view body, const std::string& field)
{
    boost::system::error_code broken;
    const auto document = json::parse({body.data(), body.size()}, broken);
    const auto* object = broken ? nullptr : document.if_object();
    SetIdentity found;
    found.id = object != nullptr ? scalar(object->if_contains(field)) : "";
    if (found.id.empty()) {
        return Error(ErrorKind::protocol,
                     fmt::format("the service's answer about the library has no member {}", field));
    }
    for (const auto* name : {"name", "title", "label"}) {
        found.name = found.name.empty() ? scalar(object->if_contains(name)) : found.name;
    }
    found.user_field = user_field_of(*object);
    return found;
}

Result<SetIdentity> ask_identity(const Context& context, const config::Library& library)
{
    if (!library.service.identity) {
        return SetIdentity();
    }
    const json::object body{{"library", library.name}, {"path", library.service.identity->path}};
    SHELFD_TRY_ASSIGN(answer, client_of(context).post("/v1/get", Secret(json::serialize(body))));
    SHELFD_TRY(answer.check());
    const std::string_view all = answer.body;
    const auto line = all.substr(0, all.find('\n'));
    boost::system::error_code broken;
    const auto head = json::parse({line.data(), line.size()}, broken);
    const auto status = broken || !head.is_object() ? 0 : JsonReader(head.get_object()).count("status");
    if (status != 200) {
        return Error(ErrorKind::protocol,
                     fmt::format("the service answered {} when it was asked whose the set is", status));
    }
    return read_identity(all.substr(std::min(line.size() + 1, all.size())), library.service.identity->field);
}

}  // namespace shelfd::ctl
