// Merges the findings of two copies, and of the refuge if there is one.
#include "oauth/journal/journal_pair.hpp"

#include <algorithm>
#include <tuple>

#include <fmt/core.h>

namespace shelfd::oauth {
namespace {

// Compares generations first, then sequence numbers.
bool is_newer(const Header& a, const Header& b)
{
    return a.generation != b.generation ? a.generation > b.generation : a.sequence > b.sequence;
}

template <typename Value>
void take_newer(std::optional<Found<Value>>& best, std::optional<Found<Value>>& other)
{
    if (other && (!best || is_newer(other->header, best->header))) {
        best = std::move(other);
    }
}

// Prefers a complete answer to a part of one, and a longer part to a shorter one.
void take_fuller(std::optional<Found<RawAnswer>>& best, std::optional<Found<RawAnswer>>& other)
{
    if (!other) {
        return;
    }
    const auto rank = [](const Found<RawAnswer>& found) {
        return std::tuple(found.header.sequence, found.value.complete, found.value.status != 0,
                          found.value.body.reveal().size());
    };
    if (!best || rank(*best) < rank(*other)) {
        best = std::move(other);
    }
}

std::string why_barred(const Findings& findings, const std::string& library, const char* name)
{
    if (findings.newer_version) {
        return fmt::format("journal.{} of {} was written by a later version of shelfd: install that version again; the "
                           "journal is neither used nor changed",
                           name, library);
    }
    if (!findings.other_library.empty()) {
        return fmt::format("journal.{} of {} contains the token set of library {}: restore the right files; nothing is "
                           "changed or refreshed",
                           name, library, findings.other_library);
    }
    return "";
}

}  // namespace

bool JournalPair::is_ours(const Findings& findings) const
{
    return findings.set && std::find(installations_.begin(), installations_.end(), findings.set->header.installation) !=
                               installations_.end();
}

// True for a set that the other copy missed before this process began. A file that appeared later is not of this store.
bool JournalPair::is_newer_half(const Copy& copy, const Findings& findings) const
{
    return copy.is_unread && is_ours(findings) && findings.set->header.generation > set_generation_ &&
           why_barred(findings, identity_.library, copy.name).empty();
}

// Why a copy that is opened while a newer state is known must not be written; "" = it may.
std::string JournalPair::why_strange(const Findings& findings, const char* name) const
{
    if (auto why = why_barred(findings, identity_.library, name); !why.empty() || !findings.set) {
        return why;
    }
    const auto& head = findings.set->header;
    if (is_ours(findings) && head.generation <= set_generation_) {
        return "";
    }
    return fmt::format("journal.{} was replaced by that of another store (generation {}) while shelfd ran: restore the "
                       "right one, or restart shelfd to use this one",
                       name, head.generation);
}

void JournalPair::record_mark(Copy& copy, const Findings& findings, Recovered& known)
{
    copy.found_mark = findings.set_file;
    copy.owes_mark = !storage::is_known(findings.set_file) && storage::is_known(copy.journal.mark());
    if (findings.is_elsewhere) {
        known.elsewhere += fmt::format("{}journal.{}", known.elsewhere.empty() ? "" : " and ", copy.name);
    }
}

Recovered JournalPair::merge(std::array<std::optional<Findings>, 2> findings)
{
    Recovered known;
    std::optional<Found<TokenSet>> set, kept;
    std::optional<Found<Note>> note;
    std::optional<Found<RawAnswer>> raw;
    std::array<std::uint64_t, 2> newest{}, holds{};
    std::array<std::optional<Id>, 2> installations;
    for (std::size_t i = 0; i < copies_.size(); ++i) {
        auto& found = findings[i];
        if (!found) {
            continue;
        }
        known.unreadable += found->unreadable;
        known.barred = known.barred.empty() ? why_barred(*found, identity_.library, copies_[i].name) : known.barred;
        last_sequence_ = std::max(last_sequence_, found->last_sequence);
        if (found->set) {
            installations[i] = found->set->header.installation;
            installations_.push_back(*installations[i]);
            holds[i] = found->set->header.sequence;
            newest[i] = found->note ? found->note->header.sequence : found->set->header.sequence;
            record_mark(copies_[i], *found, known);
        }
        take_newer(set, found->set);
        take_newer(kept, found->kept);
        take_newer(note, found->note);
        take_fuller(raw, found->raw);
    }
    take_from_refuge(set);
    barred_ = !known.barred.empty();
    known.two_installations = installations[0] && installations[1] && *installations[0] != *installations[1];
    if (!set || barred_) {
        return known;
    }
    known.installation = set->header.installation;
    known.machine = found_machine_ = set->header.machine;
    // Notes and answers of an older generation are out of date: the other copy has the result of that attempt.
    const auto is_behind = [&](const Header& header) {
        return header.generation == set->header.generation && header.sequence > set->header.sequence;
    };
    if (note && is_behind(note->header)) {
        known.intent_open = note->header.kind == RecordKind::intent;
        known.attempt = note->header.attempt;
        if (raw && is_behind(raw->header) && raw->header.attempt == note->header.attempt) {
            known.raw = std::move(raw->value);
        }
        known.note = std::move(note->value);
    }
    if (kept && kept->header.generation == set->value.keep) {
        known.kept = std::move(kept->value);
    }
    set_sequence_ = set->header.sequence;
    set_generation_ = set->header.generation;
    for (std::size_t i = 0; i < copies_.size(); ++i) {
        copies_[i].journal.keep(set->value.keep);
        copies_[i].owes_set = !findings[i] || holds[i] != set_sequence_;
        // Mending also empties the refuge.
        copies_[i].owes_note = copies_[i].owes_set || refuge_is_used_ || (note && newest[i] != note->header.sequence);
    }
    known.set = std::move(set->value);
    return known;
}

void JournalPair::take_from_refuge(std::optional<Found<TokenSet>>& set)
{
    if (!refuge_.find) {
        return;
    }
    Journal journal(refuge_.find, names_);
    auto found = journal.open();
    if (!found || !found->set || found->newer_version || !found->other_library.empty()) {
        return;
    }
    refuge_is_used_ = true;
    last_sequence_ = std::max(last_sequence_, found->last_sequence);
    // Counts only for the same store: a refuge of another store is not ours.
    const auto is_ours = !set || set->header.installation == found->set->header.installation;
    if (is_ours) {
        take_newer(set, found->set);
    }
}

}  // namespace shelfd::oauth
