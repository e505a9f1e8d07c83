// Whose data a new token set opens, in words that a person knows.
#pragma once

#include "base/result.hpp"
#include "config/model/model.hpp"
#include "ctl/context/context.hpp"

#include <string>
#include <string_view>

namespace shelfd::ctl {

struct SetIdentity {
    std::string id;    // "" without `identity`: nobody can know
    std::string name;  // as the service calls it; "" = it does not say
    // The member that plainly holds the id of the user, like "user.id"; "" = there is none.
    std::string user_field = {};
};

// Asks the service by way of the daemon, with one request; waits up to a minute for a library that is just opened
// again. Errors: as of the daemon; protocol.
Result<SetIdentity> ask_identity(const Context& context, const config::Library& library);

// The library in an answer of the service: the member `field` ("library.id" if nested), read as the daemon reads it,
// and the first of name, title and label beside it.
Result<SetIdentity> read_identity(std::string_view body, const std::string& field);

// Whether the person agrees; asked on the terminal until the answer is yes or no. The end of the input and Ctrl-C are
// no.
bool agrees(const Context& context, const SetIdentity& found);

// Services count requests by user: "; its page also names the user: …", with what to configure; "" = nothing to add.
std::string user_note(const config::Service& service, const SetIdentity& found);

// See SetIdentity::user_field.
std::string find_user_field(std::string_view body);

}  // namespace shelfd::ctl
