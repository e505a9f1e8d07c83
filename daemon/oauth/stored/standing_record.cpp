#include "oauth/stored/standing_record.hpp"

#include "oauth/journal/journal_pair.hpp"

#include <utility>

namespace shelfd::oauth {

ReasonKind kind_of_reason(std::string_view reason)
{
    if (reason == too_large_text) {
        return ReasonKind::too_large;
    }
    if (reason.ends_with(after_unread_answer)) {
        return ReasonKind::after_unread_answer;
    }
    return reason.find(refused_scope_code) != std::string_view::npos ? ReasonKind::refused_scope : ReasonKind::other;
}

void StandingRecord::begin(Standing standing)
{
    standing_ = standing;
    restart_clock();
}

void StandingRecord::change(Standing standing)
{
    if (std::exchange(standing_, standing) != standing) {
        restart_clock();
    }
}

void StandingRecord::recover(const Note& note)
{
    standing_ = note.standing;
    since_ = note.since;
    reason_ = note.reason;
}

Note StandingRecord::note_of(const Doubt& doubt, Standing standing) const
{
    Note note;
    note.standing = standing;
    note.earlier_doubt = machine_.doubt().open;
    note.access_was_alive = doubt.old_token_was_alive;
    note.committed = doubt.committed;
    note.replays = doubt.replays;
    note.server_errors = doubt.server_errors;
    note.since = since_;
    note.first_sent = moments_.at(doubt.since);
    note.last_sent = moments_.at(doubt.last_sent);
    note.reason = reason_;
    if (machine_.told_to_wait() > clock_.boot_now()) {
        note.told_to_wait = moments_.at(machine_.told_to_wait());
    }
    return note;
}

std::optional<Note> StandingRecord::owed_note() const
{
    const auto is_owed = machine_.doubt().open || machine_.standing() != Standing::good;
    return is_owed ? std::optional<Note>(present_note()) : std::nullopt;
}

}  // namespace shelfd::oauth
