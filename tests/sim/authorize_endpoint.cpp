#include "sim/oauth_endpoints.hpp"
#include "sim/pages.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace shelfd::sim {

namespace {

std::string with_params(const std::string& address, const Query& params)
{
    return address + (address.find('?') == std::string::npos ? "?" : "&") + encode_query(params);
}

// The page a person sees; the form sends everything back that the address held.
Reply consent_form(const Library& library, const Query& query)
{
    std::string fields;
    for (const auto& [name, value] : query) {
        fields +=
            fmt::format("<input type=\"hidden\" name=\"{}\" value=\"{}\">\n", escape_html(name), escape_html(value));
    }
    const auto form = fmt::format("<form id=\"authorizationForm\" method=\"post\">\n{}"
                                  "<input type=\"submit\" value=\"Cancel\">\n"
                                  "<input type=\"submit\" name=\"allow\" value=\"Authorize\">\n</form>",
                                  fields);
    return html_page(200, "Authorize " + library.title + "?", form);
}

Query answer_params(World& world, const Library& library, const Query& params, const std::string& redirect_uri,
                    bool allowed)
{
    Query answer;
    const auto scope = find(params, "scope").value_or("");
    if (find(params, "response_type") != "code") {
        answer.emplace_back("error", "unsupported_response_type");
    } else if (!scope_covers(all_scopes, scope)) {
        answer.emplace_back("error", "invalid_scope");
    } else if (!allowed) {
        answer.emplace_back("error", "access_denied");
    } else {
        const auto code = world.tokens.new_secret();
        const auto challenge = find(params, "code_challenge").value_or("");
        world.codes[code] = {.library = world.number_of(library),
                             .redirect_uri = redirect_uri,
                             .scope = scope.empty() ? std::string(all_scopes) : scope,
                             .challenge = challenge,
                             .challenge_method = find(params, "code_challenge_method").value_or("plain"),
                             .issued = world.now()};
        answer.emplace_back("code", code);
    }
    if (const auto state = find(params, "state")) {
        answer.emplace_back("state", *state);
    }
    return answer;
}

}  // namespace

Reply authorize_endpoint(World& world, const Request& request)
{
    if (request.method != "GET" && request.method != "POST") {
        return method_not_allowed("GET, POST, HEAD, OPTIONS");
    }
    auto params = request.query();
    if (world.consent == Consent::signed_out) {
        return redirect(302, "/accounts/login/?next=" + encode_percent(request.target));
    }
    const auto form = form_of(request);
    params.insert(params.end(), form.begin(), form.end());
    const auto* library = world.library_of_client(find(params, "client_id").value_or(""));
    const auto usual = request.origin() + "/auth-code/";
    const auto redirect_uri = find(params, "redirect_uri").value_or(usual);
    if (library == nullptr) {
        return html_page(400, "Error: invalid_request", "<p>Invalid client_id parameter value.</p>");
    }
    const auto& registered = library->redirect_uris;
    if (redirect_uri != usual && std::find(registered.begin(), registered.end(), redirect_uri) == registered.end()) {
        return html_page(400, "Error: invalid_request", "<p>Mismatching redirect URI.</p>");
    }
    const bool is_answer = request.method == "POST" || world.consent != Consent::form;
    const bool allowed =
        request.method == "POST" ? find(form, "allow").has_value() : world.consent == Consent::automatic;
    const bool scope_known = scope_covers(all_scopes, find(params, "scope").value_or(""));
    if (!is_answer && scope_known) {
        return consent_form(*library, params);
    }
    return redirect(302, with_params(redirect_uri, answer_params(world, *library, params, redirect_uri, allowed)));
}

}  // namespace shelfd::sim
