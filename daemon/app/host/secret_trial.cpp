#include "app/host/secret_trial.hpp"

#include "config/secrets/secret_source.hpp"
#include "config/tree/fault.hpp"

#include <fmt/core.h>

#include <cerrno>
#include <cstring>

#include <unistd.h>

namespace shelfd::app {
namespace {

const char* cure_of(ErrorKind kind)
{
    switch (kind) {
    case ErrorKind::permission: return "chown root:shelfd and chmod 0640 this file, then: shelfctl reload";
    case ErrorKind::storage: return "correct that; the secret is read again before each refresh";
    default: return "correct it, then: shelfctl reload";
    }
}

// A command is not run before it is needed.
Result<void> try_secret(const config::SecretReference& reference, const std::string& credentials_directory)
{
    if (reference.kind != config::SecretReference::Kind::command) {
        const auto secret = config::read_secret(reference, credentials_directory);
        return secret ? Result<void>() : secret.error();
    }
    const auto& program = reference.command.front();
    const bool is_missing = ::access(program.c_str(), F_OK) != 0 && errno != EACCES;
    return is_missing ? Error(ErrorKind::storage, fmt::format("{}: {}", program, std::strerror(errno)))
                      : Result<void>();
}

}  // namespace

std::vector<BadSecret> find_bad_secrets(const config::Libraries& libraries, const std::string& credentials_directory,
                                        Instant now)
{
    std::vector<BadSecret> bad;
    for (const auto& library : libraries) {
        const auto& reference = *library->application.client_secret;
        if (const auto secret = try_secret(reference, credentials_directory); !secret) {
            const auto text = fmt::format("the client secret of {} cannot be used: {}: {}", library->name,
                                          to_text(reference.position), secret.error().text());
            bad.push_back({secret.error().kind(),
                           {text, cure_of(secret.error().kind()), now,
                            "continues with the access token, and reads the secret again before each refresh"}});
        }
    }
    return bad;
}

Result<void> check_secrets(const std::vector<BadSecret>& bad, std::size_t libraries)
{
    if (bad.empty() || bad.size() < libraries) {
        return {};
    }
    // No daemon runs that could reload: the next start reads the secret.
    const auto& first = bad.front();
    const char* cure = first.kind == ErrorKind::permission
                           ? "chown root:shelfd and chmod 0640 this file, then start the daemon again"
                       : first.kind == ErrorKind::storage ? "correct that"
                                                          : "correct it, then start the daemon again";
    return Error(first.kind, fmt::format("{}: {}", first.notice.text, cure));
}

}  // namespace shelfd::app
