#include "ctl/library/set_identity.hpp"

#include "base/words/member_text.hpp"
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

}  // namespace

std::string find_user_field(std::string_view body)
{
    boost::system::error_code broken;
    const auto document = json::parse({body.data(), body.size()}, broken);
    return broken ? "" : user_member(document);
}

Result<SetIdentity> read_identity(std::string_view body, const std::string& field)
{
    boost::system::error_code broken;
    const auto document = json::parse({body.data(), body.size()}, broken);
    SetIdentity found;
    found.id = broken ? "" : identity_text(document, field);
    if (found.id.empty()) {
        return Error(
            ErrorKind::protocol,
            fmt::format("the service's answer about the library has no usable member {}: check identity.field", field));
    }
    for (const auto* name : {"name", "title", "label"}) {
        found.name = found.name.empty() ? identity_text(document, member_beside(field, name)) : found.name;
    }
    found.user_field = user_member(document);
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
