#include "ctl/doctor/config_checks.hpp"

#include "base/words/shell_word.hpp"
#include "ctl/doctor/access.hpp"

#include <fmt/format.h>

#include <tuple>

#include <sys/stat.h>

namespace shelfd::ctl {
namespace {

using Kind = config::SecretReference::Kind;

Finding secret_finding(const SecretFacts& secret, Verdict verdict, std::string text, std::string do_this)
{
    return {"secrets", verdict, fmt::format("the secret of {}: {}", secret.used_by, text), std::move(do_this), false};
}

Finding hidden(const SecretFacts& secret)
{
    return secret_finding(secret, Verdict::unknown,
                          fmt::format("not permitted to look at {}: run as root", secret.name), "sudo shelfctl doctor");
}

// The daemon refuses files that every user may read; that is a matter of rights, checked with them.
Finding check_secret_file(const SecretFacts& secret, const Facts& facts)
{
    const auto& file = secret.file;
    if (file.kind == PathFacts::Kind::missing) {
        return secret_finding(
            secret, Verdict::fault, fmt::format("there is no file {}", secret.name),
            fmt::format("sudo install -m 0640 -g shelfd FILE {}, then sudo shelfctl reload", shell_word(secret.name)));
    }
    if (file.kind == PathFacts::Kind::hidden) {
        return hidden(secret);
    }
    const auto uid = facts.daemon_user();
    const auto* user = uid ? facts.people.find_user(*uid) : nullptr;
    if (file.kind != PathFacts::Kind::file || user == nullptr) {
        return secret_finding(secret, Verdict::unknown,
                              fmt::format("{} is not a regular file, or the daemon's user is not known", secret.name),
                              "");
    }
    if (!may_read_below(*user, secret.parents, file, facts.people)) {
        return secret_finding(secret, Verdict::fault, fmt::format("{} may not read {}", user->name, secret.name),
                              fmt::format("sudo chgrp {0} {1} && sudo chmod 0640 {1}",
                                          shell_word(facts.people.group_name(user->gid)), shell_word(secret.name)));
    }
    return secret_finding(secret, Verdict::ok, fmt::format("{} may read {}", user->name, secret.name), "");
}

Finding check_secret(const SecretFacts& secret, const Facts& facts)
{
    switch (secret.kind) {
    case Kind::file: return check_secret_file(secret, facts);
    case Kind::credential:
        return secret_finding(
            secret, Verdict::unknown,
            fmt::format("the service manager passes the credential {} to the daemon only", secret.name), "");
    case Kind::command: break;
    }
    if (secret.file.kind == PathFacts::Kind::hidden) {
        return hidden(secret);
    }
    const bool runs = secret.file.kind == PathFacts::Kind::link ||
                      (secret.file.kind == PathFacts::Kind::file && (secret.file.mode & S_IXOTH) != 0);
    if (runs) {
        return secret_finding(secret, Verdict::unknown,
                              fmt::format("the program {} is there; doctor does not run it", secret.name), "");
    }
    const bool is_there = secret.file.kind == PathFacts::Kind::file;
    return is_there ? secret_finding(secret, Verdict::unknown,
                                     fmt::format("not every user may run {}; doctor does not run it", secret.name), "")
                    : secret_finding(secret, Verdict::fault, fmt::format("there is no program {}", secret.name),
                                     "install it, or correct the command in the configuration");
}

}  // namespace

Findings check_configuration(const Facts& facts)
{
    const auto& config = facts.config;
    Findings findings;
    if (config.hidden) {
        findings.push_back({"configuration", Verdict::unknown,
                            fmt::format("not permitted to read {}: run as root", config.file), "sudo shelfctl doctor",
                            false});
        return findings;
    }
    for (const auto& fault : config.faults) {
        findings.push_back({"configuration", Verdict::fault, fault,
                            "correct that, then: shelfctl config check && sudo shelfctl reload", false});
    }
    for (const auto& warning : config.warnings) {
        findings.push_back({"configuration", Verdict::warning, warning, "shelfctl config check", false});
    }
    const auto& daemon = facts.daemon;
    if (daemon.answers && daemon.config_loaded) {
        if (!daemon.config_file.empty() && daemon.config_file != config.file) {
            findings.push_back({"configuration", Verdict::warning,
                                fmt::format("the daemon uses {}, this command {}", daemon.config_file, config.file),
                                fmt::format("shelfctl --config {} doctor", shell_word(daemon.config_file)), false});
        }
        for (const auto& file : config.files) {
            if (file.is_there() && file.modified > *daemon.config_loaded) {
                findings.push_back({"configuration", Verdict::advice,
                                    fmt::format("{} was changed after the daemon loaded it", file.path),
                                    "shelfctl config check && sudo shelfctl reload", false});
                break;
            }
        }
    }
    if (findings.empty()) {
        findings.push_back({"configuration", Verdict::ok, config.file + " has no fault", "", false});
    }
    return findings;
}

Findings check_storage(const Facts& facts)
{
    Findings findings;
    const auto* model = facts.configuration();
    if (model == nullptr) {
        return {{"storage", Verdict::unknown,
                 "nothing that the configuration names was checked: it could not be loaded", "", false}};
    }
    const auto uid = facts.daemon_user();
    const auto user = uid ? facts.people.user_name(*uid) : std::string("shelfd");
    using Row = std::tuple<const char*, const char*, std::string>;
    for (const auto& [key, mode, group] : {Row("mirrors", "2750", model->control.readers), Row("tokens", "0700", user),
                                           Row("tokens_copy", "0700", user)}) {
        const auto* place = facts.place(key);
        if (place == nullptr || place->kind == PathFacts::Kind::hidden) {
            continue;
        }
        if (place->kind == PathFacts::Kind::missing) {
            findings.push_back({"storage", Verdict::fault,
                                fmt::format("there is no directory {} (storage.{})", place->path, key),
                                fmt::format("mount its file system, or: sudo install -d -o {} -g {} -m {} {}",
                                            shell_word(user), shell_word(group), mode, shell_word(place->path)),
                                false});
        } else if (place->kind != PathFacts::Kind::directory && place->kind != PathFacts::Kind::link) {
            findings.push_back({"storage", Verdict::fault,
                                fmt::format("{} (storage.{}) is not a directory", place->path, key),
                                "correct the path in the configuration", false});
        }
    }
    if (findings.empty()) {
        findings.push_back({"storage", Verdict::ok, "the directories are there", "", false});
    }
    return findings;
}

Findings check_secrets(const Facts& facts)
{
    Findings findings;
    for (const auto& secret : facts.secrets) {
        findings.push_back(check_secret(secret, facts));
    }
    return findings;
}

Findings check_certificates(const Facts& facts)
{
    Findings findings;
    const auto uid = facts.daemon_user();
    const auto* user = uid ? facts.people.find_user(*uid) : nullptr;
    for (const auto& one : facts.certificates) {
        const auto& path = one.file.path;
        const auto add = [&](Verdict verdict, std::string text, std::string do_this) {
            findings.push_back(
                {"ca_file", verdict, fmt::format("{} ({}): {}", path, one.used_by, text), std::move(do_this), false});
        };
        if (one.file.kind == PathFacts::Kind::missing) {
            add(Verdict::fault, "there is no such file", "correct ca_file in the configuration");
        } else if (one.file.kind == PathFacts::Kind::hidden) {
            add(Verdict::unknown, "not permitted to look: run as root", "sudo shelfctl doctor");
        } else if (!one.trouble.empty()) {
            add(Verdict::fault, one.trouble, "write certificates in PEM form there");
        } else if (user != nullptr && one.file.kind == PathFacts::Kind::file &&
                   !may_read_below(*user, one.parents, one.file, facts.people)) {
            add(Verdict::fault, user->name + " may not read it", "sudo chmod 0644 " + shell_word(path));
        } else {
            add(Verdict::ok, "it is there", "");
        }
    }
    return findings;
}

Findings check_socket(const Facts& facts)
{
    Findings findings;
    constexpr std::size_t longest = 107;  // sockaddr_un, without the zero byte
    if (facts.socket.size() > longest) {
        findings.push_back({"control socket", Verdict::fault,
                            fmt::format("the path {} has {} bytes; a socket's path has at most {}", facts.socket,
                                        facts.socket.size(), longest),
                            "choose a shorter control.socket in the configuration", false});
    }
    constexpr mode_t for_everybody = 0666;
    const auto& file = facts.socket_file;
    if (file.kind == PathFacts::Kind::socket && (file.mode & for_everybody) != for_everybody) {
        findings.push_back({"control socket", Verdict::warning,
                            fmt::format("{} has mode {:04o}, so not every user who has rights can connect; the daemon "
                                        "checks them itself",
                                        file.path, file.mode),
                            facts.restart_command(), false});
    } else if (file.is_there() && file.kind != PathFacts::Kind::socket) {
        findings.push_back({"control socket", Verdict::fault, fmt::format("{} is not a socket", file.path),
                            "move that file away, then: " + facts.restart_command(), false});
    }
    if (findings.empty()) {
        findings.push_back({"control socket", Verdict::ok, facts.socket, "", false});
    }
    return findings;
}

}  // namespace shelfd::ctl
