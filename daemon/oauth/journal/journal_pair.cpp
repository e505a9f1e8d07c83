#include "oauth/journal/journal_pair.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include <fmt/core.h>

namespace shelfd::oauth {
namespace {

Written too_large()
{
    return {0, std::string(too_large_text), Fit::too_large};
}

Result<void> usable(const Journal& journal)
{
    return journal.good() ? Result<void>() : Error(ErrorKind::storage, journal.trouble());
}

}  // namespace

JournalPair::JournalPair(Journal::Opener a, Journal::Opener b, LibraryNames names, Refuge refuge)
    : names_(std::move(names)), copies_{Copy{Journal(std::move(a), names_), "a"},
                                        Copy{Journal(std::move(b), names_), "b"}},
      refuge_(std::move(refuge))
{
    identity_.library = names_.present;
}

Result<Recovered> JournalPair::open()
{
    std::array<std::optional<Findings>, 2> findings;
    std::optional<Error> refusal;
    found_newer_ = false;
    for (std::size_t i = 0; i < copies_.size(); ++i) {
        auto opened = copies_[i].journal.open();
        copies_[i].is_unread = !opened;
        if (opened) {
            findings[i] = std::move(*opened);
        } else if (opened.error().kind() == ErrorKind::busy) {
            return opened.error();
        } else if (!refusal) {
            refusal = opened.error();
        }
    }
    if (good_copies() == 0) {
        const auto is_same = copies_[0].journal.trouble() == copies_[1].journal.trouble();
        return is_same ? std::move(*refusal) : Error(refusal->kind(), trouble());
    }
    auto known = merge(std::move(findings));
    if (refusal && !known.set && known.barred.empty()) {
        return Error(refusal->kind(), trouble() + "; the other copy has no token set, but this one may have one");
    }
    known.unread = refusal ? trouble() : "";
    return known;
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

void JournalPair::reopen()
{
    give_up_misplaced();
    for (auto& copy : copies_) {
        if (copy.journal.good()) {
            continue;
        }
        auto found = copy.journal.open();
        if (found && taken_back_ != 0) {
            const auto removed = copy.journal.wipe_record(taken_back_);
            found = removed ? copy.journal.scan() : Result<Findings>(removed.error());
        }
        if (!found) {
            continue;
        }
        if (is_newer_half(copy, *found)) {
            found_newer_ = true;
            copy.journal.give_up("it has a newer set, which is being activated");
            continue;
        }
        if (auto why = why_strange(*found, copy.name); !why.empty()) {
            copy.journal.give_up(std::move(why));
            continue;
        }
        copy.is_unread = false;
        last_sequence_ = std::max(last_sequence_, found->last_sequence);
        copy.owes_set = copy.owes_note = true;
    }
}

std::string JournalPair::give_up_misplaced()
{
    std::string misplaced;
    for (auto& copy : copies_) {
        if (!copy.journal.good()) {
            continue;
        }
        if (const auto placed = copy.journal.check_place(); !placed) {
            misplaced += (misplaced.empty() ? "" : "; ") + placed.error().text();
        }
    }
    return misplaced;
}

void JournalPair::identify(Identity identity)
{
    identity_ = std::move(identity);
    installations_.push_back(identity_.installation);
}

Written JournalPair::mend(const TokenSet& set, const std::optional<Note>& note, std::uint32_t attempt, Moment now)
{
    reopen();
    // The set keeps its sequence number, so that the records after it remain after it.
    auto set_header = header(RecordKind::token, set.generation, 0, now);
    set_header.sequence = set_sequence_ != 0 ? set_sequence_ : set_header.sequence;
    set_sequence_ = set_header.sequence;
    const auto note_header = header(RecordKind::verdict, set.generation, attempt, now);
    const auto note_slot = encode_note_slot(note_header, note.value_or(Note{}));
    if (!encode_token(set_header, set, {})) {
        return too_large();
    }
    const auto written = on_each([&](Copy& copy) {
        auto done = copy.owes_set ? write_set(copy, set_header, set) : usable(copy.journal);
        copy.owes_set = !done;
        if (done && note && copy.owes_note) {
            done = copy.journal.write(note_slot.span(), note_header);
        }
        copy.owes_note = !done;
        return done;
    });
    if (written.copies > 0) {
        empty_refuge();
    }
    return written;
}

Result<void> JournalPair::write_set(Copy& copy, Header head, const TokenSet& set)
{
    const auto record = encode_token(head, set, marks_ == Marks::own ? copy.journal.mark() : copy.found_mark);
    auto done =
        record ? copy.journal.write(record->span(), head) : Error(ErrorKind::usage, std::string(too_large_text));
    copy.owes_mark = copy.owes_mark && !done;
    return done;
}

bool JournalPair::owes_marks() const
{
    return !barred_ && std::any_of(copies_.begin(), copies_.end(), [](const Copy& copy) {
        return copy.journal.good() && copy.owes_mark && !copy.owes_set;
    });
}

void JournalPair::record_files(const TokenSet& set, Moment now)
{
    auto head = header(RecordKind::token, set.generation, 0, now);
    head.sequence = set_sequence_;
    for (auto& copy : copies_) {
        if (!barred_ && copy.journal.good() && copy.owes_mark && !copy.owes_set) {
            copy.owes_set = !write_set(copy, head, set);
        }
    }
}

JournalPair::Marks JournalPair::set_marks(Marks marks)
{
    return std::exchange(marks_, marks);
}

bool JournalPair::write_refuge(const TokenSet& set, Moment now)
{
    if (!refuge_.make || barred_) {
        return false;
    }
    Journal journal(refuge_.make, names_);
    auto head = header(RecordKind::token, set.generation, 0, now);
    const auto record = encode_token(head, set, {});
    if (!record || !journal.open()) {
        return false;
    }
    refuge_is_used_ = journal.write(record->span(), head).has_value();
    return refuge_is_used_;
}

void JournalPair::empty_refuge()
{
    if (std::exchange(refuge_is_used_, false)) {
        Journal journal(refuge_.find, names_);
        if (journal.open()) {
            [[maybe_unused]] const auto done = journal.wipe();
        }
    }
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
    made.machine = marks_ == Marks::own ? identity_.machine : found_machine_;
    made.library = identity_.library;
    return made;
}

Written JournalPair::write_token(const TokenSet& set, Moment now)
{
    auto head = header(RecordKind::token, set.generation, 0, now);
    if (!encode_token(head, set, {})) {
        return too_large();
    }
    set_sequence_ = head.sequence;
    set_generation_ = set.generation;
    const auto written = on_each([&](Copy& copy) {
        copy.journal.keep(set.keep);
        auto done = write_set(copy, head, set);
        copy.owes_set = copy.owes_note = !done;
        return done;
    });
    if (written.copies > 0) {
        empty_refuge();
    }
    return written;
}

void JournalPair::take_back(const TokenSet& present)
{
    taken_back_ = set_sequence_;
    set_generation_ = present.generation;
    set_sequence_ = 0;
    for (auto& copy : copies_) {
        copy.journal.keep(present.keep);
        copy.owes_set = copy.owes_note = true;
    }
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
        copy.journal.drop_raw();
        if (copy.journal.good() && copy.owes_set) {
            return Result<void>(Error(ErrorKind::storage, "not repaired yet"));
        }
        return copy.journal.open_raw(raw_header_);
    });
}

void JournalPair::append_raw(std::string_view piece)
{
    for (auto& copy : copies_) {
        // A copy that fails here, or has no open record, is reported when the answer is closed.
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

int JournalPair::whole_copies() const
{
    const auto is_whole = [](const Copy& copy) { return copy.journal.good() && !copy.owes_set && !copy.owes_note; };
    return static_cast<int>(std::count_if(copies_.begin(), copies_.end(), is_whole));
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
