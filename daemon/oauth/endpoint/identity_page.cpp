#include "oauth/endpoint/identity_page.hpp"

#include "base/words/member_text.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>

namespace shelfd::oauth {

IdentityPage read_identity_page(std::string_view body, std::string_view field)
{
    boost::json::error_code broken;
    const auto page = boost::json::parse({body.data(), body.size()}, broken);
    if (broken || identity_text(page, field).empty()) {
        return {};
    }
    return {true, user_member(page)};
}

}  // namespace shelfd::oauth
