#include "config/bind/bind_library.hpp"

#include "base/accounts/unknown_account.hpp"
#include "base/words/names.hpp"
#include "config/bind/bind_hook.hpp"
#include "config/bind/reader.hpp"
#include "config/check/address.hpp"
#include "config/check/values.hpp"

#include <fmt/format.h>

#include <string_view>
#include <vector>

namespace shelfd::config {
namespace {

void read_origin(const Reader& reader, std::string_view key, std::string& value)
{
    if (const auto* node = reader.take(key)) {
        value = parse_origin(node->text).value_or({});
    }
}

void read_identity(const Reader& reader, Service& service, const Library& library, FaultList& faults)
{
    const auto* node = reader.take("identity");
    if (node == nullptr) {
        return;
    }
    const auto* path = node->find("path");
    const auto filled = fill_in(path->text, library, path->position, faults);
    const auto* user = node->find("user_field");
    service.identity = Identity{filled.value_or(""), node->find("field")->text, user != nullptr ? user->text : ""};
    if (const auto fits = check_route(filled.value_or("/")); !fits) {
        faults.add(path->position,
                   fmt::format("identity.path, filled in for library {}, {}", library.name, fits.error().text()));
    }
}

// A path that a request with a token is sent to.
void read_token_path(const Reader& reader, const char* key, std::string& path, const Library& library,
                     FaultList& faults)
{
    const auto* node = reader.take(key);
    if (node == nullptr) {
        return;
    }
    path = fill_in(node->text, library, node->position, faults).value_or("");
    if (const auto fits = check_route(path.empty() ? "/" : path); !fits) {
        faults.add(node->position,
                   fmt::format("{}, filled in for library {}, {}", key, library.name, fits.error().text()));
    }
}

void read_language(const Reader& reader, Service& service, FaultList& faults)
{
    reader.read("language", service.language);
    if (const auto* node = reader.find("language"); node != nullptr && !node->faulty && !is_name(service.language)) {
        faults.add(node->position,
                   fmt::format("\"{}\" is not the name of a language: write en, nl, fr, de, or the name "
                               "of a letter of your own, of a-z, 0-9 and _",
                               service.language));
    }
}

void read_former_name(const Reader& reader, Library& library, FaultList& faults)
{
    reader.read("formerly", library.formerly);
    const auto* node = reader.find("formerly");
    if (node == nullptr || node->faulty) {
        return;
    }
    if (!is_name(library.formerly)) {
        faults.add(node->position,
                   fmt::format("\"{}\" is not the name of a library: small letters, digits and _", library.formerly));
    } else if (library.formerly == library.name) {
        faults.add(node->position, "`formerly` is the present name: remove it");
    }
}

// A name is that of a group or, without such a group, of a user. One that nobody has now is no fault: a user who was
// deleted must not keep the daemon from starting. See find_unknown_readers.
void read_readers(const Reader& reader, Library& library, Origins* origins, FaultList& faults)
{
    const auto* node = reader.take("readers");
    if (node == nullptr) {
        return;
    }
    if (node->children.empty()) {
        faults.add(node->position, "`readers` must name at least one group or user; without the key, the group that "
                                   "control.readers names may read the mirror");
    }
    for (const auto& name : node->children) {
        auto account = find_account(name.text);
        library.readers.push_back(account && *account ? std::move(**account) : unknown_account(name.text));
        if (origins != nullptr) {
            origins->emplace(fmt::format("library.{}.readers.{}", library.name, name.text), name.position);
        }
    }
}

void read_quiet_hours(const Reader& reader, Service& service, FaultList& faults)
{
    const auto* quiet = reader.take("quiet");
    if (quiet == nullptr) {
        return;
    }
    for (const auto& span : quiet->children) {
        service.quiet.push_back(parse_time_span(span.text).value());
    }
    if (!service.quiet.empty() && !merge_spans(service.quiet)) {
        faults.add(quiet->position, "`quiet` leaves no time of the day for requests");
    }
}

void read_limits(const Reader& reader, Service& service, FaultList& faults)
{
    if (const auto* node = reader.take("rate_limit")) {
        service.requests_per_minute = parse_rate(node->text).value_or(Rate{}).per_minute;
    }
    if (const auto* node = reader.take("max_body")) {
        service.max_body = parse_size(node->text).value_or(service.max_body);
    }
    reader.read("limit_group", service.limit_group);
    reader.read("leave", service.leave);
    const auto* leave = reader.find("leave");
    if (leave != nullptr && !leave->faulty && service.requests_per_minute &&
        service.leave >= *service.requests_per_minute) {
        faults.add(leave->position, fmt::format("leave = {} leaves this daemon nothing of rate_limit = \"{}/min\"",
                                                service.leave, *service.requests_per_minute));
    }
    reader.read("in_flight", service.in_flight);
    reader.read("connect_timeout", service.connect_timeout);
    reader.read("idle_timeout", service.idle_timeout);
    reader.read("total_timeout", service.total_timeout);
}

Service bind_service(const Reader& reader, const Library& library, FaultList& faults)
{
    Service service;
    service.limit_group = library.name;
    read_origin(reader, "base_url", service.base_url);
    service.auth_url = service.base_url;
    read_origin(reader, "auth_url", service.auth_url);
    read_limits(reader, service, faults);
    reader.read("page_size", service.page_size);
    reader.read("page_param", service.page_param);
    reader.read("page_size_param", service.page_size_param);
    reader.read("ordering_param", service.ordering_param);
    read_identity(reader, service, library, faults);
    read_token_path(reader, "introspection_path", service.introspection_path, library, faults);
    read_token_path(reader, "revocation_path", service.revocation_path, library, faults);
    reader.read("params", service.params);
    for (auto& [name, value] : service.params) {
        const auto& node = *reader.find("params")->find(name);
        value = fill_in(value, library, node.position, faults).value_or("");
        refuse_own_parameter(service, node, faults);
    }
    reader.read("headers", service.headers);
    reader.read("proxy", service.proxy);
    reader.read("ca_file", service.ca_file);
    reader.read("timezone", service.timezone);
    read_quiet_hours(reader, service, faults);
    reader.read("contact", service.contact);
    read_language(reader, service, faults);
    if (reader.lacks("base_url")) {
        faults.add(library.position,
                   fmt::format("library {} has no base_url: write it in [service] or here", library.name));
    }
    if (service.page_param == service.page_size_param) {
        const auto* node = reader.find(reader.has("page_param") ? "page_param" : "page_size_param");
        faults.add(node->position, fmt::format("page_param and page_size_param are both \"{}\"", service.page_param));
    }
    return service;
}

void read_application(const Reader& reader, Application& application)
{
    reader.read("client_id", application.client_id);
    if (const auto* node = reader.take("client_secret")) {
        application.client_secret = read_secret_reference(*node);
    }
    if (const auto* node = reader.take("client_auth")) {
        application.client_auth = node->text == "basic" ? ClientAuth::basic : ClientAuth::body;
    }
    reader.read("redirect_uri", application.redirect_uri);
    reader.read("scopes", application.scopes);
    if (const auto* node = reader.take("token_kind")) {
        application.token_kind = node->text == "personal" ? TokenKind::personal : TokenKind::service_account;
    }
}

// Returns the table that `application = "…"` names; nullptr, and a fault, if there is none.
const Node* find_application(const Node& root, const Node& table, FaultList& faults)
{
    const auto* name = table.find("application");
    if (name == nullptr || name->faulty) {
        return nullptr;
    }
    const auto* applications = root.find("application");
    if (const auto* found = applications == nullptr ? nullptr : applications->find(name->text)) {
        return found;
    }
    std::vector<std::string_view> names;
    for (const auto* known : tables_in(applications)) {
        names.push_back(known->key);
    }
    faults.add(name->position, names.empty() ? fmt::format("there is no [application.{}]", name->text)
                                             : fmt::format("there is no [application.{}]; the nearest is \"{}\"",
                                                           name->text, nearest(name->text, names)));
    return nullptr;
}

void check_application(const Reader& reader, const Node& table, const Node* shared, const Library& library,
                       bool has_identity, FaultList& faults)
{
    const auto& application = library.application;
    if (table.find("application") == nullptr && reader.lacks("client_id") && reader.lacks("client_secret")) {
        faults.add(library.position, fmt::format("library {} has no application: write application = \"NAME\", or "
                                                 "client_id and client_secret here",
                                                 library.name));
    } else if (table.find("application") == nullptr || shared != nullptr) {
        for (const std::string_view needed : {"client_id", "client_secret"}) {
            if (reader.lacks(needed)) {
                faults.add(shared == nullptr ? library.position : shared->position,
                           fmt::format("{} is missing{}", needed,
                                       shared == nullptr ? "" : fmt::format(" in [application.{}]", shared->key)));
            }
        }
    }
    if (application.token_kind == TokenKind::personal && !has_identity) {
        faults.add(reader.find("token_kind")->position,
                   fmt::format("token_kind = \"personal\" requires identity for library {}: such a token follows its "
                               "user from one library to another, which only identity reveals",
                               library.name));
    }
}

void read_vars(const Reader& reader, Library& library, FaultList& faults)
{
    reader.read("vars", library.vars);
    for (const auto& [name, value] : library.vars) {
        const auto& position = reader.find("vars")->find(name)->key_position;
        if (!is_name(name)) {
            faults.add(
                position,
                fmt::format("the name \"{}\" in vars must begin with a-z and contain only a-z, 0-9 and _", name));
        } else if (value.find_first_of("{}") != std::string::npos) {
            faults.add(position, fmt::format("the value of {} in vars must not contain a brace", name));
        }
    }
}

}  // namespace

Application bind_application(const Node& table, Origins* origins)
{
    Application application;
    application.name = table.key;
    read_application(Reader({&table}, fmt::format("application.{}.", table.key), origins), application);
    return application;
}

std::optional<std::string> fill_in(const std::string& text, const Library& library, const Position& position,
                                   FaultList& faults)
{
    std::string filled;
    for (std::size_t at = 0; at < text.size(); ++at) {
        const auto end = text.find('}', at);
        const auto name = end == text.npos ? std::string() : text.substr(at + 1, end - at - 1);
        if (text[at] != '{' || !is_name(name)) {
            filled += text[at];
            continue;
        }
        const auto found = library.vars.find(name);
        if (found == library.vars.end()) {
            faults.add(position,
                       fmt::format("{{{}}} has no value for library {}: add it to its vars", name, library.name));
            return std::nullopt;
        }
        filled += found->second;
        at = end;
    }
    return filled;
}

Library bind_library(const Node& root, const Node& table, Origins* origins, FaultList& faults)
{
    Library library;
    library.name = table.key;
    library.position = table.position;
    const auto prefix = fmt::format("library.{}.", table.key);
    const Reader own({&table}, prefix, origins);
    read_vars(own, library, faults);
    own.read("library_id", library.library_id);
    own.read("paused", library.paused);
    own.read("note", library.note);
    read_readers(own, library, origins, faults);
    read_former_name(own, library, faults);
    const Reader services({&table, root.find("service")}, prefix, origins);
    library.service = bind_service(services, library, faults);

    const auto* shared = find_application(root, table, faults);
    const Reader applications({&table, shared}, prefix, origins);
    if (shared != nullptr) {
        own.read("application", library.application.name);
    }
    read_application(applications, library.application);
    if (library.application.redirect_uri.empty()) {
        library.application.redirect_uri = library.service.base_url + "/auth-code/";
    }
    check_application(applications, table, shared, library, services.has("identity"), faults);
    if (const auto* id = own.find("library_id"); id != nullptr && !services.has("identity")) {
        faults.warn(
            id->position,
            "library_id is checked with identity, which is not set: a token of another library will not be noticed");
    }
    library.resources = bind_resources(root, table, library, origins, faults);
    return library;
}

void refuse_own_parameter(const Service& service, const Node& parameter, FaultList& faults)
{
    const auto& name = parameter.key;
    const auto instead = name == service.ordering_param    ? "ordering"
                         : name == service.page_size_param ? "page_size in [service]"
                         : name == service.page_param      ? "another name"
                                                           : "";
    if (*instead != '\0') {
        faults.add(parameter.key_position,
                   fmt::format("the daemon sets the parameter \"{}\" itself: use {}", name, instead));
    }
}

}  // namespace shelfd::config
