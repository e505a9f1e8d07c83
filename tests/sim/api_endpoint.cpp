#include "sim/api_endpoint.hpp"

#include "sim/negotiation.hpp"
#include "sim/pages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace shelfd::sim {

namespace {

enum class View { identity, list, item };

// What a path leads to. `path` is the list's or the identity's, without slashes at the ends.
struct Target {
    View view;
    std::string path;
    std::string item;
    std::string_view scope;
    Envelope envelope = Envelope::page_number;
};

std::optional<Target> resolve(std::string_view path)
{
    path.remove_prefix(std::min(api_root.size(), path.size()));
    path.remove_suffix(path.ends_with('/') ? 1 : 0);
    if (path == identity_path) {
        return Target{View::identity, std::string(path), "", path.substr(0, path.find('/'))};
    }
    if (const auto* spec = find_list(path)) {
        return Target{View::list, std::string(path), "", spec->scope(), spec->envelope};
    }
    const auto slash = path.rfind('/');
    const auto* spec = slash == std::string_view::npos ? nullptr : find_list(path.substr(0, slash));
    const auto item = path.substr(slash + 1);
    if (spec == nullptr || item.empty() || item.find('.') != std::string_view::npos) {
        return std::nullopt;
    }
    return Target{View::item, std::string(path.substr(0, slash)), std::string(item), spec->scope(), spec->envelope};
}

Reply unauthenticated(std::string_view reason)
{
    auto reply = refusal(401, "Authentication credentials were not provided.");
    std::string challenge = "Bearer realm=\"api\"";
    if (!reason.empty()) {
        challenge += fmt::format(",error=\"invalid_token\",error_description=\"{}\"", reason);
    }
    reply.headers.insert(reply.headers.begin(), {"WWW-Authenticate", challenge});
    return reply;
}

bool is_permitted(const Bearer& bearer, const Target& target)
{
    const auto& denied = bearer.set->denied;
    return bearer.set->active && scope_covers(bearer.scope, target.scope) &&
           std::none_of(denied.begin(), denied.end(),
                        [&](const std::string& path) { return target.path.starts_with(path); });
}

Reply options_answer(const Target& target)
{
    const auto json = Json::object({{"name", target.path},
                                    {"description", ""},
                                    {"renders", Json::array({"application/json", "text/html"})},
                                    {"parses", Json::array({"application/json"})}});
    return api_json(200, to_text(json));
}

Reply item_answer(World& world, Library& library, const Target& target, const Request& request)
{
    std::int64_t id = 0;
    const auto* end = target.item.data() + target.item.size();
    const bool is_number = std::from_chars(target.item.data(), end, id).ptr == end;
    const auto* list = world.find_list(library, target.path);
    const auto* row = is_number && list != nullptr ? list->find(id) : nullptr;
    if (row == nullptr) {
        return refusal(404, "Not found.");
    }
    auto item = list->detail(*row);
    if (const auto* url = item.find("url")) {
        item.set("url", request.origin() + url->text);
    }
    return api_json(200, to_text(item));
}

// `user`: whose token it is. A personal token may show the data of another library.
Reply identity_answer(const World& world, const Library& user, const Library& library)
{
    auto page = Json::object({{"id", library.id}, {"name", library.title}});
    if (world.identity_names_user) {
        page.set("user", Json::object({{"id", 1000 + user.id}, {"username", user.name}}));
    }
    return api_json(200, to_text(page));
}

Reply view_answer(World& world, const Library& user, Library& library, const Target& target, const Request& request)
{
    if (target.view == View::identity) {
        return identity_answer(world, user, library);
    }
    if (target.view == View::item) {
        return item_answer(world, library, target, request);
    }
    auto* list = world.find_list(library, target.path);
    if (list == nullptr) {
        return refusal(404, "Not found.");
    }
    const auto& quirks = world.quirks(target.path);
    auto answer = list_answer(*list, quirks.envelope.value_or(target.envelope), quirks, request);
    // The next request already sees what was changed "between two pages".
    list->page_served(answer.page, world.now());
    return std::move(answer.reply);
}

// Everything after the token was found good.
Reply admitted_answer(World& world, const Bearer& bearer, const Target& target, const Request& request)
{
    auto& user = world.user_of(bearer.set->library);
    const auto now = world.now();
    world.audit.api_request(user.name, now);
    Reply reply;
    if (const auto wait = user.throttle.admit(world.throttle, now)) {
        ++world.audit.report.throttled;
        reply = throttled(world.throttle, *wait, now);
    } else if (request.method == "OPTIONS") {
        reply = options_answer(target);
    } else if (request.method != "GET" && request.method != "HEAD") {
        reply = refusal(405, fmt::format("Method \"{}\" not allowed.", request.method));
    } else {
        reply = view_answer(world, user, world.library_at(bearer.set->acts_on), target, request);
    }
    const auto told = user.throttle.headers(world.throttle, now);
    reply.headers.insert(reply.headers.end(), told.begin(), told.end());
    return reply;
}

Reply json_answer(World& world, const Target& target, const Request& request)
{
    const auto token = bearer_token(request);
    if (!token) {
        return unauthenticated("");
    }
    const auto bearer = world.tokens.look_up(*token, world.now());
    if (bearer.state != AccessState::live) {
        const bool expired = bearer.state == AccessState::expired;
        return unauthenticated(expired ? "The access token has expired." : "The access token is invalid.");
    }
    if (!is_permitted(bearer, target)) {
        return refusal(403, "You do not have permission to perform this action.");
    }
    return admitted_answer(world, bearer, target, request);
}

}  // namespace

std::optional<std::string> bearer_token(const Request& request)
{
    const auto header = request.header("Authorization").value_or("");
    if (request.count("Authorization") == 1 && same_word(std::string_view(header).substr(0, 7), "bearer ")) {
        return header.substr(7);
    }
    return find(request.query(), "access_token");
}

Reply api_answer(World& world, const Request& request)
{
    const auto path = request.path();
    const auto target = resolve(path);
    if (!target) {
        return django_page(404);
    }
    if (!path.ends_with('/')) {
        const auto query = std::string(request.query_text());
        return redirect(301, path + "/" + (query.empty() ? "" : "?" + query));
    }
    switch (negotiate(request.header("Accept").value_or("*/*"))) {
    case Rendering::none: return refusal(406, "Could not satisfy the request Accept header.");
    case Rendering::html: return browsable_page(json_answer(world, *target, request), request);
    case Rendering::json: break;
    }
    return json_answer(world, *target, request);
}

}  // namespace shelfd::sim
