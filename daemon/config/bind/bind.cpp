#include "config/bind/bind.hpp"

#include "base/words/names.hpp"
#include "config/bind/bind_hook.hpp"
#include "config/bind/bind_library.hpp"
#include "config/bind/reader.hpp"
#include "config/bind/resource_names.hpp"
#include "config/check/address.hpp"
#include "config/check/values.hpp"

#include <fmt/format.h>

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <algorithm>

namespace shelfd::config {
namespace {

bool lies_within(const std::string& path, const std::string& folder)
{
    return path == folder || path.starts_with(folder.ends_with('/') ? folder : folder + "/");
}

Storage bind_storage(const Node* table, Origins* origins, FaultList& faults)
{
    Storage storage;
    const Reader reader({table}, "storage.", origins);
    reader.read("mirrors", storage.mirrors);
    reader.read("tokens", storage.tokens);
    reader.read("tokens_copy", storage.tokens_copy);
    reader.read("machine_id", storage.machine_id);
    reader.read("allow_unsafe", storage.allow_unsafe);
    for (const std::string_view key : {"tokens", "tokens_copy"}) {
        const auto& path = key == "tokens" ? storage.tokens : storage.tokens_copy;
        const auto* node = reader.find(key) != nullptr ? reader.find(key) : reader.find("mirrors");
        if (node != nullptr && lies_within(path, storage.mirrors)) {
            faults.add(node->position, fmt::format("{} must not be inside mirrors ({}), which other users may enter",
                                                   key, storage.mirrors));
        }
    }
    if (const auto* copy = reader.find("tokens_copy"); copy != nullptr && storage.tokens_copy == storage.tokens) {
        faults.add(copy->position, "tokens_copy must be another directory than tokens");
    }
    return storage;
}

// What others may read is a decision that somebody writes down.
void check_reach(const Reader& reader, const Control& control, FaultList& faults)
{
    const auto* listen = reader.find("listen");
    if (listen == nullptr) {
        for (const std::string_view key : {"listen_anywhere", "listen_token"}) {
            if (const auto* node = reader.find(key); node != nullptr && reader.lacks("listen")) {
                faults.add(node->key_position, fmt::format("{} has no effect without listen", key));
            }
        }
        return;
    }
    if (listen->faulty || is_loopback_listen(control.listen)) {
        return;
    }
    if (!control.listen_anywhere) {
        faults.add(listen->position,
                   fmt::format("other machines can reach {}, and what they read is not encrypted: write listen = "
                               "\"127.0.0.1:9464\", or listen_anywhere = true if that is wanted",
                               control.listen));
    } else if (reader.lacks("listen_token")) {
        faults.add(listen->position, fmt::format("other machines can reach {}, so it needs a token: write listen_token "
                                                 "= {{ file = \"/etc/shelfd/secrets/NAME\" }}",
                                                 control.listen));
    }
}

Control bind_control(const Node* table, Origins* origins, FaultList& faults)
{
    Control control;
    const Reader reader({table}, "control.", origins);
    reader.read("socket", control.socket);
    reader.read("readers", control.readers);
    reader.read("admins", control.admins);
    reader.read("listen", control.listen);
    reader.read("listen_anywhere", control.listen_anywhere);
    if (const auto* token = reader.take("listen_token")) {
        control.listen_token = read_secret_reference(*token);
    }
    check_reach(reader, control, faults);
    return control;
}

// Empty if there is no such group: the daemon reports that when it opens its socket.
std::optional<Account> find_admins(const Control& control)
{
    const auto group = find_group(control.admins);
    return group && *group ? std::optional(Account{Account::Kind::group, **group, control.admins}) : std::nullopt;
}

Logging bind_log(const Node* table, Origins* origins)
{
    Logging log;
    const Reader reader({table}, "log.", origins);
    reader.read("level", log.level);
    if (const auto* format = reader.take("format")) {
        log.format = format->text == "journal" ? LogFormatChoice::journal
                     : format->text == "text"  ? LogFormatChoice::text
                     : format->text == "json"  ? LogFormatChoice::json
                                               : LogFormatChoice::automatic;
    }
    return log;
}

Changes bind_changes(const Node* table, Origins* origins)
{
    Changes changes;
    const Reader reader({table}, "changes.", origins);
    reader.read("keep", changes.keep);
    if (const auto* most = reader.take("max_rows")) {
        changes.max_rows = static_cast<std::uint32_t>(most->integer);
    }
    return changes;
}

Deletions bind_deletions(const Node* table, Origins* origins)
{
    Deletions deletions;
    const Reader reader({table}, "deletions.", origins);
    if (const auto* share = reader.take("max_share")) {
        deletions.max_share = parse_share(share->text).value_or(deletions.max_share);
    }
    reader.read("min_rows", deletions.min_rows);
    return deletions;
}

Snapshots bind_snapshot(const Node* table, Origins* origins)
{
    Snapshots snapshot;
    const Reader reader({table}, "snapshot.", origins);
    if (Duration every{}; reader.has("every")) {
        reader.read("every", every);
        snapshot.every = every > Duration::zero() ? std::optional(every) : std::nullopt;  // a faulty value was reported
    }
    return snapshot;
}

// Each token set belongs to one library: two libraries with the same id are most likely a copied block.
void warn_of_twins(const std::vector<Library>& libraries, FaultList& faults)
{
    std::map<std::string, const Library*> seen;
    for (const auto& library : libraries) {
        if (library.library_id.empty()) {
            continue;
        }
        const auto who = library.service.base_url + '\n' + library.application.client_id + '\n' + library.library_id;
        const auto [known, is_new] = seen.emplace(who, &library);
        if (!is_new) {
            faults.warn(library.position,
                        fmt::format("library {} has the same library_id at the same service as library {} ({})",
                                    library.name, known->second->name, to_text(known->second->position)));
        }
    }
}

// A former name leads to one library, which takes over what is kept under it.
void check_former_names(const Node& root, const std::vector<Library>& libraries, FaultList& faults)
{
    std::map<std::string_view, const Library*> present;
    std::map<std::string_view, const Library*> former;
    for (const auto& library : libraries) {
        present.emplace(library.name, &library);
    }
    for (const auto& library : libraries) {
        if (library.formerly.empty()) {
            continue;
        }
        const auto& position = root.find("library")->find(library.name)->find("formerly")->position;
        if (const auto known = present.find(library.formerly); known != present.end()) {
            faults.add(position,
                       fmt::format("library {0} is configured ({1}), so it cannot be a former name of {2}: remove "
                                   "[library.{0}], or this line if the rename was done long ago",
                                   library.formerly, to_text(known->second->position), library.name));
        }
        const auto [first, is_new] = former.emplace(library.formerly, &library);
        if (!is_new) {
            faults.add(position, fmt::format("{} is a former name of library {}, too ({}): remove one of them",
                                             library.formerly, first->second->name, to_text(first->second->position)));
        }
    }
}

std::string rate_of(const Library& library)
{
    const auto rate = library.service.requests_per_minute;
    return rate ? fmt::format("\"{}/min\"", *rate) : std::string("\"none\"");
}

// Position of the library's key that separates it from the others of its group.
const Position& place_of_rate(const Node& library)
{
    for (const std::string_view key : {"rate_limit", "leave", "limit_group"}) {
        if (const auto* node = library.find(key)) {
            return node->position;
        }
    }
    return library.position;
}

// The service counts the group's requests together, so the group cannot have two limits.
void refuse_groups_of_two_rates(const Node& root, const std::vector<Library>& libraries, FaultList& faults)
{
    std::map<std::string, const Library*> first;
    for (const auto& library : libraries) {
        const auto& known = *first.emplace(library.service.limit_group, &library).first->second;
        const bool same_rate = known.service.requests_per_minute == library.service.requests_per_minute;
        if (!same_rate || known.service.leave != library.service.leave) {
            faults.add(place_of_rate(*root.find("library")->find(library.name)),
                       fmt::format("library {} shares the limit_group \"{}\" with library {} ({}), but its {} "
                                   "is {}, not {}: set the same in both, or give one of them another limit_group",
                                   library.name, library.service.limit_group, known.name, to_text(known.position),
                                   same_rate ? "leave" : "rate_limit",
                                   same_rate ? std::to_string(library.service.leave) : rate_of(library),
                                   same_rate ? std::to_string(known.service.leave) : rate_of(known)));
        }
    }
}

// Silent if there are faults: a misspelt name may be why the application seems unused. Several are one warning: where
// each library has an application of its own, all those of libraries that are not added yet are unused.
void warn_of_unused_applications(const Node& root, const Configuration& configuration, FaultList& faults)
{
    if (!faults.empty() || configuration.libraries.empty()) {
        return;
    }
    auto unused = tables_in(root.find("application"));
    std::erase_if(unused, [&configuration](const Node* table) {
        return std::any_of(configuration.libraries.begin(), configuration.libraries.end(),
                           [&](const auto& library) { return library.application.name == table->key; });
    });
    if (unused.empty()) {
        return;
    }
    constexpr std::size_t max_named = 3;
    std::vector<std::string> headings;
    for (const auto* table : unused) {
        headings.push_back(fmt::format("[application.{}]", table->key));
    }
    const auto names = list_some(headings, max_named);
    faults.warn(unused.front()->position,
                unused.size() == 1
                    ? fmt::format("no library uses {0}: write application = \"{1}\" in one, or remove it", names,
                                  unused.front()->key)
                    : fmt::format("no library uses {} applications, {}: name each in a library, or remove it",
                                  unused.size(), names));
}

}  // namespace

Configuration bind(const Node& root, KeepOrigins keep, FaultList& faults)
{
    Configuration configuration;
    auto* const origins = keep == KeepOrigins::yes ? &configuration.origins : nullptr;
    configuration.storage = bind_storage(root.find("storage"), origins, faults);
    configuration.control = bind_control(root.find("control"), origins, faults);
    configuration.log = bind_log(root.find("log"), origins);
    configuration.changes = bind_changes(root.find("changes"), origins);
    configuration.deletions = bind_deletions(root.find("deletions"), origins);
    configuration.snapshot = bind_snapshot(root.find("snapshot"), origins);
    for (const auto* table : tables_in(root.find("application"))) {
        configuration.applications.push_back(bind_application(*table, origins));
    }
    check_resource_names(root, faults);
    configuration.resource_names = read_resource_names(root);
    for (const auto* table : tables_in(root.find("library"))) {
        auto& library = configuration.libraries.emplace_back(bind_library(root, *table, origins, faults));
        library.changes = configuration.changes;
        library.deletions = configuration.deletions;
        library.snapshot_every = configuration.snapshot.every;
        if (!library.readers.empty()) {
            library.admins = find_admins(configuration.control);
        }
    }
    for (const auto* table : tables_in(root.find("hooks"))) {
        configuration.hooks.push_back(bind_hook(*table, configuration.libraries, origins, faults));
    }
    if (configuration.libraries.empty()) {
        faults.warn(root.position, "no library is configured, so there is nothing to mirror: add [library.NAME]");
    }
    check_former_names(root, configuration.libraries, faults);
    refuse_groups_of_two_rates(root, configuration.libraries, faults);
    warn_of_twins(configuration.libraries, faults);
    warn_of_unused_applications(root, configuration, faults);
    return configuration;
}

}  // namespace shelfd::config
