#include "ctl/survey/survey.hpp"

#include "base/regular_file.hpp"
#include "base/state/limit_notice.hpp"
#include "base/words/log_command.hpp"
#include "config/load.hpp"
#include "config/tree/files.hpp"
#include "ctl/context/places.hpp"
#include "ctl/context/user_mode.hpp"
#include "ctl/daemon/client.hpp"
#include "ctl/status/status_view.hpp"
#include "ctl/survey/path_facts.hpp"
#include "ctl/survey/people.hpp"
#include "ctl/survey/storage_facts.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <set>
#include <system_error>
#include <utility>

#include <unistd.h>

namespace shelfd::ctl {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t max_certificates = 4u << 20;

ConfigFacts read_config(const Context& context)
{
    ConfigFacts facts;
    facts.file = context.command.config_file;
    auto loaded = config::load(facts.file, context.environment);
    facts.hidden = ::access(facts.file.c_str(), R_OK) != 0 && errno == EACCES;
    for (const auto& fault : loaded.faults) {
        facts.faults.push_back(config::to_text(fault));
    }
    // Without secrets: their files are checked by owner and mode, and if only they are at fault, the rest is checked,
    // too.
    auto without = config::load(facts.file, context.environment, config::KeepOrigins::no, config::Secrets::not_now);
    std::set<std::string> not_of_secrets;
    for (const auto* list : {&without.warnings, &without.faults}) {
        for (const auto& one : *list) {
            not_of_secrets.insert(config::to_text(one));
        }
    }
    for (const auto& warning : loaded.warnings) {
        if (auto text = config::to_text(warning); not_of_secrets.contains(text)) {
            facts.warnings.push_back(std::move(text));
        }
    }
    facts.model = std::move(loaded.configuration ? loaded.configuration : without.configuration);
    config::FaultList ignored;
    for (const auto& file : config::read_documents(facts.file, context.environment, ignored).files) {
        facts.files.push_back(look_at(file));
    }
    return facts;
}

DaemonFacts ask_daemon(const Context& context)
{
    DaemonFacts facts;
    const auto answer = client_of(context).get("/v1/status");
    if (!answer) {
        facts.trouble = answer.error().text();
        facts.refused = answer.error().kind() == ErrorKind::permission;
        return facts;
    }
    if (const auto checked = answer->check(); !checked) {
        facts.trouble = checked.error().text();
        facts.refused = checked.error().kind() == ErrorKind::permission;
        return facts;
    }
    const auto status = read_status(answer->body);
    if (!status) {
        facts.trouble = status.error().text();
        return facts;
    }
    facts.answers = true;
    facts.version = status->version;
    facts.pid = status->pid;
    facts.config_file = status->config_file;
    if (status->config_loaded != Instant()) {
        facts.config_loaded = status->config_loaded;
    }
    facts.absent = status->absent;
    for (const auto& notice : status->notices) {
        if (is_limit_notice(notice.text)) {
            facts.parted_limits.emplace_back(notice.text, notice.do_this);
        }
    }
    for (const auto& library : status->libraries) {
        if (library.token.needs_person) {
            facts.needs_person.push_back(library.name);
        }
    }
    return facts;
}

// The daemon's file has the name under which this command knows it: one path may be relative, or lead over a link.
void name_alike(DaemonFacts& daemon, const ConfigFacts& config)
{
    std::error_code unknown;
    std::error_code missing;
    auto theirs = fs::path(daemon.config_file);
    if (theirs.is_relative()) {
        const auto directory = fs::read_symlink(fmt::format("/proc/{}/cwd", daemon.pid), unknown);
        theirs = (unknown ? fs::current_path(missing) : directory) / theirs;
    }
    if (!daemon.config_file.empty() && fs::equivalent(theirs, config.file, missing)) {
        daemon.config_file = config.file;
    }
}

void add_secret(Facts& facts, const std::string& used_by, const config::SecretReference& reference)
{
    SecretFacts secret;
    secret.used_by = used_by;
    secret.kind = reference.kind;
    secret.name = reference.kind == config::SecretReference::Kind::command && !reference.command.empty()
                      ? reference.command.front()
                      : reference.path_or_name;
    const bool known = std::any_of(facts.secrets.begin(), facts.secrets.end(),
                                   [&](const auto& one) { return one.kind == secret.kind && one.name == secret.name; });
    if (known) {
        return;
    }
    if (reference.kind != config::SecretReference::Kind::credential) {
        secret.file = look_behind(secret.name);
        secret.parents = look_above(secret.name);
    }
    facts.secrets.push_back(std::move(secret));
}

void add_secrets(Facts& facts, const config::Configuration& model)
{
    for (const auto& application : model.applications) {
        if (application.client_secret) {
            add_secret(facts, "application." + application.name, *application.client_secret);
        }
    }
    for (const auto& library : model.libraries) {
        if (library.application.client_secret) {
            add_secret(facts, "library." + library.name, *library.application.client_secret);
        }
    }
    for (const auto& hook : model.hooks) {
        if (hook.post_secret) {
            add_secret(facts, "hooks." + hook.name, *hook.post_secret);
        }
        for (const auto& header : hook.headers) {
            if (header.secret) {
                add_secret(facts, "hooks." + hook.name, *header.secret);
            }
        }
    }
}

void add_certificate(Facts& facts, const std::string& path, const std::string& used_by)
{
    const bool known = std::any_of(facts.certificates.begin(), facts.certificates.end(),
                                   [&](const auto& one) { return one.file.path == path; });
    if (path.empty() || known) {
        return;
    }
    CertificateFacts one{used_by, look_behind(path), "", look_above(path)};
    if (one.file.is_there()) {
        const auto text = read_regular_file(path, max_certificates);
        one.trouble = !text ? "" : text->find("-----BEGIN ") == std::string::npos ? "it holds no certificate" : "";
    }
    facts.certificates.push_back(std::move(one));
}

void add_certificates(Facts& facts, const config::Configuration& model)
{
    for (const auto& library : model.libraries) {
        add_certificate(facts, library.service.ca_file, "library." + library.name);
    }
    for (const auto& hook : model.hooks) {
        add_certificate(facts, hook.ca_file, "hooks." + hook.name);
    }
}

void add_storage(Facts& facts, const config::Configuration& model)
{
    const auto& storage = model.storage;
    std::vector<std::string> names;
    for (const auto& library : model.libraries) {
        names.push_back(library.name);
    }
    facts.places = {look_behind(storage.mirrors), look_behind(storage.tokens)};
    if (!storage.tokens_copy.empty()) {
        facts.places.push_back(look_behind(storage.tokens_copy));
    }
    facts.parents_of_mirrors = look_above(storage.mirrors);
    for (std::size_t i = 0; i < facts.places.size(); ++i) {
        if (facts.places[i].is_there()) {
            facts.disks.push_back(look_at_disk(facts.places[i].path, i == 0 || storage.allow_unsafe));
        }
    }
    // Copies: a directory that cannot be listed is still known by its owner and mode.
    auto listed = facts.places;
    facts.mirrors = look_at_mirrors(listed[0], names, facts.daemon.pid);
    facts.tokens = look_at_tokens(listed[1], listed.size() > 2 ? &listed[2] : nullptr, names);
    for (const auto& place : listed) {
        if (place.kind == PathFacts::Kind::hidden) {
            facts.unlisted.push_back(place.path);
        }
    }
}

// The groups that the daemon and single libraries name.
std::vector<std::string> named_groups(const config::Control& control, const config::Configuration* model)
{
    std::vector<std::string> names = {control.readers, control.admins};
    for (const auto& library : model != nullptr ? model->libraries : std::vector<config::Library>()) {
        for (const auto& account : library.readers) {
            const bool is_new = std::find(names.begin(), names.end(), account.name) == names.end();
            if (account.kind == Account::Kind::group && is_new) {
                names.push_back(account.name);
            }
        }
    }
    return names;
}

}  // namespace

Facts survey(const Context& context, const SystemRoots& roots)
{
    Facts facts;
    facts.now = context.clock.now();
    facts.asked_by = ::geteuid();
    facts.config = read_config(context);
    facts.socket = find_places(context.command, context.environment).socket;
    facts.socket_file = look_at(facts.socket);
    facts.daemon = ask_daemon(context);
    name_alike(facts.daemon, facts.config);
    read_process(roots, facts.daemon);
    const auto* model = facts.configuration();
    facts.system = read_system(roots, model != nullptr ? model->storage.machine_id : "", unit_of(facts.socket));
    // The unit of another configuration says nothing about this one.
    const auto& file = facts.config.file;
    const bool is_of_user =
        file == user_config_file(context.environment) ||
        unit_starts(find_unit(user_unit_directories(context.environment)), file, context.environment);
    if (is_of_user) {
        read_user_unit(facts.system, file, context.environment);
    }
    read_installed_program(facts.system);
    const auto control = model != nullptr ? model->control : config::Control();
    facts.people = read_people(named_groups(control, model));
    if (model != nullptr) {
        add_storage(facts, *model);
        add_secrets(facts, *model);
        add_certificates(facts, *model);
    }
    return facts;
}

}  // namespace shelfd::ctl
