#include "base/state/trouble.hpp"

#include "base/state/word_table.hpp"

namespace shelfd {
namespace {

constexpr std::array<const char*, 6> words = {"none",         "passing",       "forbidden",
                                              "needs_person", "wrong_library", "storage"};

constexpr std::array<const char*, 21> sources = {"service",
                                                 "limit",
                                                 "keys",
                                                 "identity",
                                                 "scope",
                                                 "refusal",
                                                 "form",
                                                 "shape",
                                                 "parent",
                                                 "space",
                                                 "network",
                                                 "host_name",
                                                 "proxy_name",
                                                 "proxy_login",
                                                 "proxy_refusal",
                                                 "no_certificates",
                                                 "ca_file",
                                                 "unknown_authority",
                                                 "other_host",
                                                 "early_certificate",
                                                 "expired_certificate"};

}  // namespace

const char* to_string(Trouble trouble)
{
    return words[static_cast<std::size_t>(trouble)];
}

std::optional<Trouble> parse_trouble(std::string_view word)
{
    return find_word<Trouble>(words, word);
}

bool is_of_network(TroubleSource source)
{
    return source >= TroubleSource::network;
}

const char* to_string(TroubleSource source)
{
    return sources[static_cast<std::size_t>(source)];
}

std::optional<TroubleSource> parse_trouble_source(std::string_view word)
{
    return find_word<TroubleSource>(sources, word);
}

std::string_view advice_on(TroubleSource source)
{
    switch (source) {
    case TroubleSource::host_name: return "check base_url and this machine's name servers (getent hosts NAME)";
    case TroubleSource::proxy_name: return "check proxy in the configuration, and the name servers";
    case TroubleSource::proxy_login: return "check the name and the password in proxy, then: shelfctl reload";
    case TroubleSource::proxy_refusal:
        return "check proxy in the configuration, and what the proxy allows, then: shelfctl reload";
    case TroubleSource::no_certificates: return "sudo apt install ca-certificates";
    case TroubleSource::ca_file: return "correct ca_file, then: shelfctl reload";
    case TroubleSource::unknown_authority: return "for a private authority, set ca_file, then: shelfctl reload";
    case TroubleSource::other_host: return "check the host in base_url and auth_url, and what the proxy answers";
    case TroubleSource::early_certificate: return "check the clock of this machine: timedatectl";
    default: return "";
    }
}

}  // namespace shelfd
