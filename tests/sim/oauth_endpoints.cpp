#include "sim/oauth_endpoints.hpp"

#include "sim/base64.hpp"
#include "sim/pages.hpp"

namespace shelfd::sim {

namespace {

Library* check_client(World& world, const std::string& id, const std::string& secret)
{
    auto* library = world.library_of_client(id);
    return library != nullptr && library->client_secret == secret ? library : nullptr;
}

Library* client_of_basic(World& world, const Request& request)
{
    const auto header = request.header("Authorization").value_or("");
    if (!same_word(std::string_view(header).substr(0, 6), "basic ")) {
        return nullptr;
    }
    const auto pair = decode_base64(std::string_view(header).substr(6)).value_or("");
    const auto colon = pair.find(':');
    if (colon == std::string::npos) {
        return nullptr;
    }
    return check_client(world, decode_percent(pair.substr(0, colon)), decode_percent(pair.substr(colon + 1)));
}

}  // namespace

Query form_of(const Request& request)
{
    const auto type = lower(request.header("Content-Type").value_or(""));
    const bool is_form = type.starts_with("application/x-www-form-urlencoded");
    return is_form && !request.chunked ? parse_query(request.body) : Query();
}

Library* authenticate_client(World& world, const Request& request, const Query& form)
{
    if (auto* library = client_of_basic(world, request)) {
        return library;
    }
    return check_client(world, find(form, "client_id").value_or(""), find(form, "client_secret").value_or(""));
}

Reply oauth_json(int status, const Json& body)
{
    return {.status = status,
            .content_type = "application/json",
            .body = to_text(body, Spacing::spaced),
            .headers = {{"Cache-Control", "no-store"}, {"Pragma", "no-cache"}}};
}

Reply oauth_error(const std::string& error, const std::string& description)
{
    auto body = Json::object({{"error", error}});
    if (!description.empty()) {
        body.set("error_description", description);
    }
    auto reply = oauth_json(error == "invalid_client" ? 401 : 400, body);
    if (error == "invalid_client") {
        reply.headers.push_back({"WWW-Authenticate", "Bearer error=\"invalid_client\""});
    }
    return reply;
}

Reply method_not_allowed(const std::string& allowed)
{
    return {.status = 405, .content_type = "text/html; charset=utf-8", .body = "", .headers = {{"Allow", allowed}}};
}

Reply introspect_endpoint(World& world, const Request& request)
{
    auto params = form_of(request);
    const auto query = request.query();
    params.insert(params.end(), query.begin(), query.end());
    if (authenticate_client(world, request, params) == nullptr) {
        return {.status = 403, .content_type = "text/html; charset=utf-8", .body = "", .headers = {}};
    }
    const auto bearer = world.tokens.look_up(find(params, "token").value_or(""), world.now());
    auto answer = Json::object({{"active", bearer.state == AccessState::live}});
    if (bearer.state == AccessState::live) {
        const auto& library = world.library_at(bearer.set->library);
        answer.set("scope", bearer.scope);
        answer.set("exp", bearer.expires.seconds());
        answer.set("client_id", library.client_id);
        answer.set("username", world.user_of(bearer.set->library).name);
    }
    return {.status = 200, .content_type = "application/json", .body = to_text(answer, Spacing::spaced), .headers = {}};
}

Reply revoke_endpoint(World& world, const Request& request)
{
    if (request.method != "POST") {
        return method_not_allowed("POST, OPTIONS");
    }
    const auto form = form_of(request);
    const auto* client = authenticate_client(world, request, form);
    if (client == nullptr) {
        return oauth_error("invalid_client");
    }
    world.tokens.revoke_token(world.number_of(*client), find(form, "token").value_or(""));
    return {.status = 200, .content_type = "text/html; charset=utf-8", .body = "", .headers = {}};
}

Reply oauth_answer(World& world, const Request& request)
{
    struct Endpoint {
        std::string_view path;
        Reply (*answer)(World&, const Request&);
    };
    static constexpr Endpoint endpoints[] = {{"/oauth/token/", token_endpoint},
                                             {"/oauth/authorize/", authorize_endpoint},
                                             {"/oauth/introspect/", introspect_endpoint},
                                             {"/oauth/revoke_token/", revoke_endpoint}};
    const auto path = request.path();
    for (const auto& endpoint : endpoints) {
        if (path == endpoint.path) {
            return endpoint.answer(world, request);
        }
        if (path + "/" == endpoint.path) {
            const auto query = std::string(request.query_text());
            return redirect(301, path + "/" + (query.empty() ? "" : "?" + query));
        }
    }
    if (path == "/auth-code/") {
        const auto code = find(request.query(), "code").value_or("");
        return html_page(200, "Your code", "<p>Copy this code: <code id=\"code\">" + escape_html(code) + "</code></p>");
    }
    if (path == "/accounts/login/") {
        return html_page(200, "Sign in", "<form method=\"post\"></form>");
    }
    return django_page(404);
}

}  // namespace shelfd::sim
