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
    limit,     // the service asks for a pause
    keys,      // rows of an answer do not have the configured key, or have one twice
    identity,  // the page of `identity` is not as it is configured
    scope,     // the token set lacks the scope that the table needs
    refusal,   // a 401, and the canary accepts any token, so nothing shows whether the token is dead
    form,      // the answer has another form than the answers before
    shape,     // the answer is not the list, or the object, that is configured
    parent,    // the table whose rows name the lists was never filled
    space,     // no space is left on a disk of this machine
    // No answer arrived:
    network,              // route, silence, or anything else that has no value of its own
    host_name,            // the name of the host is unknown
    proxy_name,           // that of the proxy is
    proxy_login,          // the proxy does not accept the configured name and password
    proxy_refusal,        // the proxy refuses the connection
    no_certificates,      // this machine has no trusted certificates
    ca_file,              // the configured file of trusted certificates cannot be read, or lacks the authority
    unknown_authority,    // nobody who is trusted vouches for the certificate
    other_host,           // the certificate belongs to another host
    early_certificate,    // the certificate is not valid yet
    expired_certificate,  // only the service can renew it
};

// True if no answer arrived.
bool is_of_network(TroubleSource source);

// The word in the mirror.
const char* to_string(TroubleSource source);
// Empty for a word that is no source.
std::optional<TroubleSource> parse_trouble_source(std::string_view word);

// What can be done on this machine about trouble of the network, in the words with which its sentence ends; "" if the
// source alone does not show it.
std::string_view advice_on(TroubleSource source);

}  // namespace shelfd
