#include "control/causes/cause_finder.hpp"

#include "base/pause.hpp"
#include "control/causes/cause_set.hpp"
#include "control/causes/consumer_cause.hpp"
#include "control/causes/daemon_cause.hpp"
#include "control/causes/library_cause.hpp"
#include "control/causes/network_fault.hpp"
#include "control/causes/set_cause.hpp"
#include "control/causes/table_cause.hpp"
#include "control/model/reason.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

namespace shelfd::control {
namespace {

// What ends without help, and a full disk, stop no token set: the deadline is that of the first table, once it is near.
void tell_when_late(const Cause& cause, Affected& affected, Instant now)
{
    const bool stops_tables =
        cause.kind == CauseKind::service || cause.kind == CauseKind::limit || cause.kind == CauseKind::disk;
    if (stops_tables && !affected.deadline && affected.late_at && *affected.late_at - now <= page_within) {
        affected.deadline = affected.late_at;
    }
}

class Finder {
public:
    explicit Finder(const Status& status) : status_(status) {}

    std::vector<Cause> run();

private:
    void look_at(const LibraryStatus& library);
    void look_at_token(const LibraryStatus& library);
    void look_at_journals(const LibraryStatus& library);
    void look_at_table(const LibraryStatus& library, const ResourceStatus& table);
    void add_standstill(const LibraryStatus& library, const ResourceStatus& table);
    void add_late(const LibraryStatus& library, const ResourceStatus& table);
    void add_all(std::vector<Finding> findings);
    Finding of_table(const LibraryStatus& library, const ResourceStatus& table, CauseKind kind,
                     std::string scope) const;
    void add_passing(const LibraryStatus& library, const ResourceStatus& table, const std::string& why,
                     TroubleSource source);

    const Status& status_;
    CauseSet causes_;
    std::map<std::string, std::string> set_causes_;  // by library: the key of its set's cause
    // Of the library that is looked at:
    struct Outage {
        std::string key;  // of the cause, "" = the service answers
        std::optional<Instant> since;
    };
    Outage outage_;
    std::vector<const ResourceStatus*> late_;  // for no reason of their own
};

std::vector<Cause> Finder::run()
{
    add_all(find_daemon_causes(status_));
    std::map<std::string_view, const LibraryStatus*> by_name;
    for (const auto& library : status_.libraries) {
        look_at(library);
        by_name[library.name] = &library;
    }
    causes_.complete([&](Cause& cause, Affected& affected) {
        if (const auto found = by_name.find(affected.library); found != by_name.end()) {
            const auto& library = *found->second;
            affected.note = library.note;
            affected.tables_in_all = static_cast<std::size_t>(
                std::count_if(library.resources.begin(), library.resources.end(),
                              [](const auto& table) { return table.state != State::retired; }));
            affected.contact = library.contact;
            if (cause.kind == CauseKind::wrong_library) {
                name_all_tables(library, affected);
            }
            if (cause.kind == CauseKind::late && affected.next.empty() && !affected.next_try) {
                affected.next = "continues the pass under way";
            }
            tell_when_late(cause, affected, status_.now);
            if (cause.kind == CauseKind::service) {
                ask_when_it_lasts(cause, affected, status_.now);
            }
            tell_of_all(library, cause.kind, affected);
        }
    });
    return std::move(causes_).take();
}

Finding Finder::of_table(const LibraryStatus& library, const ResourceStatus& table, CauseKind kind,
                         std::string scope) const
{
    auto one = finding_of(library, table, kind, std::move(scope));
    // The next request of the pass waits for the end of the pause.
    if (const auto until = library.budget.paused_until; table.running && until > status_.now) {
        one.next.clear();
        one.next_try = until;
    }
    return one;
}

void Finder::add_all(std::vector<Finding> findings)
{
    for (auto& one : findings) {
        causes_.add(std::move(one));
    }
}

void Finder::look_at(const LibraryStatus& library)
{
    if (library.bug) {
        Finding one{CauseKind::bug, library.name};
        one.library = library.name;
        one.why = library.bug->what;
        one.why += library.bug->times > 1 ? fmt::format(", {} times", library.bug->times) : "";
        one.do_this = library.bug->do_this;
        one.next = "keeps the token set, and restarts the library at " + library.bug->again_at.to_short_text();
        one.since = library.bug->since;
        causes_.add(std::move(one));
    }
    look_at_token(library);
    look_at_journals(library);
    outage_ = {};
    late_.clear();
    for (const auto& table : library.resources) {
        look_at_table(library, table);
    }
    for (const auto* table : late_) {
        add_late(library, *table);
    }
    add_all(find_of_library(library, status_.now));
    add_all(find_lagging(library, status_.now));
}

void Finder::look_at_token(const LibraryStatus& library)
{
    const auto& token = library.token;
    const auto kind = kind_of_set(token);
    if (!kind) {
        return;
    }
    Finding one{*kind, scope_of_set(library, *kind), severity_of_set(token, *kind, status_.now)};
    one.origin = library.origin;
    one.library = library.name;
    one.why = token.reason;
    one.do_this = token.do_this;
    one.since = token.since;
    one.deadline = deadline_of_set(token, one.severity, status_.now);
    if (*kind == CauseKind::wrong_library) {
        one.state = State::wrong_library;
    } else if (token.needs_person) {
        one.state = State::needs_person;
    }
    one.next = next_of_set(token);
    // Each pass asks whose the token is; a refresh changes nothing about that.
    one.next_try = *kind == CauseKind::wrong_library ? std::nullopt : token.next_refresh;
    if (*kind == CauseKind::refresh && waits_alone(token)) {
        one.severity = severity_of_wait(library, status_.now);
    }
    if (is_failing_endpoint(token, *kind)) {
        // A token endpoint that fails is an outage of the service, even if its lists would answer.
        one.kind = CauseKind::service;
        one.scope = library.origin;
        set_causes_[library.name] = causes_.add_way(std::move(one), false);
        return;
    }
    if (*kind == CauseKind::refresh && token.unreachable) {
        // An outage that lasts longer than the tokens is no second cause.
        one.kind = CauseKind::service;
        one.scope = library.origin;
        set_causes_[library.name] = causes_.add_way(std::move(one), is_of_network(*token.unreachable));
        return;
    }
    set_causes_[library.name] = causes_.add(std::move(one));
}

void Finder::look_at_journals(const LibraryStatus& library)
{
    const auto& token = library.token;
    if (const auto& trouble = token.journal_trouble; !trouble.empty() && !set_causes_.contains(library.name)) {
        Finding one{CauseKind::journal_copy, ""};
        one.severity = token.journal_copies == 0 ? Severity::page : Severity::ticket;
        one.library = library.name;
        one.why = token.needs_person && !token.reason.empty() ? token.reason : trouble;
        one.do_this = token.do_this.empty() ? "correct what it names, then: shelfctl reload" : token.do_this;
        one.next =
            token.next.empty() ? "uses the other copy, and repairs this one as soon as that is possible" : token.next;
        one.since = token.needs_person ? token.since : std::nullopt;
        auto key = causes_.add(std::move(one));
        if (!token.access_usable) {
            set_causes_[library.name] = std::move(key);
        }
    }
    if (const auto& trouble = token.clock_trouble; !trouble.empty()) {
        Finding one{CauseKind::clock, ""};
        one.origin = library.origin;
        one.library = library.name;
        one.why = trouble;
        one.do_this =
            "timedatectl set-ntp true, if this machine's clock is wrong; otherwise tell the operator of the service";
        one.next = "continues; ages of tables are wrong until then";
        causes_.add(std::move(one));
    }
}

// The service or the way to it: one cause for an origin, whichever of the two most tables name.
void Finder::add_passing(const LibraryStatus& library, const ResourceStatus& table, const std::string& why,
                         TroubleSource source)
{
    const bool is_limit = source == TroubleSource::limit;
    // Each limit group has a pause of its own.
    auto one = is_limit ? of_table(library, table, CauseKind::limit, library.budget.group)
                        : of_table(library, table, CauseKind::service, library.origin);
    one.why = why;
    const bool lasts = table.since && status_.now - *table.since >= long_without_answer;
    one.severity = is_late(table, status_.now) || lasts ? Severity::ticket : Severity::info;
    bool names_network = is_of_network(source);
    if (names_network && one.do_this.empty()) {
        auto fault = network_fault(source, why, library.origin);
        names_network = !fault.is_of_service;
        one.why = std::move(fault.why);
        one.do_this = std::move(fault.do_this);
    }
    if (is_limit) {
        one.next.clear();
        one.next_try = library.budget.paused_until ? library.budget.paused_until : table.next_due;
        causes_.add(std::move(one));
    } else {
        outage_.since = outage_.since && one.since ? std::min(*outage_.since, *one.since) : one.since;
        outage_.key = causes_.add_way(std::move(one), names_network);
    }
}

void Finder::look_at_table(const LibraryStatus& library, const ResourceStatus& table)
{
    if (table.state == State::retired || table.state == State::paused || library.bug) {
        return;
    }
    const auto set = set_causes_.find(library.name);
    const auto trouble = trouble_of(table);
    const bool is_of_set = trouble == Trouble::needs_person || trouble == Trouble::wrong_library ||
                           (trouble == Trouble::passing && !library.token.access_usable);
    if (set != set_causes_.end() && is_of_set) {
        // An outage began when its first request failed, not when the token died of it.
        const bool is_of_way = trouble == Trouble::passing && waits_alone(library.token);
        causes_.add_table(set->second, table.name, table.late_at, is_of_way ? table.since : std::nullopt);
        add_all(find_conditions(library, table));
        return;
    }
    switch (trouble) {
    case Trouble::forbidden: causes_.add(of_table(library, table, CauseKind::permission, library.origin)); break;
    case Trouble::wrong_library: {
        auto one = of_table(library, table, CauseKind::wrong_library, library.name);
        one.severity = Severity::page;
        causes_.add(std::move(one));
        break;
    }
    case Trouble::needs_person: {
        if (table.source == TroubleSource::identity) {
            // The page is of the service, and no table is at fault.
            causes_.add(finding_of(library, table, CauseKind::identity, library.origin + " page"));
            break;
        }
        const auto kind = table.source == TroubleSource::keys ? CauseKind::key_drift : CauseKind::configuration;
        // Another list, also of another library, is wrong for the same cause only if it is wrong in the same way.
        const auto reason = reason_in_kind(table.why, library.name, {table.name});
        auto scope = fmt::format("{} {}", library.origin, reason);
        causes_.add_as(kind, of_table(library, table, CauseKind::configuration, std::move(scope)));
        break;
    }
    case Trouble::storage: {
        auto one = of_table(library, table, CauseKind::disk, "");
        one.why = describe_disk(table);
        const bool is_dark_soon = table.late_at && *table.late_at - status_.now <= page_within;
        one.severity = is_dark_soon ? Severity::page : Severity::ticket;
        causes_.add(std::move(one));
        break;
    }
    case Trouble::passing:
        if (!waits_for_other_table(table)) {
            add_passing(library, table, table.why, table.source);
        }
        break;
    case Trouble::none: add_standstill(library, table); break;
    }
    add_all(find_conditions(library, table));
}

// A pass that makes no progress, or a table that is late, without a pass that has failed.
void Finder::add_standstill(const LibraryStatus& library, const ResourceStatus& table)
{
    const auto until = library.budget.paused_until;
    if (waits_for_pause(library, table, status_.now)) {
        add_passing(library, table, describe_pause(*until), TroubleSource::limit);
    } else if (table.running && table.running->stands_still && !table.running->note.empty()) {
        add_passing(library, table, table.running->note, table.running->source);
    } else if (table.state == State::late && until > status_.now) {
        auto one = of_table(library, table, CauseKind::limit, library.budget.group);
        one.why = describe_pause(*until);
        one.do_this.clear();
        one.next.clear();
        one.next_try = until;
        causes_.add(std::move(one));
    } else if (table.state == State::late && library.token.clock_trouble.empty()) {
        late_.push_back(&table);
    }
}

// What follows from another cause belongs to that: without a usable token, and as long as the service answers no list,
// nothing can be on time.
void Finder::add_late(const LibraryStatus& library, const ResourceStatus& table)
{
    const auto set = set_causes_.find(library.name);
    const auto& all = library.resources;
    const bool answers =
        outage_.key.empty() || !outage_.since || std::any_of(all.begin(), all.end(), [this](const ResourceStatus& one) {
            return one.as_of && *one.as_of > *outage_.since;
        });
    if (set != set_causes_.end() && !library.token.access_usable) {
        causes_.add_table(set->second, table.name, table.late_at);
    } else if (!answers) {
        causes_.add_table(outage_.key, table.name, table.late_at);
    } else if (is_starved(library.budget)) {
        auto one = find_starved(library);
        one.table = table.name;
        one.late_at = table.late_at;
        one.state = table.state;
        causes_.add(std::move(one));
    } else {
        auto one = finding_of(library, table, CauseKind::late, library.origin);
        one.next.clear();
        causes_.add(std::move(one));
    }
}

}  // namespace

std::vector<Cause> find_causes(const Status& status)
{
    return Finder(status).run();
}

}  // namespace shelfd::control
