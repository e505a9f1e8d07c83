#include "oauth/journal_pair.hpp"

#include <algorithm>
#include <tuple>

#include <fmt/core.h>

namespace shelfd::oauth {
namespace {

// Later of two, by the generation of a set and the sequence of its record.
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

// A whole answer before a part of one, a longer part before a shorter one.
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

constexpr const char* too_large = "the token set is too large for its record (tokens of more than 7 KiB together)";

Result<void> usable(const Journal& journal)
{
    return journal.good() ? Result<void>() : Error(ErrorKind::storage, journal.trouble());
}

std::string why_barred(const Findings& findings, const std::string& library, const char* name)
{
    if (findings.newer_version) {
        return fmt::format("journal.{} of {} was written by a later version of shelfd: install that version again; "
                           "nothing here is read, changed or refreshed",
                           name, library);
    }
    if (!findings.other_library.empty()) {
        return fmt::format("journal.{} of {} holds the token set of library {}: put the files back where they belong; "
                           "nothing here is changed or refreshed",
                           name, library, findings.other_library);
    }
    return "";
}

}  // namespace

JournalPair::JournalPair(Journal::Opener a, Journal::Opener b, std::string library)
    : copies_{Copy{Journal(std::move(a), library), "a"}, Copy{Journal(std::move(b), library), "b"}}
{
    identity_.library = std::move(library);
}

Result<Recovered> JournalPair::open()
{
    std::array<std::optional<Findings>, 2> findings;
    std::optional<Error> refusal;
    for (std::size_t i = 0; i < copies_.size(); ++i) {
        auto opened = copies_[i].journal.open();
        if (opened) {
            findings[i] = std::move(*opened);
        } else if (!refusal) {
            refusal = opened.error();
        }
    }
    if (good_copies() == 0) {
        return std::move(*refusal);
    }
    return merge(std::move(findings));
}

Result<Recovered> JournalPair::scan()
{
    std::array<std::optional<Findings>, 2> findings;
    for (std::size_t i = 0; i < copies_.size(); ++i) {
        if (auto scanned = copies_[i].journal.scan()) {
            findings[i] = std::move(*scanned);
        }
    }
    if (good_copies() == 0) {
        return Error(ErrorKind::storage, trouble());
    }
    return merge(std::move(findings));
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
            holds[i] = found->set->header.sequence;
            newest[i] = found->note ? found->note->header.sequence : found->set->header.sequence;
        }
        take_newer(set, found->set);
        take_newer(kept, found->kept);
        take_newer(note, found->note);
        take_fuller(raw, found->raw);
    }
    barred_ = !known.barred.empty();
    known.two_installations = installations[0] && installations[1] && *installations[0] != *installations[1];
    known.lagging = newest[0] != newest[1] || good_copies() < 2;
    if (!set || barred_) {
        return known;
    }
    known.installation = set->header.installation;
    known.machine = set->header.machine;
    // A note or an answer of an older generation is history: the other copy knows how that attempt ended.
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
    for (std::size_t i = 0; i < copies_.size(); ++i) {
        copies_[i].journal.keep(set->value.keep);
        copies_[i].owes_set = !findings[i] || holds[i] != set_sequence_;
        copies_[i].owes_note = copies_[i].owes_set || (note && newest[i] != note->header.sequence);
    }
    known.set = std::move(set->value);
    return known;
}

void JournalPair::reopen()
{
    for (auto& copy : copies_) {
        if (!copy.journal.good() && copy.journal.open()) {
            copy.owes_set = true;
            copy.owes_note = true;
        }
    }
}

Written JournalPair::mend(const TokenSet& set, const std::optional<Note>& note, std::uint32_t attempt, Moment now)
{
    reopen();
    // The set keeps its place in the order, so that an answer that landed behind it stays behind it.
    auto set_header = header(RecordKind::token, set.generation, 0, now);
    set_header.sequence = set_sequence_ != 0 ? set_sequence_ : set_header.sequence;
    set_sequence_ = set_header.sequence;
    const auto set_slot = encode_token_slot(set_header, set);
    const auto note_header = header(RecordKind::verdict, set.generation, attempt, now);
    const auto note_slot = encode_note_slot(note_header, note.value_or(Note{}));
    if (!set_slot) {
        return {0, too_large};
    }
    return on_each([&](Copy& copy) {
        auto done = copy.owes_set ? copy.journal.write(set_slot->span(), set_header) : usable(copy.journal);
        copy.owes_set = !done;
        if (done && note && copy.owes_note) {
            done = copy.journal.write(note_slot.span(), note_header);
        }
        copy.owes_note = !done;
        return done;
    });
}

template <typename Act>
Written JournalPair::on_each(Act act)
{
    Written written;
    if (barred_) {
        written.trouble = "the journal must not be changed";
        return written;
    }
    for (auto& copy : copies_) {
        if (auto done = act(copy)) {
            ++written.copies;
        } else {
            written.trouble +=
                fmt::format("{}journal.{}: {}", written.trouble.empty() ? "" : "; ", copy.name, done.error().text());
        }
    }
    return written;
}

Header JournalPair::header(RecordKind kind, std::uint64_t generation, std::uint32_t attempt, Moment now)
{
    Header made;
    made.kind = kind;
    made.attempt = attempt;
    made.sequence = ++last_sequence_;
    made.generation = generation;
    made.written = now;
    made.installation = identity_.installation;
    made.machine = identity_.machine;
    made.library = identity_.library;
    return made;
}

Written JournalPair::write_token(const TokenSet& set, Moment now)
{
    const auto head = header(RecordKind::token, set.generation, 0, now);
    const auto slot = encode_token_slot(head, set);
    if (!slot) {
        return {0, too_large};
    }
    set_sequence_ = head.sequence;
    return on_each([&](Copy& copy) {
        copy.journal.keep(set.keep);
        auto done = copy.journal.write(slot->span(), head);
        copy.owes_set = copy.owes_note = !done;
        return done;
    });
}

Written JournalPair::write_note(RecordKind kind, std::uint64_t generation, std::uint32_t attempt, const Note& note,
                                Moment now)
{
    const auto head = header(kind, generation, attempt, now);
    const auto slot = encode_note_slot(head, note);
    return on_each([&](Copy& copy) { return copy.journal.write(slot.span(), head); });
}

Written JournalPair::wipe_all_but_newest()
{
    return on_each([](Copy& copy) { return copy.journal.wipe_all_but_newest(); });
}

Written JournalPair::open_raw(std::uint64_t generation, std::uint32_t attempt, Moment now)
{
    raw_header_ = header(RecordKind::raw, generation, attempt, now);
    return on_each([&](Copy& copy) {
        if (copy.owes_set) {
            return Result<void>(Error(ErrorKind::storage, "not mended yet"));
        }
        return copy.journal.open_raw(raw_header_);
    });
}

void JournalPair::append_raw(std::string_view piece)
{
    for (auto& copy : copies_) {
        // A copy that fails here is given up and missed when the answer is closed.
        [[maybe_unused]] const auto done = copy.journal.append_raw(piece);
    }
}

Written JournalPair::close_raw(Closing closing, Moment now)
{
    auto head = raw_header_;
    head.written = now;
    head.status = static_cast<std::uint16_t>(closing.status);
    head.complete = closing.complete;
    head.length = static_cast<std::uint32_t>(closing.length);
    return on_each([&](Copy& copy) { return copy.journal.close_raw(head); });
}

int JournalPair::good_copies() const
{
    return static_cast<int>(
        std::count_if(copies_.begin(), copies_.end(), [](const Copy& copy) { return copy.journal.good(); }));
}

std::string JournalPair::trouble() const
{
    std::string text;
    for (const auto& copy : copies_) {
        if (!copy.journal.good()) {
            text += fmt::format("{}journal.{}: {}", text.empty() ? "" : "; ", copy.name, copy.journal.trouble());
        }
    }
    return text;
}

}  // namespace shelfd::oauth
