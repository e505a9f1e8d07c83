// Requests to the token endpoint and to token introspection.
#pragma once

#include "http/client.hpp"

#include <optional>
#include <string>

namespace shelfd::oauth {

enum class ClientAuth { body, basic };

struct TokenEndpoint {
    std::string base_url;  // origin, without a trailing slash
    std::string client_id;
    ClientAuth auth = ClientAuth::body;
    http::Route route;
    http::Timeouts timeouts;              // of the exchange: longer than those of any gateway
    std::string introspection_path = {};  // RFC 7662; "" = the service has none
    std::string revocation_path = {};     // RFC 7009; "" = the service has none
};

// POST {base_url}/oauth/token/ with grant_type=refresh_token. It is sent at most once, and without a scope, which could
// narrow the rights of the new set permanently.
http::Request make_refresh_request(const TokenEndpoint& endpoint, const Secret& refresh_token,
                                   const Secret& client_secret);

// The result of a login: valid for one minute and one use.
struct CodeGrant {
    Secret code;
    Secret verifier;           // PKCE (RFC 7636)
    std::string redirect_uri;  // the one given to the authorization page
};
// The same with grant_type=authorization_code.
http::Request make_code_request(const TokenEndpoint& endpoint, const CodeGrant& grant, const Secret& client_secret);

// POST {base_url}{introspection_path} (RFC 7662). It contains the token and the client secret, so it is sent only to a
// path that a person configured.
http::Request make_introspection_request(const TokenEndpoint& endpoint, const Secret& token,
                                         const Secret& client_secret);
struct Introspection {
    bool active = false;
    std::optional<Instant> expires;
    std::optional<Instant> said_at;  // the service's time of the answer
    std::string scope;
    std::string client_id;  // application that the token was issued to; "" = not stated
    std::string user;       // whose token it is: sub, or else username; "" = not stated
};
std::optional<Introspection> read_introspection(const Result<http::Response>& outcome);

// POST {base_url}{revocation_path} (RFC 7009), also only to a path that a person configured. `hint`: refresh_token or
// access_token.
http::Request make_revocation_request(const TokenEndpoint& endpoint, const Secret& token, std::string_view hint,
                                      const Secret& client_secret);

// Encodes as application/x-www-form-urlencoded: unreserved characters stay, all others become %XX.
std::string form_encode(std::string_view text);

}  // namespace shelfd::oauth
