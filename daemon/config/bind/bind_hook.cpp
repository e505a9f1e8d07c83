#include "config/bind/bind_hook.hpp"

#include "base/words/names.hpp"
#include "config/bind/reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

namespace shelfd::config {
namespace {

void read_post(const Reader& reader, Hook& hook)
{
    const auto* node = reader.take("post");
    if (node == nullptr) {
        return;
    }
    if (node->is_table()) {
        hook.post_secret = read_secret_reference(*node);
    } else {
        hook.post = node->text;
    }
}

void read_headers(const Reader& reader, Hook& hook)
{
    const auto* node = reader.take("headers");
    if (node == nullptr) {
        return;
    }
    for (const auto& member : node->children) {
        auto& header = hook.headers.emplace_back();
        header.name = member.key;
        if (member.is_table()) {
            header.secret = read_secret_reference(member);
        } else {
            header.value = member.text;
        }
    }
}

// Exactly one of `command` and `post`.
void check_target(const Reader& reader, const Hook& hook, FaultList& faults)
{
    if (reader.has("command") && reader.has("post")) {
        faults.add(
            reader.find("post")->key_position,
            fmt::format("hook {0} has both command and post: remove one, or write a second hook [hooks.{0}_post]",
                        hook.name));
    } else if (reader.lacks("command") && reader.lacks("post")) {
        faults.add(hook.position, fmt::format("hook {} calls nothing: write command = [\"/path/of/a/program\"] or post "
                                              "= \"https://…\"",
                                              hook.name));
    }
    for (const auto* key : {"headers", "ca_file"}) {
        if (reader.has("command") && reader.lacks("post") && reader.has(key)) {
            faults.add(reader.find(key)->key_position,
                       fmt::format("the key {} of hook {} has no effect: it belongs to post, and this hook has command",
                                   key, hook.name));
        }
    }
}

// A hook may still name a library by its former name.
void take_former_names(Hook& hook, const std::vector<Library>& libraries)
{
    for (auto& name : hook.libraries) {
        const auto is_here = [&](const Library& library) { return library.name == name; };
        const auto had_it = [&](const Library& library) { return library.formerly == name; };
        const auto renamed = std::find_if(libraries.begin(), libraries.end(), had_it);
        if (renamed != libraries.end() && std::none_of(libraries.begin(), libraries.end(), is_here)) {
            name = renamed->name;
        }
    }
}

void check_libraries(const Reader& reader, const Hook& hook, const std::vector<Library>& libraries, FaultList& faults)
{
    const auto* node = reader.find("libraries");
    if (node == nullptr || node->faulty) {
        return;
    }
    if (node->children.empty()) {
        faults.add(node->position,
                   fmt::format("libraries of hook {} is empty: remove the key to select all", hook.name));
    }
    std::vector<std::string_view> names;
    for (const auto& library : libraries) {
        names.push_back(library.name);
        if (!library.formerly.empty()) {
            names.push_back(library.formerly);
        }
    }
    for (const auto& element : node->children) {
        if (std::find(names.begin(), names.end(), element.text) != names.end()) {
            continue;
        }
        const auto alike = nearest_alike(element.text, names);
        faults.add(element.position,
                   fmt::format("there is no library {}{}", element.text,
                               alike.empty() ? "" : fmt::format("; the nearest known one is {}", alike)));
    }
}

void check_tables(const Reader& reader, const std::vector<Library>& libraries, FaultList& faults)
{
    const auto* node = reader.find("on_publish");
    if (node == nullptr || node->faulty) {
        return;
    }
    std::vector<std::string_view> names = {"*"};
    for (const auto& library : libraries) {
        for (const auto& resource : library.resources) {
            names.push_back(resource.name);
        }
    }
    for (const auto& word : node->children) {
        const auto name = std::string_view(word.text).substr(word.text.starts_with('-') ? 1 : 0);
        if (std::find(names.begin(), names.end(), name) == names.end()) {
            const auto alike = nearest_alike(name, names);
            faults.add(word.position, fmt::format("no library has a resource {}{}", name,
                                                  alike.empty() ? "" : fmt::format("; the nearest is {}", alike)));
        }
    }
}

}  // namespace

SecretReference read_secret_reference(const Node& node)
{
    SecretReference reference;
    const auto& source = node.children.front();
    reference.position = node.position;
    reference.path_or_name = source.text;
    reference.kind = source.key == "file"         ? SecretReference::Kind::file
                     : source.key == "credential" ? SecretReference::Kind::credential
                                                  : SecretReference::Kind::command;
    for (const auto& argument : source.children) {
        reference.command.push_back(argument.text);
    }
    return reference;
}

Hook bind_hook(const Node& table, const std::vector<Library>& libraries, Origins* origins, FaultList& faults)
{
    Hook hook;
    hook.name = table.key;
    hook.position = table.position;
    const Reader reader({&table}, fmt::format("hooks.{}.", hook.name), origins);
    reader.read("on", hook.on);
    reader.read("on_publish", hook.on_publish);
    if (!hook.on_publish.empty() && reader.lacks("on")) {
        hook.on.clear();
    }
    reader.read("command", hook.command);
    read_post(reader, hook);
    read_headers(reader, hook);
    reader.read("ca_file", hook.ca_file);
    if (Duration after{}; reader.has("after")) {
        reader.read("after", after);
        hook.after = after;
    }
    reader.read("repeat", hook.repeat);
    reader.read("timeout", hook.timeout);
    reader.read("libraries", hook.libraries);
    take_former_names(hook, libraries);
    check_target(reader, hook, faults);
    check_libraries(reader, hook, libraries, faults);
    check_tables(reader, libraries, faults);
    return hook;
}

}  // namespace shelfd::config
