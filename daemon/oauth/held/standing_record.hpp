// Where the present set stands, since when and why: for people, and for the notes in the journals.
#pragma once

#include "oauth/held/moments.hpp"
#include "oauth/machine/refresh_machine.hpp"

#include <optional>
#include <string>

namespace shelfd::oauth {

class StandingRecord {
public:
    StandingRecord(const Clock& clock, const Moments& moments, const RefreshMachine& machine)
        : clock_(clock), moments_(moments), machine_(machine)
    {
    }

    Instant since() const { return since_; }
    const std::string& reason() const { return reason_; }    // of the standing; "" = none is known
    const std::string& trouble() const { return trouble_; }  // the newest thing that went wrong, one sentence

    void set_trouble(std::string text) { trouble_ = std::move(text); }
    void set_reason(std::string text) { reason_ = std::move(text); }
    // It begins now, whatever it was before.
    void begin(Standing standing);
    void restart_clock() { since_ = clock_.now(); }
    // Begins now where it is another one than before.
    void change(Standing standing);
    void recover(const Note& note);

    // What INTENT and VERDICT say of an exchange in doubt.
    Note note_of(const Doubt& doubt, Standing standing) const;
    // Where the present set stands, as a restart must find it.
    Note present_note() const { return note_of(machine_.doubt(), machine_.standing()); }
    // What a copy that is written anew must say beside the set; nullopt where the set says it all.
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
};

}  // namespace shelfd::oauth
