// Standing of the present set, since when and why: for people, and for notes in the journals.
#pragma once

#include "base/state/trouble.hpp"
#include "oauth/machine/refresh_machine.hpp"
#include "oauth/stored/moments.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace shelfd::oauth {

// What the reason of a standing means, where the advice depends on it.
enum class ReasonKind {
    other,
    too_large,            // the new set does not fit into a record of the journal
    after_unread_answer,  // the answer before this one may have held a set and could not be read
    refused_scope,        // the service does not grant the scopes of the set to the application
};

// A journal holds the reason as text only, and a restart reads its kind from there. So the words that show a kind never
// change: those below, `too_large_text`, and the code "invalid_scope" (RFC 6749, 5.2).
inline constexpr std::string_view after_unread_answer = ", after an answer that could not be read";
inline constexpr std::string_view refused_scope_code = "invalid_scope";
ReasonKind kind_of_reason(std::string_view reason);

class StandingRecord {
public:
    StandingRecord(const Clock& clock, const Moments& moments, const RefreshMachine& machine)
        : clock_(clock), moments_(moments), machine_(machine)
    {
    }

    Instant since() const { return since_; }
    const std::string& reason() const { return reason_; }  // of the standing; "" = unknown
    ReasonKind reason_kind() const { return kind_of_reason(reason_); }
    const std::string& trouble() const { return trouble_; }  // the latest failure, one sentence

    TroubleSource source() const { return source_; }  // of that

    void set_trouble(std::string text, TroubleSource source = TroubleSource::service)
    {
        trouble_ = std::move(text);
        source_ = source;
    }
    void set_reason(std::string text) { reason_ = std::move(text); }
    // For ReasonKind::after_unread_answer.
    void set_reason_after_unread_answer(std::string text) { reason_ = std::move(text.append(after_unread_answer)); }
    // Starts the standing now, even if it is the same as before.
    void begin(Standing standing);
    void restart_clock() { since_ = clock_.now(); }
    // After a restart without a note: the standing has applied at least since the set was issued.
    void resume(Instant issued) { since_ = std::min(issued, clock_.now()); }
    // Starts the standing now if it is a different one.
    void change(Standing standing);
    void recover(const Note& note);

    // Content of an INTENT or VERDICT for an ambiguous exchange.
    Note note_of(const Doubt& doubt, Standing standing) const;
    // The present standing, as a restart must find it.
    Note present_note() const { return note_of(machine_.doubt(), machine_.standing()); }
    // The note that a rewritten copy needs in addition to the set; nullopt if the set is enough.
    std::optional<Note> owed_note() const;
    std::uint32_t attempt() const { return machine_.attempt(); }

private:
    const Clock& clock_;
    const Moments& moments_;
    const RefreshMachine& machine_;
    Standing standing_ = Standing::good;
    Instant since_;
    std::string reason_;
    std::string trouble_;
    TroubleSource source_ = TroubleSource::service;
};

}  // namespace shelfd::oauth
