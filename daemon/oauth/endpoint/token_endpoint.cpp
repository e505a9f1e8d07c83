#include "oauth/endpoint/token_endpoint.hpp"

#include "oauth/endpoint/canary.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>

namespace shelfd::oauth {
namespace {

namespace json = boost::json;

// The caller reserves room in `form`, so that it does not reallocate and leave copies of a secret.
void append_field(std::string& form, std::string_view name, std::string_view value)
{
    auto encoded = form_encode(value);
    form += form.empty() ? "" : "&";
    form += name;
    form += '=';
    form += encoded;
    Secret::wipe(encoded);
}

http::Request make_form_request(const TokenEndpoint& endpoint, std::string path, std::string form,
                                const Secret& client_secret)
{
    http::Request request;
    request.method = http::Method::post;
    request.url = endpoint.base_url + std::move(path);
    request.headers = {{"Content-Type", "application/x-www-form-urlencoded"},
                       {"Accept", "application/json"},
                       {"Accept-Encoding", "identity"}};
    if (endpoint.auth == ClientAuth::basic) {
        // RFC 6749 section 2.3.1: both parts are form-encoded before they are joined.
        request.basic.emplace(form_encode(endpoint.client_id), Secret(form_encode(client_secret.reveal())));
    } else {
        append_field(form, "client_id", endpoint.client_id);
        append_field(form, "client_secret", client_secret.reveal());
    }
    request.body = Secret(std::move(form));
    request.connection = http::Connection::one_shot;
    request.timeouts = endpoint.timeouts;
    request.route = endpoint.route;
    request.max_body = 1u << 20;
    return request;
}

// For an answer that may hold a token set: it is read whatever its headers say of its coding and its length.
http::Request make_grant_request(const TokenEndpoint& endpoint, std::string form, const Secret& client_secret)
{
    auto request = make_form_request(endpoint, "/oauth/token/", std::move(form), client_secret);
    request.coding = http::Coding::as_sent;
    return request;
}

std::string new_form(std::string_view first_field, const Secret& token, const Secret& client_secret)
{
    std::string form;
    form.reserve(4096 + 3 * (token.reveal().size() + client_secret.reveal().size()));
    form = first_field;
    return form;
}

// Seconds since 1970 (RFC 7662 section 2.2) up to the year 9999; larger values are milliseconds or invalid.
std::optional<Instant> instant_of(const json::value* member)
{
    constexpr double latest = 253'402'300'799;
    if (member == nullptr || !member->is_number()) {
        return std::nullopt;
    }
    const auto seconds = member->to_number<double>();
    return seconds >= 0 && seconds <= latest ? std::optional(Instant::from_seconds(static_cast<std::int64_t>(seconds)))
                                             : std::nullopt;
}

}  // namespace

http::Request make_refresh_request(const TokenEndpoint& endpoint, const Secret& refresh_token,
                                   const Secret& client_secret)
{
    auto form = new_form("grant_type=refresh_token", refresh_token, client_secret);
    append_field(form, "refresh_token", refresh_token.reveal());
    return make_grant_request(endpoint, std::move(form), client_secret);
}

http::Request make_code_request(const TokenEndpoint& endpoint, const CodeGrant& grant, const Secret& client_secret)
{
    auto form = new_form("grant_type=authorization_code", grant.code, client_secret);
    append_field(form, "code", grant.code.reveal());
    append_field(form, "redirect_uri", grant.redirect_uri);
    append_field(form, "code_verifier", grant.verifier.reveal());
    return make_grant_request(endpoint, std::move(form), client_secret);
}

http::Request make_introspection_request(const TokenEndpoint& endpoint, const Secret& token,
                                         const Secret& client_secret)
{
    auto form = new_form("", token, client_secret);
    append_field(form, "token", token.reveal());
    return make_form_request(endpoint, endpoint.introspection_path, std::move(form), client_secret);
}

http::Request make_revocation_request(const TokenEndpoint& endpoint, const Secret& token, std::string_view hint,
                                      const Secret& client_secret)
{
    auto form = new_form("", token, client_secret);
    append_field(form, "token", token.reveal());
    append_field(form, "token_type_hint", hint);
    auto request = make_form_request(endpoint, endpoint.revocation_path, std::move(form), client_secret);
    request.coding = http::Coding::as_sent;  // its status says it all (RFC 7009 section 2.2)
    return request;
}

std::optional<Introspection> read_introspection(const Result<http::Response>& outcome)
{
    if (!outcome || outcome->status != 200) {
        return std::nullopt;
    }
    json::error_code error;
    const auto value = json::parse(outcome->body, error);
    const auto* object = error ? nullptr : value.if_object();
    const auto* active = object != nullptr ? object->if_contains("active") : nullptr;
    if (active == nullptr || !active->is_bool()) {
        return std::nullopt;
    }
    Introspection found;
    found.active = active->get_bool();
    found.expires = instant_of(object->if_contains("exp"));
    found.said_at = http::service_date(*outcome);
    const auto text_of = [object](const char* name) {
        const auto* member = object->if_contains(name);
        const auto* text = member != nullptr ? member->if_string() : nullptr;
        return text != nullptr ? std::string(text->data(), text->size()) : std::string();
    };
    found.scope = text_of("scope");
    found.client_id = text_of("client_id");
    const auto subject = text_of("sub");
    found.user = usable_user(subject.empty() ? text_of("username") : subject);
    return found;
}

std::string form_encode(std::string_view text)
{
    constexpr std::string_view digits = "0123456789ABCDEF";
    std::string out;
    out.reserve(3 * text.size());
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        const auto is_unreserved = (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
                                   c == '-' || c == '.' || c == '_' || c == '~';
        if (is_unreserved) {
            out += c;
        } else {
            out += '%';
            out += digits[byte >> 4];
            out += digits[byte & 15];
        }
    }
    return out;
}

}  // namespace shelfd::oauth
