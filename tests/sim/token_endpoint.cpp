#include "sim/oauth_endpoints.hpp"

#include "sim/base64.hpp"
#include "sim/pages.hpp"

#include "base/sha256.hpp"

#include <algorithm>

namespace shelfd::sim {

namespace {

constexpr Duration code_lifetime = std::chrono::seconds(60);

// Of the libraries whose application this client is, the one that was issued that refresh token; the client's own if it
// is none's.
std::size_t owner_of(World& world, const Library& client, const std::string& token)
{
    for (std::size_t number = 0; number < world.library_count(); ++number) {
        const auto sets =
            world.library_at(number).client_id == client.client_id ? world.tokens.count_of_sets(number) : 0;
        for (std::size_t i = 0; i < sets; ++i) {
            const auto& all = world.tokens.find_set(number, i)->generations;
            if (std::any_of(all.begin(), all.end(), [&](const auto& one) { return one.refresh == token; })) {
                return number;
            }
        }
    }
    return world.number_of(client);
}

Reply refresh_grant(World& world, const Request& request, const Query& form)
{
    const auto token = find(form, "refresh_token");
    if (!token) {
        return oauth_error("invalid_request", "Missing refresh token parameter.");
    }
    const auto* client = authenticate_client(world, request, form);
    if (client == nullptr) {
        return oauth_error("invalid_client");
    }
    const auto outcome =
        world.tokens.refresh(owner_of(world, *client, *token), *token, find(form, "scope"), world.now());
    if (const auto* pair = std::get_if<TokenPair>(&outcome)) {
        ++world.audit.report.refreshes;
        return oauth_json(200, token_response(*pair));
    }
    switch (std::get<RefreshRefusal>(outcome)) {
    case RefreshRefusal::invalid_scope: return oauth_error("invalid_scope");
    case RefreshRefusal::server_error: return django_page(500);
    case RefreshRefusal::invalid_grant: break;
    }
    return oauth_error("invalid_grant");
}

// RFC 7636 section 4.6: the code belongs to whoever knows what the challenge was made of.
bool verifier_fits(const AuthorizationCode& code, const std::string& verifier)
{
    if (code.challenge_method != "S256") {
        return verifier == code.challenge;
    }
    const auto digest = sha256(verifier);
    auto encoded = encode_base64({reinterpret_cast<const char*>(digest.data()), digest.size()});
    encoded.resize(encoded.find('='));
    std::replace(encoded.begin(), encoded.end(), '+', '-');
    std::replace(encoded.begin(), encoded.end(), '/', '_');
    return encoded == code.challenge;
}

Reply code_grant(World& world, const Request& request, const Query& form)
{
    const auto text = find(form, "code");
    if (!text) {
        return oauth_error("invalid_request", "Missing code parameter.");
    }
    const auto* client = authenticate_client(world, request, form);
    if (client == nullptr) {
        return oauth_error("invalid_client");
    }
    const auto found = world.codes.find(*text);
    if (found == world.codes.end() || found->second.used || found->second.library != world.number_of(*client) ||
        world.now() - found->second.issued >= code_lifetime) {
        return oauth_error("invalid_grant");
    }
    auto& code = found->second;
    const auto verifier = find(form, "code_verifier");
    if (!code.challenge.empty() && !verifier) {
        return oauth_error("invalid_request", "Code verifier required.");
    }
    if (!code.challenge.empty() && !verifier_fits(code, *verifier)) {
        return oauth_error("invalid_grant");
    }
    if (find(form, "redirect_uri").value_or("") != code.redirect_uri) {
        return oauth_error("invalid_request", "Mismatching redirect URI.");
    }
    code.used = true;
    ++world.audit.report.exchanges;
    return oauth_json(200, token_response(world.tokens.issue(code.library, code.scope, world.now())));
}

}  // namespace

Json token_response(const TokenPair& pair)
{
    auto body = Json::object({{"access_token", pair.access},
                              {"expires_in", static_cast<std::int64_t>(pair.expires_in.count())},
                              {"token_type", "Bearer"},
                              {"scope", pair.scope}});
    if (pair.refresh) {
        body.set("refresh_token", *pair.refresh);
    }
    return body;
}

Reply token_endpoint(World& world, const Request& request)
{
    if (request.method != "POST") {
        auto reply = method_not_allowed("POST, OPTIONS");
        reply.status = request.method == "OPTIONS" ? 200 : 405;
        return reply;
    }
    if (!request.query_text().empty()) {
        return django_page(500);
    }
    const auto form = form_of(request);
    const auto grant = find(form, "grant_type").value_or("");
    if (grant == "refresh_token") {
        return refresh_grant(world, request, form);
    }
    if (grant == "authorization_code") {
        return code_grant(world, request, form);
    }
    if (grant != "password" && grant != "client_credentials") {
        return oauth_error("unsupported_grant_type");
    }
    return oauth_error(authenticate_client(world, request, form) == nullptr ? "invalid_client" : "unauthorized_client");
}

}  // namespace shelfd::sim
