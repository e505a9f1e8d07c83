#include "app/report/advice.hpp"

#include "base/words/shell_word.hpp"
#include "sync/service/page_answer.hpp"
#include "sync/trouble/scope.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <utility>

namespace shelfd::app {
namespace {

// Whom to ask about the service.
std::string operator_of(const LibraryUnit& unit)
{
    const auto& contact = unit.library().service.contact;
    return contact.empty() ? "the operator of the service" : contact;
}

std::string advice_on_disk(const LibraryUnit& unit, ErrorKind cause, TroubleSource source)
{
    const auto& mirror = unit.mirror_path();
    switch (cause) {
    case ErrorKind::busy:
        return fmt::format("end the program that writes to it: sudo lslocks -u | grep -F {}", shell_word(mirror));
    case ErrorKind::permission:
        return fmt::format("give {} back to the user of the daemon (chown), or mount its disk writable",
                           std::filesystem::path(mirror).parent_path().string());
    default: break;
    }
    const auto directory = std::filesystem::path(mirror).parent_path().string();
    return source == TroubleSource::space
               ? fmt::format("make room on the disk of {}: df -h {}", directory, shell_word(directory))
               : "check the disk: df -h, dmesg";
}

// For a list that was read before with the key that is configured.
std::string advice_on_key(const LibraryUnit& unit, const std::string& resource)
{
    const auto* list = unit.library().find_resource(resource);
    // The path of a list by parent has a place for each parent's key.
    const auto probe = list == nullptr || list->parent ? std::string()
                                                       : fmt::format("shelfctl probe {} {} shows its members; ",
                                                                     unit.library().name, shell_word(list->path));
    return fmt::format("ask {} whether the key of this list changed for good; if so: {}correct `key` in [resource.{}], "
                       "then: shelfctl reload",
                       operator_of(unit), probe, resource);
}

// For a list whose answers, or rows in them, were found before.
std::string advice_on_shape(const LibraryUnit& unit, const std::string& resource, CureKind cure)
{
    return cure == CureKind::check_path_or_object
               ? fmt::format(
                     "ask {} whether the answers of this list changed for good, and tell them that shelfd reads "
                     "rows from \"results\" only; if its rows are at another address now, correct `path` in "
                     "[resource.{}], then: shelfctl reload",
                     operator_of(unit), resource)
               : fmt::format("ask {} whether the answers of this list changed for good; if so, correct [resource.{}], "
                             "then: shelfctl reload",
                             operator_of(unit), resource);
}

struct TableFault {
    sync::Trouble trouble;
    TroubleSource source;
    ErrorKind cause = ErrorKind::storage;  // for trouble with the mirror
};

// What to type, or whom to ask, for a resource that does not advance by itself.
std::string advice(const LibraryUnit& unit, const std::string& resource, const TableFault& trouble)
{
    const auto& library = unit.library().name;
    switch (trouble.trouble) {
    case sync::Trouble::forbidden:
        if (const auto scope = missing_scope(unit, resource); !scope.empty()) {
            return fmt::format("ask the owner of {} for a token set with the scope {}, then: shelfctl auth import {}",
                               library, scope, library);
        }
        return fmt::format("ask the owner of {} for the scope or permission of {}, then: shelfctl sync {} {}", library,
                           resource, library, resource);
    case sync::Trouble::needs_person:
        if (const auto token = unit.keeper().status(); token.needs_person) {
            return token.do_this;
        }
        if (trouble.source == TroubleSource::identity) {
            return "correct identity of the service, then: shelfctl reload";
        }
        if (trouble.source == TroubleSource::refusal) {
            return fmt::format("set `identity` of the service to a page that refuses wrong tokens, or import another "
                               "token set: shelfctl auth import {}",
                               library);
        }
        if (trouble.source == TroubleSource::form) {
            return fmt::format("ask {} whether the answers of this list changed for good; if so: shelfctl sync {} {} "
                               "--full",
                               operator_of(unit), library, resource);
        }
        return fmt::format("correct [resource.{}], then: shelfctl reload", resource);
    case sync::Trouble::wrong_library:
        if (const auto token = unit.keeper().status(); token.state == oauth::TokenState::wrong_library) {
            return token.do_this;
        }
        return "give the library a new name, or stop the daemon and move " + unit.mirror_path() + " away";
    case sync::Trouble::storage: return advice_on_disk(unit, trouble.cause, trouble.source);
    case sync::Trouble::none:
    case sync::Trouble::passing: break;
    }
    return "";
}

// A list that was read before has other answers now, and nothing configured for it became wrong by itself.
bool is_changed(const sync::ResourceWorker& worker, TroubleSource source)
{
    const auto& report = worker.report();
    return report.trouble == sync::Trouble::needs_person && report.source == source && report.summary.as_of;
}

}  // namespace

std::string missing_scope(const LibraryUnit& unit, const std::string& resource)
{
    const auto& all = unit.library().resources;
    const auto found = std::find_if(all.begin(), all.end(), [&](const auto& one) { return one.name == resource; });
    const bool lacks = found != all.end() && sync::lacks_scope(unit.keeper().status().scope, found->needs);
    return lacks ? found->needs : "";
}

Trouble shown_trouble(Trouble met, TableState recorded)
{
    return met == Trouble::none && recorded == TableState::forbidden ? Trouble::forbidden : met;
}

bool is_no_longer_served(const sync::ResourceWorker& worker)
{
    const auto& report = worker.report();
    return report.trouble == sync::Trouble::needs_person && report.cure.kind() == CureKind::check_address &&
           report.summary.as_of;
}

bool is_said_better(const sync::ResourceWorker& worker)
{
    const auto& report = worker.report();
    return report.source == TroubleSource::form || report.cure.kind() == CureKind::split_list ||
           is_no_longer_served(worker) || is_changed(worker, TroubleSource::shape);
}

std::string advice_on(const LibraryUnit& unit, const sync::ResourceWorker& worker)
{
    const auto& report = worker.report();
    const auto general = [&] {
        return advice(unit, worker.name(),
                      {shown_trouble(report.trouble, report.summary.state), report.source, report.cause});
    };
    if (unit.keeper().status().needs_person) {
        return general();
    }
    if (is_no_longer_served(worker)) {
        return fmt::format("this list was there before: ask {} whether it was moved or removed; only if its path "
                           "changed, correct [resource.{}], then: shelfctl reload",
                           operator_of(unit), worker.name());
    }
    if (report.cure.kind() == CureKind::split_list) {
        return fmt::format("ask {} whether this list's later pages are served; if not, split the list in [resource.{}] "
                           "with `window`, `parent` or a filter in `params`, then: shelfctl reload",
                           operator_of(unit), worker.name());
    }
    if (is_changed(worker, TroubleSource::shape)) {
        return advice_on_shape(unit, worker.name(), report.cure.kind());
    }
    if (is_changed(worker, TroubleSource::keys)) {
        return advice_on_key(unit, worker.name());
    }
    return general();
}

std::string advice_on(const LibraryUnit& unit, const sync::DetailWorker& worker)
{
    const auto& report = worker.report();
    return advice(unit, worker.resource().name, {shown_trouble(report.trouble, report.summary.state), report.source});
}

void forget_past_disk_trouble(std::vector<control::ResourceStatus>& tables)
{
    const auto was_published = [](const control::ResourceStatus& table) {
        return table.last_run && table.last_run->result == control::RunResult::published;
    };
    std::optional<Instant> written;
    for (const auto& table : tables) {
        if (was_published(table) && table.trouble != Trouble::storage) {
            written = std::max(written.value_or(table.last_run->finished), table.last_run->finished);
        }
    }
    for (auto& table : tables) {
        if (was_published(table) && table.trouble == Trouble::storage && table.since && written > table.since) {
            static_cast<control::TableReason&>(table) = {};
        }
    }
}

void forget_told_disk(control::Status& status)
{
    const auto is_full = [](const control::ResourceStatus& table) {
        return table.trouble == Trouble::storage && table.source == TroubleSource::space;
    };
    const auto has_full = [&is_full](const control::LibraryStatus& library) {
        return std::any_of(library.resources.begin(), library.resources.end(), is_full);
    };
    bool is_told = std::any_of(status.libraries.begin(), status.libraries.end(), has_full);
    std::erase_if(status.notices, [&is_told](const control::Notice& notice) {
        return notice.is_full_disk && std::exchange(is_told, true);
    });
}

}  // namespace shelfd::app
