// Keeps both copies of the token journals complete: opens them, checks their files, mends them.
#pragma once

#include "oauth/journal/store.hpp"
#include "oauth/stored/held_sets.hpp"
#include "oauth/stored/standing_record.hpp"
#include "oauth/stored/store_finding.hpp"

#include <functional>

namespace shelfd::oauth {

// What is known of a copy that lacked the newest record.
struct JournalRepair {
    Instant at;
    std::string found;  // follows "a copy of the token set"
};

struct JournalHealth {
    StoreFinding store;
    std::string unread;       // a copy that could not be opened yet, which may be newer, and why; "" = both were read
    std::string trouble;      // of a copy; "" = both are good
    int copies = 0;           // copies that have the newest set
    std::uint32_t tries = 0;  // consecutive failures to open or to mend
    std::optional<JournalRepair> repair;  // the newest since the daemon started

    bool is_closed() const { return store.state == StoreState::closed; }
    bool is_copied() const { return store.state == StoreState::copied; }
    bool is_damaged() const { return store.state == StoreState::damaged; }
    // Why nothing may be written to the journals; "" = writing is allowed.
    std::string bar() const { return is_closed() || store.state == StoreState::barred ? store.why : ""; }
    // Errors: storage while the journals are closed, else corrupt.
    Result<void> check_bar() const;
};

// Loop only, one call at a time; blocking calls run in the lane. Mends the present set of `sets` and the note that
// `standing` owes.
class JournalTender {
public:
    JournalTender(const TokenKeeperSettings& settings, const TokenKeeperServices& services, const Moments& moments,
                  const HeldSets& sets, StandingRecord& standing, const Store& store);

    // Runs `work` in the lane, while the loop continues. `work` may access the journals and what only the caller
    // changes.
    asio::awaitable<void> run(std::function<void(JournalPair&)> work);
    asio::awaitable<Written> write(std::function<Written(JournalPair&)> work);
    // Writes an INTENT or VERDICT of the present set and attempt.
    asio::awaitable<Written> write_note(RecordKind kind, Note note);
    // Writes a VERDICT with the present standing. A failure is ignored: the next start finds it and writes the note.
    asio::awaitable<void> record_standing();
    // Only for calls that do not block: `append_raw`, marks and identity.
    JournalPair& pair() { return pair_; }

    // Opens the journals, assesses the store and identifies it. nullopt: they stay closed and are opened again later. A
    // disk that is not available may hold the set, so nothing is known before it can be read. Call `finish_opening`
    // once the sets are held.
    asio::awaitable<std::optional<Recovered>> open();
    asio::awaitable<void> finish_opening();
    // Closes the journals until they can be opened again. If the reason is new, the standing restarts its clock.
    void close(std::string why);
    void close_older_half() { close(older_half_text(sets_.present()->generation)); }
    // Checks the files and mends, each when due. Afterwards check `must_open_again`.
    enum class Tended { nothing, mended };
    asio::awaitable<Tended> tend();
    bool must_open_again() const;
    // When `tend` is due next.
    BootTime due() const;
    BootTime look_due() const { return look_due_; }
    void try_again();
    // A disk may have been replaced: the files are checked at once.
    void look_again() { look_due_ = services_.clock.boot_now(); }
    // Rewrites journals that the next start would not find.
    asio::awaitable<void> repair_at_exit();

    const JournalHealth& health() const { return health_; }
    void set_finding(StoreState state, std::string why) { health_.store = {state, std::move(why)}; }
    // The newest set in the journals is ours, so a store that was damaged or copied is the one in use.
    void accept_store();
    bool wants_mending() const;
    // Logs that only one copy took a record, so one more fault loses the set. Logs each trouble once.
    void warn_of(const Written& written);
    // `present` remains the newest set, and is mended at once.
    void take_back(const TokenSet& present);
    // For an adoption: later records belong to a new installation. Returns the previous identity.
    JournalPair::Identity renew_identity();

    // The newest note is an INTENT for an authorization code. Nothing is mended meanwhile: a new note would hide it.
    bool holds_code_intent() const { return holds_code_intent_; }
    void set_code_intent() { holds_code_intent_ = true; }
    void forget_code_intent() { holds_code_intent_ = false; }

private:
    asio::awaitable<void> look_for_files();
    asio::awaitable<void> mend();
    bool is_half_read() const { return !health_.unread.empty() && health_.is_copied(); }
    bool is_due() const { return due_ <= services_.clock.boot_now(); }
    void wait(Duration pause) { due_ = services_.clock.boot_now() + pause; }
    std::string older_half_text(std::uint64_t generation) const;
    Id new_id() const;

    const std::string& library_;
    const TokenKeeperServices& services_;
    const Moments& moments_;
    const HeldSets& sets_;
    StandingRecord& standing_;
    Id machine_;
    Lane lane_;
    JournalPair pair_;
    JournalHealth health_;
    BootTime due_;              // of the next attempt to open or to mend
    BootTime look_due_;         // of the next check of the files
    std::string told_trouble_;  // of a copy, as last logged
    bool holds_code_intent_ = false;
};

}  // namespace shelfd::oauth
