#include "config/show.hpp"

#include "config/check/values.hpp"
#include "config/toml_writer.hpp"
#include "config/tree/toml_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

namespace shelfd::config {
namespace {

std::string secret(const SecretReference& reference)
{
    switch (reference.kind) {
    case SecretReference::Kind::file: return fmt::format("{{ file = {} }}", quote(reference.path_or_name));
    case SecretReference::Kind::credential: return fmt::format("{{ credential = {} }}", quote(reference.path_or_name));
    case SecretReference::Kind::command: return fmt::format("{{ command = {} }}", array_of(reference.command));
    }
    std::abort();
}

std::string_view word(LogFormatChoice format)
{
    switch (format) {
    case LogFormatChoice::automatic: return "auto";
    case LogFormatChoice::journal: return "journal";
    case LogFormatChoice::text: return "text";
    case LogFormatChoice::json: return "json";
    }
    std::abort();
}

std::string_view word(ChangeDetail detail)
{
    switch (detail) {
    case ChangeDetail::values: return "values";
    case ChangeDetail::keys: return "keys";
    case ChangeDetail::none: return "none";
    }
    std::abort();
}

void write_daemon(TomlWriter& writer, const Configuration& configuration)
{
    writer.heading("storage");
    writer.text("mirrors", configuration.storage.mirrors);
    writer.text("tokens", configuration.storage.tokens);
    writer.text("tokens_copy", configuration.storage.tokens_copy);
    writer.text("machine_id", configuration.storage.machine_id);
    writer.boolean("allow_unsafe", configuration.storage.allow_unsafe);
    writer.heading("control");
    writer.text("socket", configuration.control.socket);
    writer.value("readers", quote(configuration.control.readers));
    writer.value("admins", quote(configuration.control.admins));
    writer.text("listen", configuration.control.listen);
    if (configuration.control.listen_anywhere) {
        writer.boolean("listen_anywhere", true);
    }
    if (configuration.control.listen_token) {
        writer.value("listen_token", secret(*configuration.control.listen_token));
    }
    writer.heading("log");
    writer.text("level", configuration.log.level);
    writer.text("format", std::string(word(configuration.log.format)));
    writer.heading("changes");
    writer.duration("keep", configuration.changes.keep);
    if (configuration.changes.max_rows) {
        writer.value("max_rows", std::to_string(*configuration.changes.max_rows));
    }
    writer.heading("deletions");
    writer.text("max_share", format_share(configuration.deletions.max_share));
    writer.value("min_rows", std::to_string(configuration.deletions.min_rows));
    if (configuration.snapshot.every) {
        writer.heading("snapshot");
        writer.duration("every", *configuration.snapshot.every);
    }
}

bool same_secret(const std::optional<SecretReference>& a, const std::optional<SecretReference>& b)
{
    return a.has_value() == b.has_value() && (!a || secret(*a) == secret(*b));
}

// Writes all keys, or those that differ from `shared`; the library inherits the others.
void write_application(TomlWriter& writer, const Application& application, const Application* shared)
{
    if (shared == nullptr || application.client_id != shared->client_id) {
        writer.text("client_id", application.client_id);
    }
    if (application.client_secret &&
        (shared == nullptr || !same_secret(application.client_secret, shared->client_secret))) {
        writer.value("client_secret", secret(*application.client_secret));
    }
    if (shared == nullptr || application.client_auth != shared->client_auth) {
        writer.text("client_auth", application.client_auth == ClientAuth::basic ? "basic" : "body");
    }
    if (shared == nullptr || application.redirect_uri != shared->redirect_uri) {
        writer.text("redirect_uri", application.redirect_uri);
    }
    if (shared == nullptr || application.scopes != shared->scopes) {
        writer.value("scopes", array_of(application.scopes));
    }
    if (application.token_kind && (shared == nullptr || application.token_kind != shared->token_kind)) {
        writer.text("token_kind", *application.token_kind == TokenKind::personal ? "personal" : "service_account");
    }
}

void write_service(TomlWriter& writer, const Service& service)
{
    writer.text("base_url", service.base_url);
    writer.text("auth_url", service.auth_url);
    writer.text("rate_limit", format_rate(service.requests_per_minute));
    writer.text("limit_group", service.limit_group);
    writer.value("leave", std::to_string(service.leave));
    writer.value("page_size", std::to_string(service.page_size));
    writer.text("page_param", service.page_param);
    writer.text("page_size_param", service.page_size_param);
    writer.text("ordering_param", service.ordering_param);
    writer.value("in_flight", std::to_string(service.in_flight));
    if (service.identity) {
        const auto& [path, field, user_field] = *service.identity;
        const auto user = user_field.empty() ? "" : fmt::format(", user_field = {}", quote(user_field));
        writer.value("identity", fmt::format("{{ path = {}, field = {}{} }}", quote(path), quote(field), user));
    }
    writer.text("introspection_path", service.introspection_path);
    writer.text("revocation_path", service.revocation_path);
    if (!service.params.empty()) {
        writer.value("params", table_of(service.params));
    }
    if (!service.headers.empty()) {
        writer.value("headers", table_of(service.headers));
    }
    writer.text("proxy", service.proxy);
    writer.text("ca_file", service.ca_file);
    writer.duration("connect_timeout", service.connect_timeout);
    writer.duration("idle_timeout", service.idle_timeout);
    writer.duration("total_timeout", service.total_timeout);
    writer.text("max_body", format_size(service.max_body));
    writer.text("timezone", service.timezone);
    if (!service.quiet.empty()) {
        std::vector<std::string> spans;
        for (const auto& span : service.quiet) {
            spans.push_back(format_time_span(span));
        }
        writer.value("quiet", array_of(spans));
    }
    writer.text("contact", service.contact);
    writer.text("language", service.language);
}

// The keys of a schedule, to be written as lines or as members of an inline table.
std::vector<std::pair<std::string, std::string>> schedule_pairs(const Schedule& schedule)
{
    if (schedule.at.empty()) {
        return {{"every", quote(format_duration(schedule.interval))}};
    }
    std::vector<std::string> times;
    for (const auto time : schedule.at) {
        times.push_back(format_time_of_day(time));
    }
    std::vector<std::string> days;
    for (std::size_t day = 0; day < schedule.days.size(); ++day) {
        if (schedule.days.test(day)) {
            days.emplace_back(format_weekday(day));
        }
    }
    return {{"at", array_of(times)}, {"days", array_of(days)}, {"timezone", quote(schedule.timezone)}};
}

void write_schedule(TomlWriter& writer, const Resource& resource)
{
    for (const auto& [key, value] : schedule_pairs(resource.schedule)) {
        writer.value(key, value);
    }
    writer.text("splay", format_share(resource.schedule.splay));
    if (const auto& incremental = resource.incremental) {
        const bool days = incremental->format == Incremental::Format::date;
        writer.value("incremental", inline_table({{"param", quote(incremental->param)},
                                                  {"field", quote(incremental->field)},
                                                  {"format", quote(days ? "date" : "datetime")},
                                                  {"overlap", quote(format_duration(incremental->overlap))}}));
    }
    if (const auto& window = resource.window) {
        std::vector<std::pair<std::string, std::string>> pairs = {{"from", quote(window->from)}};
        if (!window->to.empty()) {
            pairs.emplace_back("to", quote(window->to));
        }
        pairs.insert(pairs.end(), {{"field", quote(window->field)},
                                   {"step", quote(format_duration(window->step))},
                                   {"since", quote(window->since)},
                                   {"timezone", quote(window->timezone)}});
        writer.value("window", inline_table(pairs));
    }
    if (resource.full) {
        auto pairs = schedule_pairs(*resource.full);
        if (resource.window) {
            pairs.emplace_back("back", quote(format_duration(resource.window->back)));
        }
        writer.value("full", inline_table(pairs));
    }
    if (resource.settle) {
        auto pairs = schedule_pairs(*resource.settle);
        if (resource.window && resource.window->settle_back) {
            pairs.emplace_back("back", quote(format_duration(*resource.window->settle_back)));
        }
        writer.value("settle", inline_table(pairs));
    }
    if (const auto& detail = resource.detail) {
        const bool by_row = detail->path.empty();
        writer.value("detail",
                     inline_table({{by_row ? "url_field" : "path", quote(by_row ? detail->url_field : detail->path)},
                                   {"refresh_within", quote(format_duration(detail->refresh_within))}}));
    }
}

void write_resource(TomlWriter& writer, const Resource& resource)
{
    writer.text("path", resource.path);
    writer.text("answers", resource.answers == Answers::object  ? "object"
                           : resource.answers == Answers::whole ? "whole"
                                                                : "list");
    writer.text("needs", resource.needs);
    writer.value("key", resource.key.size() == 1 ? quote(resource.key.front()) : array_of(resource.key));
    if (!resource.params.empty()) {
        writer.value("params", table_of(resource.params));
    }
    if (const auto& parent = resource.parent) {
        writer.value("parent", fmt::format("{{ resource = {}, key = {}, as = {} }}", quote(parent->resource),
                                           quote(parent->key), quote(parent->as)));
    }
    writer.text("ordering", resource.ordering);
    if (!resource.exclude.empty()) {
        writer.value("exclude", array_of(resource.exclude));
    }
    write_schedule(writer, resource);
    if (resource.late_after) {
        writer.duration("late_after", *resource.late_after);
    }
    writer.boolean("keep_deleted", resource.keep_deleted);
    writer.text("changes", std::string(word(resource.changes)));
}

void write_hook(TomlWriter& writer, const Hook& hook)
{
    const auto write_list = [&writer](const char* name, const std::vector<std::string>& words) {
        if (!words.empty()) {
            writer.value(name, array_of(words));
        }
    };
    writer.heading("hooks." + hook.name);
    write_list("on", hook.on);
    write_list("on_publish", hook.on_publish);
    write_list("command", hook.command);
    writer.text("post", hook.post);
    if (hook.post_secret) {
        writer.value("post", secret(*hook.post_secret));
    }
    std::vector<std::pair<std::string, std::string>> headers;
    for (const auto& header : hook.headers) {
        headers.emplace_back(quote(header.name), header.secret ? secret(*header.secret) : quote(header.value));
    }
    if (!headers.empty()) {
        writer.value("headers", inline_table(headers));
    }
    writer.text("ca_file", hook.ca_file);
    if (hook.after) {
        writer.duration("after", *hook.after);
    }
    writer.duration("repeat", hook.repeat);
    writer.duration("timeout", hook.timeout);
    write_list("libraries", hook.libraries);
}

const Application* find_shared(const Configuration& configuration, const std::string& name)
{
    const auto& all = configuration.applications;
    const auto found = std::find_if(all.begin(), all.end(), [&](const auto& one) { return one.name == name; });
    return name.empty() || found == all.end() ? nullptr : &*found;
}

// `shared`: the application whose keys are left out, see write_application.
void write_library(TomlWriter& writer, const Library& library, const Application* shared)
{
    writer.heading("library." + library.name);
    writer.text("application", library.application.name);
    write_application(writer, library.application, shared);
    writer.text("library_id", library.library_id);
    if (!library.vars.empty()) {
        writer.value("vars", table_of(library.vars));
    }
    writer.boolean("paused", library.paused);
    writer.text("formerly", library.formerly);
    if (!library.readers.empty()) {
        std::vector<std::string> names;
        for (const auto& account : library.readers) {
            names.push_back(account.name);
        }
        writer.value("readers", array_of(names));
    }
    writer.text("note", library.note);
    write_service(writer, library.service);
    for (const auto& resource : library.resources) {
        writer.heading("library." + library.name + ".resource." + resource.name);
        write_resource(writer, resource);
    }
}

}  // namespace

std::string show(const Configuration& configuration, ShowOrigin origin)
{
    TomlWriter writer(configuration.origins, origin);
    write_daemon(writer, configuration);
    for (const auto& application : configuration.applications) {
        writer.heading("application." + application.name);
        write_application(writer, application, nullptr);
    }
    for (const auto& hook : configuration.hooks) {
        write_hook(writer, hook);
    }
    for (const auto& library : configuration.libraries) {
        write_library(writer, library, find_shared(configuration, library.application.name));
    }
    return std::move(writer).take();
}

std::string show(const Configuration& configuration, const Library& library, ShowOrigin origin)
{
    TomlWriter writer(configuration.origins, origin);
    write_library(writer, library, nullptr);  // no table of its application stands beside it
    return std::move(writer).take();
}

std::string show(const Resource& resource)
{
    const Origins none{};
    TomlWriter writer(none, ShowOrigin::no);
    write_resource(writer, resource);
    return std::move(writer).take();
}

}  // namespace shelfd::config
