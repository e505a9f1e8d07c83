#include "app/library/mirror_settings.hpp"

#include "base/accounts/unknown_account.hpp"
#include "base/sha256.hpp"
#include "sync/plan/configured_rhythm.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>

#include <unistd.h>

namespace shelfd::app {
namespace {

mirror::ChangeDetail change_detail(config::ChangeDetail detail)
{
    switch (detail) {
    case config::ChangeDetail::values: return mirror::ChangeDetail::values;
    case config::ChangeDetail::keys: return mirror::ChangeDetail::keys;
    case config::ChangeDetail::none: return mirror::ChangeDetail::none;
    }
    std::abort();
}

std::string digest_of(const std::vector<std::string>& parts)
{
    return to_hex(sha256(fmt::format("{}", fmt::join(parts, "\n")))).substr(0, 32);
}

// A digest of all that determines which rows the answers contain: readers of the mirror need not see the parameters.
std::string source_of(const config::Library& library, const config::Resource& resource)
{
    // `answers = "whole"` does not make it another list.
    std::vector<std::string> parts = {resource.path, resource.answers == config::Answers::object ? "1" : "0"};
    auto params = library.service.params;
    for (const auto& [name, value] : resource.params) {
        params[name] = value;
    }
    for (const auto& [name, value] : params) {
        parts.push_back(name + "=" + value);
    }
    if (resource.window) {
        parts.insert(parts.end(), {"", resource.window->from, resource.window->to});
    }
    return digest_of(parts);
}

std::string filter_of(const config::Resource& resource)
{
    const auto& filter = resource.incremental;
    return filter ? digest_of({filter->param, std::to_string(static_cast<int>(filter->format))}) : "";
}

// Who may read the mirror besides the daemon; none: the group of its directory. While nobody is known whom `readers`
// names, that is not the group either, but the daemon's user alone.
std::vector<Account> readers_of(const config::Library& library)
{
    std::vector<Account> readers;
    std::copy_if(library.readers.begin(), library.readers.end(), std::back_inserter(readers), is_known);
    if (library.admins) {
        readers.push_back(*library.admins);
    }
    if (readers.empty() && !library.readers.empty()) {
        readers.push_back({Account::Kind::user, ::geteuid(), ""});
    }
    return readers;
}

}  // namespace

Result<std::vector<sync::Rhythm>> rhythms_of(const config::Library& library)
{
    std::vector<sync::Rhythm> rhythms;
    SHELFD_TRY_ASSIGN(quiet, sync::quiet_hours_of(library.service));
    for (const auto& resource : library.resources) {
        auto rhythm = sync::rhythm_of(resource, quiet);
        if (!rhythm) {
            return std::move(rhythm.error()).in("resource " + resource.name);
        }
        rhythms.push_back(std::move(*rhythm));
    }
    return rhythms;
}

MirrorPlace mirror_place(const std::string& library, const DaemonServices& services)
{
    return {StorePlaces{services.storage, services.host.refuge}, library};
}

mirror::MirrorOptions mirror_options(const config::Library& library, const DaemonServices& services)
{
    return {.directory = services.storage.mirrors + "/" + library.name,
            .library = library.name,
            .clock = services.clock,
            .boot_id = services.host.boot_id,
            .change_limits = {library.changes.keep, library.changes.max_rows},
            .deletion_limits = {library.deletions.max_share, library.deletions.min_rows},
            .readers = readers_of(library),
            .handles = services.handles,
            .check_place = [name = library.name, &services] { return mirror_place(name, services).check(); }};
}

std::vector<mirror::ResourceSpec> resource_specs(const config::Library& library,
                                                 const std::vector<sync::Rhythm>& rhythms)
{
    std::vector<mirror::ResourceSpec> specs;
    specs.reserve(rhythms.size());
    for (std::size_t i = 0; i < rhythms.size(); ++i) {
        const auto& resource = library.resources[i];
        mirror::ResourceSpec spec;
        spec.name = resource.name;
        spec.key = resource.row_key();
        spec.late_after = resource.late_after.value_or(rhythms[i].default_late_after());
        spec.proven_late_after = std::max(spec.late_after, rhythms[i].default_proven_late_after());
        spec.changes = change_detail(resource.changes);
        spec.keep_deleted = resource.keep_deleted;
        spec.exclude = resource.exclude;
        spec.source = source_of(library, resource);
        spec.filter = filter_of(resource);
        spec.dated_by = resource.incremental ? resource.incremental->field : "";
        if (resource.detail) {
            spec.detail = mirror::DetailSpec{resource.detail->url_field, resource.detail->refresh_within,
                                             digest_of({resource.detail->url_field, resource.detail->path})};
        }
        if (const auto& parent = resource.parent) {
            spec.parent_member = parent->as;
            spec.axis = fmt::format("{} {} {}", parent->resource, parent->key, parent->as);
        }
        if (const auto& windows = rhythms[i].windows()) {
            spec.axis = fmt::format("{} {}", resource.window->field, resource.window->timezone);
            spec.begins_at = windows->windows().since();
        }
        specs.push_back(std::move(spec));
    }
    return specs;
}

}  // namespace shelfd::app
