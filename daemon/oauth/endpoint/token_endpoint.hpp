// Requests to the token endpoint and its neighbour that tells about tokens.
#pragma once

#include "http/client.hpp"

#include <optional>
#include <string>

namespace shelfd::oauth {

enum class ClientAuth { body, basic };

struct TokenEndpoint {
    std::string base_url;  // origin, without a slash at its end
    std::string client_id;
    ClientAuth auth = ClientAuth::body;
    http::Route route;
    http::Timeouts timeouts;              // of the exchange: longer than any gateway's
    std::string introspection_path = {};  // "" = nothing there tells about tokens (RFC 7662)
};

// POST {base_url}/oauth/token/ with grant_type=refresh_token: sent at most once, never with a scope (which could narrow
// what the new set may do, for good).
http::Request make_refresh_request(const TokenEndpoint& endpoint, const Secret& refresh_token,
                                   const Secret& client_secret);

// What a login brings home: good for one minute and one use.
struct CodeGrant {
    Secret code;
    Secret verifier;           // of PKCE (RFC 7636)
    std::string redirect_uri;  // the one that the authorization page was given
};
// The same with grant_type=authorization_code.
http::Request make_code_request(const TokenEndpoint& endpoint, const CodeGrant& grant, const Secret& client_secret);

// POST {base_url}{introspection_path} (RFC 7662): the token and the client secret go there, so only where a person
// named the path.
http::Request make_introspection_request(const TokenEndpoint& endpoint, const Secret& token,
                                         const Secret& client_secret);
struct Introspection {
    bool active = false;
    std::optional<Instant> expires;
    std::optional<Instant> said_at;  // by the service's own clock
    std::string scope;
    std::string client_id;  // of the application that it was issued to; "" = not said
};
std::optional<Introspection> read_introspection(const Result<http::Response>& outcome);

// application/x-www-form-urlencoded: unreserved characters stay, all others become %XX.
std::string form_encode(std::string_view text);

}  // namespace shelfd::oauth
