// One login by the authorization code flow, as far as the browser sees it (RFC 6749 section 4.1, RFC 7636).
#pragma once

#include "base/result.hpp"
#include "base/secret.hpp"
#include "ctl/context/random_bytes.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace shelfd::ctl {

// For one attempt: its state identifies it, its verifier makes the code useless to others. Errors never contain a code.
class Authorization {
public:
    struct Place {
        std::string authorize_url;  // without a query
        std::string client_id;
        std::string redirect_uri;
        std::vector<std::string> scopes;
    };

    Authorization(Place place, const RandomBytes& random);

    // The address to open in a browser.
    std::string url() const;
    const Secret& verifier() const { return verifier_; }
    const Place& place() const { return place_; }

    // Returns the code in a redirect's query, or the service's error; empty if it belongs to another login or to none.
    std::optional<Result<Secret>> read_redirect(std::string_view query) const;
    // The same for text that a person pasted: the code, or the address of the page with it. Errors: usage, for other
    // texts.
    Result<Secret> read_paste(std::string_view text) const;

private:
    Result<Secret> refusal(std::string_view error) const;

    Place place_;
    std::string state_;
    Secret verifier_;
};

}  // namespace shelfd::ctl
