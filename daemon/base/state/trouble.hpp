// Why a table does not advance, as values that daemon and shelfctl share.
#pragma once

#include <optional>
#include <string_view>

namespace shelfd {

// Names equal the states of a table (TableState) where such a state exists.
enum class Trouble {
    none,
    passing,        // the service or the network fails; retried soon, nobody has to act
    forbidden,      // refused to this token set; only the owner can change it
    needs_person,   // a person has to change the configuration or the token set
    wrong_library,  // the token belongs to another library
    storage,        // a disk of this machine fails; retried, existing data stays readable
};

// The word in JSON.
const char* to_string(Trouble trouble);
// Empty for a word that is no trouble.
std::optional<Trouble> parse_trouble(std::string_view word);

// What causes the trouble, as far as the last answer shows. Not shown to people; the sentence beside it says more.
enum class TroubleSource {
    service,   // its answers, or anything else that has no value of its own
    network,   // no answer arrived: name, route, proxy, certificate, or silence
    limit,     // the service asks for a pause
    keys,      // rows of an answer do not have the configured key, or have one twice
    identity,  // the page of `identity` is not as it is configured
    scope,     // the token set lacks the scope that the table needs
    refusal,   // a 401, and the canary accepts any token, so nothing shows whether the token is dead
    form,      // the answer has another form than the answers before
    space,     // no space is left on a disk of this machine
};

}  // namespace shelfd
