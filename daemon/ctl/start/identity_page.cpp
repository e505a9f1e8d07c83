#include "ctl/start/identity_page.hpp"

#include "config/tree/toml_text.hpp"
#include "ctl/daemon/client.hpp"
#include "ctl/daemon/json_reader.hpp"
#include "ctl/library/set_identity.hpp"

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace shelfd::ctl {

namespace json = boost::json;

bool names_owner(std::string_view path)
{
    constexpr std::array<std::string_view, 6> names = {"me", "self", "whoami", "current", "account", "user"};
    path.remove_suffix(path.ends_with('/') ? 1 : 0);
    return std::find(names.begin(), names.end(), path.substr(path.rfind('/') + 1)) != names.end();
}

std::vector<std::string> pages_beside(const std::string& list)
{
    const std::string end = list.ends_with('/') ? "/" : "";
    std::vector<std::string> pages;
    auto folder = list.substr(0, list.size() - end.size());
    while (folder.rfind('/') != std::string::npos) {
        folder.resize(folder.rfind('/'));
        pages.push_back(folder + "/me" + end);
    }
    return pages;
}

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
    auto found = read_identity(text, "id");
    return found ? std::optional(IdentityPage{path, "id", std::move(found->user_field), std::move(found->id),
                                              std::move(found->name)})
                 : std::nullopt;
}

std::string propose_identity(const std::string& socket, const std::string& library,
                             const std::vector<std::string>& pages)
{
    constexpr std::size_t max_requests = 3;
    for (std::size_t i = 0; i < std::min(pages.size(), max_requests); ++i) {
        const auto page = find_identity_page(socket, library, pages[i]);
        if (page && *page) {
            return pages[i];
        }
    }
    return "";
}

std::string identity_proposal(const std::string& page)
{
    return fmt::format("{} names whose token it is; if that is the library, write in [service]: identity = {{ path = "
                       "{}, field = \"id\" }}",
                       page, config::quote(page));
}

}  // namespace shelfd::ctl
