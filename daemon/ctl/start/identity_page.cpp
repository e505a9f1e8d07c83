#include "ctl/start/identity_page.hpp"

#include "ctl/daemon/client.hpp"
#include "ctl/daemon/json_reader.hpp"
#include "ctl/library/set_identity.hpp"

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

namespace shelfd::ctl {

namespace json = boost::json;

Result<std::optional<IdentityPage>> find_identity_page(const std::string& socket, const std::string& library,
                                                       const std::string& path)
{
    const json::object body{{"library", library}, {"path", path}};
    SHELFD_TRY_ASSIGN(answer, DaemonClient(socket).post("/v1/get", Secret(json::serialize(body))));
    const auto end = answer.body.find('\n');
    boost::system::error_code no_head;
    boost::system::error_code no_page;
    const auto head = json::parse(answer.body.substr(0, end), no_head);
    const auto text = end == std::string::npos ? std::string() : answer.body.substr(end + 1);
    const auto page = json::parse(text, no_page);
    const auto* object = no_page ? nullptr : page.if_object();
    const bool is_there =
        answer.check() && !no_head && head.is_object() && JsonReader(head.get_object()).count("status") == 200;
    if (!is_there || object == nullptr || !object->contains("id") || object->at("id").is_structured()) {
        return std::optional<IdentityPage>();
    }
    return std::optional(IdentityPage{path, "id", find_user_field(text)});
}

}  // namespace shelfd::ctl
