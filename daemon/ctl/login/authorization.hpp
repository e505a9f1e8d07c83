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

// Made for one attempt: its state names it, its verifier makes the code useless to others. Errors never hold a code.
class Authorization {
public:
    struct Place {
        std::string authorize_url;  // without a query
        std::string client_id;
        std::string redirect_uri;
        std::vector<std::string> scopes;
    };

    Authorization(Place place, const RandomBytes& random);

    // What to open in a browser.
    std::string url() const;
    const Secret& verifier() const { return verifier_; }
    const Place& place() const { return place_; }

    // The code that a redirect brought in its query, or what the service said instead of one; nothing when it answers
    // another login or none.
    std::optional<Result<Secret>> read_redirect(std::string_view query) const;
    // The same of what a person pasted: the code alone, or the address of the page that shows it. Errors: usage, for
    // what is neither.
    Result<Secret> read_paste(std::string_view text) const;

private:
    Result<Secret> refusal(std::string_view error) const;

    Place place_;
    std::string state_;
    Secret verifier_;
};

}  // namespace shelfd::ctl
