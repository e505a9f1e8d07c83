#include "ctl/bugreport/redacted_configuration.hpp"

#include "config/secrets/secret_source.hpp"
#include "ctl/bugreport/sentence_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include <unistd.h>

namespace shelfd::ctl {
namespace {

using config::SecretReference;

const std::string hidden(ellipsis);

void remove_secret(Redactor& redactor, const std::optional<SecretReference>& reference)
{
    if (!reference) {
        return;
    }
    if (reference->kind == SecretReference::Kind::file) {
        if (const auto secret = config::read_secret(*reference, "")) {
            redactor.remove(std::string(secret->reveal()));
        }
    }
    // Arguments of a program may hold a password.
    for (std::size_t i = 1; i < reference->command.size(); ++i) {
        redactor.remove(reference->command[i]);
    }
}

// A value with blanks is a sentence: removing its parts would remove common words. Sentences keep none of its words.
void remove_value(Redactor& redactor, const std::string& value)
{
    if (value.find(' ') == std::string::npos) {
        redactor.remove(value);
    }
}

void remove_values(Redactor& redactor, const std::map<std::string, std::string>& values)
{
    constexpr std::size_t a_word = 8;
    for (const auto& [name, value] : values) {
        if (value.size() >= a_word) {
            remove_value(redactor, value);
        }
    }
}

void learn_application(Redactor& redactor, const config::Application& application)
{
    redactor.keep(application.name);
    redactor.remove(application.client_id);
    remove_secret(redactor, application.client_secret);
    redactor.add_host(application.redirect_uri);
    for (const auto& scope : application.scopes) {
        redactor.keep(scope);
    }
}

void learn_library(Redactor& redactor, const config::Library& library)
{
    redactor.keep(library.name);
    learn_application(redactor, library.application);
    constexpr std::size_t too_short = 4;  // "42" is a number like others
    if (library.library_id.size() > too_short) {
        redactor.remove(library.library_id);
    }
    remove_value(redactor, library.service.contact);
    remove_value(redactor, library.note);
    for (const auto& account : library.readers) {
        remove_value(redactor, account.name);
    }
    remove_values(redactor, library.vars);
    remove_values(redactor, library.service.params);
    for (const auto& [name, value] : library.service.headers) {
        redactor.remove(value);
    }
    for (const auto& url : {library.service.base_url, library.service.auth_url, library.service.proxy}) {
        redactor.add_host(url);
    }
    for (const auto& resource : library.resources) {
        redactor.keep(resource.name);
        remove_values(redactor, resource.params);
    }
}

void learn_hook(Redactor& redactor, const config::Hook& hook)
{
    redactor.keep(hook.name);
    redactor.add_host(hook.post);
    // The address of a chat is its password.
    if (const auto host = hook.post.find("://"); host != std::string::npos) {
        if (const auto path = hook.post.find('/', host + 3); path != std::string::npos) {
            redactor.remove(hook.post.substr(path + 1));
        }
    }
    remove_secret(redactor, hook.post_secret);
    for (const auto& header : hook.headers) {
        redactor.remove(header.value);
        remove_secret(redactor, header.secret);
    }
    for (std::size_t i = 1; i < hook.command.size(); ++i) {
        remove_value(redactor, hook.command[i]);
    }
}

void hide(std::string& text)
{
    if (!text.empty()) {
        text = hidden;
    }
}

void hide_values(std::map<std::string, std::string>& values)
{
    for (auto& [name, value] : values) {
        value = hidden;
    }
}

// The kind and the last part of the name tell enough.
void hide_place(std::optional<SecretReference>& reference)
{
    if (!reference) {
        return;
    }
    hide(reference->path_or_name);
    if (!reference->command.empty()) {
        reference->command = {hidden};
    }
}

void redact_service(config::Service& service, const Redactor& redactor)
{
    service.base_url = redactor.origin(service.base_url);
    service.auth_url = redactor.origin(service.auth_url);
    service.proxy = redactor.origin(service.proxy);
    service.introspection_path = Redactor::path(service.introspection_path);
    if (service.identity) {
        service.identity->path = Redactor::path(service.identity->path);
    }
    hide_values(service.params);
    hide_values(service.headers);
    hide(service.ca_file);
    hide(service.contact);
}

void redact_application(config::Application& application, const Redactor& redactor)
{
    hide(application.client_id);
    hide_place(application.client_secret);
    application.redirect_uri = redactor.origin(application.redirect_uri);
}

void redact_library(config::Library& library, const Redactor& redactor)
{
    redact_service(library.service, redactor);
    redact_application(library.application, redactor);
    hide(library.library_id);
    hide(library.note);
    hide_values(library.vars);
    for (auto& account : library.readers) {
        hide(account.name);
    }
    for (auto& resource : library.resources.own()) {
        resource.path = Redactor::path(resource.path);
        hide_values(resource.params);
        if (resource.detail) {
            resource.detail->path = Redactor::path(resource.detail->path);
        }
    }
}

void redact_hook(config::Hook& hook, const Redactor& redactor)
{
    hook.post = redactor.origin(hook.post);
    hide_place(hook.post_secret);
    hide(hook.ca_file);
    for (auto& header : hook.headers) {
        hide(header.value);
        hide_place(header.secret);
    }
    if (!hook.command.empty()) {
        hook.command = {hidden, fmt::format("({} arguments)", hook.command.size() - 1)};
    }
}

}  // namespace

Redactor make_redactor(const config::Configuration* configuration, Hosts hosts)
{
    Redactor redactor(hosts);
    constexpr std::size_t longest_name = 256;
    std::array<char, longest_name> host{};
    if (::gethostname(host.data(), host.size() - 1) == 0 && hosts == Hosts::numbered) {
        redactor.remove(host.data());
    }
    if (configuration == nullptr) {
        return redactor;
    }
    redactor.keep(configuration->control.readers);
    redactor.keep(configuration->control.admins);
    redactor.remove(configuration->storage.machine_id);
    remove_secret(redactor, configuration->control.listen_token);
    for (const auto& application : configuration->applications) {
        learn_application(redactor, application);
    }
    for (const auto& library : configuration->libraries) {
        learn_library(redactor, library);
    }
    for (const auto& hook : configuration->hooks) {
        learn_hook(redactor, hook);
    }
    return redactor;
}

config::Configuration redact(const config::Configuration& configuration, const Redactor& redactor)
{
    auto copy = configuration;
    for (auto* path : {&copy.storage.mirrors, &copy.storage.tokens, &copy.storage.tokens_copy, &copy.control.socket}) {
        *path = redactor.sentence(*path);
    }
    hide(copy.storage.machine_id);
    hide_place(copy.control.listen_token);
    for (auto& application : copy.applications) {
        redact_application(application, redactor);
    }
    for (auto& library : copy.libraries) {
        redact_library(library, redactor);
    }
    for (auto& hook : copy.hooks) {
        redact_hook(hook, redactor);
    }
    return copy;
}

}  // namespace shelfd::ctl
