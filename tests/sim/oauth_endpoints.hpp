// The service's /oauth/ paths, as django-oauth-toolkit 1.7 over oauthlib 3.2.2 answers them.
#pragma once

#include "sim/message.hpp"
#include "sim/world.hpp"

namespace shelfd::sim {

// Any path below /oauth/, /auth-code/ and the login page.
Reply oauth_answer(World& world, const Request& request);

Reply token_endpoint(World& world, const Request& request);
Reply authorize_endpoint(World& world, const Request& request);
Reply introspect_endpoint(World& world, const Request& request);
Reply revoke_endpoint(World& world, const Request& request);

// The five members of a token response, as the token endpoint sends them and `shelfctl auth import` takes them.
Json token_response(const TokenPair& pair);
// What a form-encoded body holds; nothing for JSON, and nothing for a chunked body, which WSGI does not pass on.
Query form_of(const Request& request);
// By HTTP Basic, else by the form. nullptr: unknown client or wrong secret.
Library* authenticate_client(World& world, const Request& request, const Query& form);
// The error answer of RFC 6749 section 5.2, 401 for invalid_client.
Reply oauth_error(const std::string& error, const std::string& description = "");
// JSON as the token endpoint sends it: spaces between, never cached.
Reply oauth_json(int status, const Json& body);
Reply method_not_allowed(const std::string& allowed);

}  // namespace shelfd::sim
