#include "app/operations/sync_failures.hpp"

#include "app/report/advice.hpp"
#include "app/report/status_report.hpp"
#include "base/words/cure.hpp"
#include "base/words/library_names.hpp"
#include "base/words/named_command.hpp"
#include "base/words/names.hpp"
#include "base/words/natural_order.hpp"
#include "control/causes/network_fault.hpp"
#include "control/causes/table_cause.hpp"
#include "control/model/mask.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace shelfd::app {
namespace {

constexpr std::size_t named_tables = 12;
constexpr std::size_t told_reasons = 8;

ErrorKind kind_of(sync::Trouble trouble)
{
    switch (trouble) {
    case sync::Trouble::forbidden:
    case sync::Trouble::needs_person:
    case sync::Trouble::wrong_library: return ErrorKind::needs_person;
    case sync::Trouble::storage: return ErrorKind::storage;
    case sync::Trouble::none:
    case sync::Trouble::passing: break;
    }
    return ErrorKind::network;
}

// The more serious, the higher. Only a person cures the first; the last one is over with the next walk.
int weight_of(ErrorKind kind)
{
    switch (kind) {
    case ErrorKind::needs_person: return 4;
    case ErrorKind::storage: return 3;
    case ErrorKind::network: return 2;
    case ErrorKind::busy: return 0;
    default: return 1;
    }
}

// For trouble that passes, and for a walk that proves nothing. `cure`: what can be done on this machine; "" = nothing.
std::string what_follows(const LibraryUnit& unit, const sync::ResourceWorker& worker, const std::string& cure = "")
{
    const auto& due = worker.report().next_due;
    const auto& contact = unit.library().service.contact;
    const auto then =
        !cure.empty() ? ": " + cure : ", tell " + (contact.empty() ? "the operator of the service" : contact);
    return fmt::format("the daemon tries again{}; if it lasts{}; see: shelfctl status {}",
                       due ? " at " + due->to_short_text() : "", then, unit.library().name);
}

// "antwerp, bruges and 18 more libraries (60 tables)"
std::string name_with_tables(const std::vector<std::pair<std::string, std::vector<std::string>>>& libraries)
{
    std::vector<std::string> names;
    std::size_t tables = 0;
    for (const auto& [name, of_library] : libraries) {
        names.push_back(name);
        tables += of_library.size();
    }
    return tables > 0 ? fmt::format("{} ({} tables)", name_libraries(names), tables) : name_libraries(names);
}

}  // namespace

void SyncFailures::add(const LibraryUnit& unit, const sync::ResourceWorker& worker, const sync::PassReport& pass)
{
    const Subject subject{unit.library().name, worker.name()};
    if (pass.published && worker.report().trouble == sync::Trouble::storage) {
        // Its rows are there, but the disk did not take what followed.
        add(subject, Error(ErrorKind::storage, worker.report().why), advice_on(unit, worker));
        return;
    }
    const bool is_whole = pass.kind != sync::PassKind::incremental;
    if (pass.published && (pass.proof.complete() || (!is_whole && pass.remark.empty()))) {
        return;
    }
    if (!pass.published && pass.trouble == sync::Trouble::forbidden) {
        const auto next = ask_for_all(unit, worker);
        const auto same = std::find_if(reasons_.begin(), reasons_.end(), [&](const Reason& one) {
            return one.text == pass.why && one.library == unit.library().name;
        });
        if (same != reasons_.end()) {
            same->who.push_back(subject);
            same->next = next;
            return;
        }
        auto& reason = add(subject, Error(kind_of(pass.trouble), pass.why), next);
        reason.library = reason.who.size() == 1 ? unit.library().name : reason.library;
    } else if (!pass.published && pass.trouble == sync::Trouble::passing && is_of_network(pass.source)) {
        const auto fault = control::network_fault(pass.source, pass.why, unit.library().service.base_url);
        add(subject, Error(kind_of(pass.trouble), fault.why), what_follows(unit, worker, fault.do_this));
    } else if (!pass.published) {
        const auto cure = advice_on(unit, worker);
        const auto why = is_said_better(worker) ? without_cure(pass.why, pass.cure.words()) : pass.why;
        add(subject, Error(kind_of(pass.trouble), why), cure.empty() ? what_follows(unit, worker) : cure);
    } else if (!pass.remark.empty()) {
        add(subject, Error(ErrorKind::protocol, pass.remark), what_follows(unit, worker));
    } else if (const auto lists = pass.lists.again.size(); lists > 0) {
        add(subject,
            Error(ErrorKind::busy,
                  fmt::format("{} {} not proven complete by one walk; a second one follows within minutes", lists,
                              lists == 1 ? "of its lists is" : "of its lists are")),
            "");
    } else {
        add(subject,
            Error(ErrorKind::busy, "this walk does not prove that no row was missed: rows may have moved while it was "
                                   "made; it is repeated at the next turn"),
            "");
    }
}

std::string SyncFailures::ask_for_all(const LibraryUnit& unit, const sync::ResourceWorker& worker)
{
    auto& tables = refused_[unit.library().name];
    tables.push_back(worker.name());
    return tables.size() == 1 ? advice_on(unit, worker)
                              : control::ask_for_permissions(report_library(unit, unit.now()), tables);
}

SyncFailures::Reason& SyncFailures::add(const Subject& subject, const Error& error, const std::string& next)
{
    auto alike = control::mask(error.text(), subject.library, {subject.table});
    const auto same = std::find_if(reasons_.begin(), reasons_.end(),
                                   [&](const Reason& one) { return one.kind == error.kind() && one.alike == alike; });
    if (same != reasons_.end()) {
        // What is typed for the first one helps all of them if it is the same, whatever their reasons name.
        const bool is_in_text = same->next.empty() || names_command(same->text);
        same->differs = same->differs || same->next != next || (is_in_text && same->text != error.text());
        same->who.push_back(subject);
        return *same;
    }
    return reasons_.emplace_back(Reason{error.kind(), error.text(), std::move(alike), next, false, {subject}});
}

std::string SyncFailures::describe_who(const std::vector<Subject>& who) const
{
    std::vector<std::pair<std::string, std::vector<std::string>>> libraries;
    std::map<std::string, std::size_t> places;
    for (const auto& one : who) {
        const auto [place, is_new] = places.try_emplace(one.library, libraries.size());
        if (is_new) {
            libraries.push_back({one.library, {}});
        }
        if (!one.table.empty()) {
            libraries[place->second].second.push_back(one.table);
        }
    }
    // The first one is the example in what to type: it stays in front.
    std::sort(libraries.begin() + 1, libraries.end(),
              [](const auto& a, const auto& b) { return natural_less(a.first, b.first); });
    if (libraries.size() > named_libraries) {
        return name_with_tables(libraries);
    }
    std::vector<std::string> names;
    for (const auto& [library, tables] : libraries) {
        const auto named = library_.empty() || tables.empty() ? library + (tables.empty() ? "" : " ") : "";
        names.push_back(named + list_some(tables, named_tables));
    }
    return fmt::format("{}", fmt::join(names, "; "));
}

std::string SyncFailures::text() const
{
    // Passes end in any order.
    auto reasons = reasons_;
    std::stable_sort(reasons.begin(), reasons.end(), [](const Reason& a, const Reason& b) {
        const auto& one = a.who.front();
        const auto& other = b.who.front();
        return one.library == other.library ? natural_less(one.table, other.table)
                                            : natural_less(one.library, other.library);
    });
    if (reasons.size() > told_reasons) {
        std::stable_sort(reasons.begin(), reasons.end(), [](const Reason& a, const Reason& b) {
            return std::pair(weight_of(a.kind), a.who.size()) > std::pair(weight_of(b.kind), b.who.size());
        });
    }
    std::string text;
    const auto told = std::min(reasons.size(), told_reasons);
    for (std::size_t i = 0; i < told; ++i) {
        const auto& one = reasons[i];
        const auto& first = one.who.front();
        // A reason that begins with the name of a library does so behind that name, or of several.
        const auto own = first.library + ": ";
        const auto why = library_.empty() && one.text.starts_with(own) ? one.text.substr(own.size()) : one.text;
        text += fmt::format("{}{}: {}", text.empty() ? "" : "\n", describe_who(one.who), why);
        text += one.next.empty() || names_command(one.text) ? "" : "; " + one.next;
        const auto stands_for = one.library.empty() ? describe_who({first}) : one.library;
        text += one.differs ? fmt::format(" (for {}; for the others see shelfctl status)", stands_for) : "";
    }
    if (const auto rest = reasons.size() - told; rest > 0) {
        text += fmt::format("\nother tables failed for {} more reason{}; see: shelfctl status{}{}", rest,
                            rest == 1 ? "" : "s", library_.empty() ? "" : " ", library_);
    }
    return text;
}

Result<void> SyncFailures::outcome() const
{
    if (reasons_.empty()) {
        return {};
    }
    const auto worst = std::max_element(reasons_.begin(), reasons_.end(), [](const Reason& a, const Reason& b) {
        return weight_of(a.kind) < weight_of(b.kind);
    });
    return Error(worst->kind, text());
}

}  // namespace shelfd::app
