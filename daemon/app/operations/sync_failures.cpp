#include "app/operations/sync_failures.hpp"

#include "app/report/advice.hpp"
#include "app/report/status_report.hpp"
#include "base/words/cure.hpp"
#include "base/words/named_command.hpp"
#include "control/causes/network_fault.hpp"
#include "control/causes/table_cause.hpp"
#include "control/model/mask.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace shelfd::app {
namespace {

constexpr std::size_t named_tables = 12;

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

}  // namespace

void SyncFailures::add(const std::string& who, const LibraryUnit& unit, const sync::ResourceWorker& worker,
                       const sync::PassReport& pass)
{
    const bool is_whole = pass.kind != sync::PassKind::incremental;
    if (pass.published && (pass.proof.complete() || (!is_whole && pass.remark.empty()))) {
        return;
    }
    const Subject subject{who, unit.library().name, {worker.name()}};
    if (!pass.published && pass.trouble == sync::Trouble::forbidden) {
        const auto next = ask_for_all(unit, worker);
        const auto same = std::find_if(reasons_.begin(), reasons_.end(), [&](const Reason& one) {
            return one.text == pass.why && one.library == unit.library().name;
        });
        if (same != reasons_.end()) {
            same->who.push_back(who);
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
        const auto why = is_no_longer_served(worker) ? without_cure(pass.why, pass.cure) : pass.why;
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
    auto alike = control::mask(error.text(), subject.library, subject.tables);
    const auto same = std::find_if(reasons_.begin(), reasons_.end(),
                                   [&](const Reason& one) { return one.kind == error.kind() && one.alike == alike; });
    if (same != reasons_.end()) {
        same->differs = same->differs || same->next != next || same->text != error.text();
        same->who.push_back(subject.who);
        return *same;
    }
    return reasons_.emplace_back(Reason{error.kind(), error.text(), std::move(alike), next, false, {subject.who}});
}

std::string SyncFailures::text() const
{
    std::string text;
    for (const auto& one : reasons_) {
        const auto shown = std::min(one.who.size(), named_tables);
        text +=
            fmt::format("{}{}{}: {}", text.empty() ? "" : "\n",
                        fmt::join(one.who.begin(), one.who.begin() + static_cast<std::ptrdiff_t>(shown), ", "),
                        one.who.size() > shown ? fmt::format(" and {} more", one.who.size() - shown) : "", one.text);
        text += one.next.empty() || names_command(one.text) ? "" : "; " + one.next;
        text += one.differs ? fmt::format(" (for {}; for the others see shelfctl status)", one.who.front()) : "";
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
