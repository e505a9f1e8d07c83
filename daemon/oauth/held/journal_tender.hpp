// Keeps both copies of the token journals whole: opened when they can be, looked for while they are open, mended.
#pragma once

#include "oauth/held/held_sets.hpp"
#include "oauth/held/standing_record.hpp"
#include "oauth/held/store_finding.hpp"
#include "oauth/journal/store.hpp"

#include <functional>

namespace shelfd::oauth {

struct JournalHealth {
    StoreFinding store;
    std::string unread;       // a copy that could not be opened yet, and why: it may know more; "" = both were read
    std::string trouble;      // of a copy; "" = both are good
    int copies = 0;           // that hold the newest set
    std::uint32_t tries = 0;  // failures in a row to open or to mend

    bool is_closed() const { return store.state == StoreState::closed; }
    bool is_copied() const { return store.state == StoreState::copied; }
    bool is_damaged() const { return store.state == StoreState::damaged; }
    // Why nothing may be written to them; "" = it may.
    std::string bar() const { return is_closed() || store.state == StoreState::barred ? store.why : ""; }
    Result<void> check_bar() const { return bar().empty() ? Result<void>() : Error(ErrorKind::corrupt, bar()); }
};

// Loop only, and one call at a time; what blocks goes through the lane. What is mended is the present set of `sets`,
// and the note that `standing` owes.
class JournalTender {
public:
    JournalTender(const TokenKeeperSettings& settings, const TokenKeeperServices& services, const Moments& moments,
                  const HeldSets& sets, StandingRecord& standing, const Store& store);

    // In the lane: `work` touches the journals and what only the caller changes. The loop goes on meanwhile.
    asio::awaitable<void> run(std::function<void(JournalPair&)> work);
    asio::awaitable<Written> write(std::function<Written(JournalPair&)> work);
    // INTENT or VERDICT of the present set and attempt.
    asio::awaitable<Written> write_note(RecordKind kind, Note note);
    // The newest note says again what is true of the present set alone. What cannot be written is found, and written,
    // at the next start.
    asio::awaitable<void> record_standing();
    // For what does not block: `append_raw`, marks and identity.
    JournalPair& pair() { return pair_; }

    // Opens them, assesses the store and identifies it. nullopt: they are closed, and opened again later. A disk that
    // is away may hold the set: nothing is known, and nothing is new here, before it can be read. Once the sets are
    // held, `finish_opening` is to be called.
    asio::awaitable<std::optional<Recovered>> open();
    asio::awaitable<void> finish_opening();
    // Until they can be opened again. Where it is for another reason than before, the standing begins anew.
    void close(std::string why);
    void close_older_half() { close(older_half_text(sets_.present()->generation)); }
    // Looks for the files and mends, where it is time. Then: whether they are to be opened again.
    enum class Tended { nothing, mended };
    asio::awaitable<Tended> tend();
    bool must_open_again() const;
    // When `tend` wants to be called next.
    BootTime due() const;
    BootTime look_due() const { return look_due_; }
    void try_again();
    // Journals that the next start would not find are written anew.
    asio::awaitable<void> repair_at_exit();

    const JournalHealth& health() const { return health_; }
    void set_finding(StoreState state, std::string why) { health_.store = {state, std::move(why)}; }
    // A set of ours is the newest there: whatever was damaged or copied, the store is the one in force.
    void accept_store();
    bool wants_mending() const;
    // Logs that a record is on one copy alone: one fault more, and the set is lost. Once for each trouble.
    void warn_of(const Written& written);
    // `present` goes on being the newest, and is mended at once.
    void take_back(const TokenSet& present);
    // Adoption: records written from now on belong to another installation. Returns the identity before.
    JournalPair::Identity renew_identity();

    // The newest note is an INTENT for an authorization code. Nothing is mended then: its note would hide that one.
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
    BootTime due_;              // the next try to open or to mend
    BootTime look_due_;         // when the files are looked for again
    std::string told_trouble_;  // of a copy, as it was logged last
    bool holds_code_intent_ = false;
};

}  // namespace shelfd::oauth
