// The two copies of a token journal as one: merges what they contain, and writes records to both.
#pragma once

#include "oauth/journal/journal.hpp"

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace shelfd::oauth {

// Stored in journals and compared with what they hold: another wording would not know the older one.
inline constexpr std::string_view too_large_text =
    "the tokens have more than 15 KiB together, too much for a record of the journal";

enum class Fit { fits, too_large };
// Number of copies that took a record. One makes it valid; two protect it.
struct Written {
    int copies = 0;
    std::string trouble;  // of the copies that failed; "" if both succeeded
    Fit fit = Fit::fits;  // too_large: no copy can ever take it
};

// What both copies contain, merged.
struct Recovered {
    std::optional<TokenSet> set;     // the newest good one
    std::optional<TokenSet> kept;    // the older set that `set` keeps until it is proven
    std::optional<Note> note;        // the newest INTENT or VERDICT after the set
    bool intent_open = false;        // `note` is an INTENT: the progress of its exchange is unknown
    std::uint32_t attempt = 0;       // of `note`
    std::optional<RawAnswer> raw;    // what arrived for that attempt
    std::optional<Id> installation;  // of the newest record
    std::optional<Id> machine;
    bool two_installations = false;  // the copies belong to different stores
    std::string elsewhere;           // copies that were written to other files than these; "" = none
    std::size_t unreadable = 0;      // damaged slots in both
    std::string barred;              // why nothing may be written here; "" = writing is allowed
    std::string unread;              // the copy that could not be opened, which may be newer, and why; "" = none
};

// The place for a set that neither copy takes: memory that outlives the process, but not a reboot. Both members may be
// empty.
struct Refuge {
    Journal::Opener find;  // fails if nothing was ever written there
    Journal::Opener make;
};

// Calls block and must not overlap, except `append_raw`, which the network calls while an answer arrives.
class JournalPair {
public:
    struct Identity {
        std::string library;
        Id installation{};
        Id machine{};
    };

    JournalPair(Journal::Opener a, Journal::Opener b, LibraryNames names, Refuge refuge = {});

    // Fails if neither copy can be opened; if one cannot, and the other has no set and may be changed (whether there is
    // a set is then unknown); and with kind busy if another process has locked one of them.
    Result<Recovered> open();
    // Reads the open copies again; does not open copies that were given up.
    Result<Recovered> scan();
    // Reopens copies that were given up, and writes the newest set and note to each copy that may lack them. Both must
    // be those last written or found. Returns the number of copies that now have them.
    Written mend(const TokenSet& set, const std::optional<Note>& note, std::uint32_t attempt, Moment now);

    // Reopens copies that were given up, and those whose files were removed or replaced. Does not change a copy whose
    // content is not ours.
    void reopen();
    // Gives up copies whose files the next start would not find, and returns which; "" = none.
    std::string give_up_misplaced();
    // Writes a set that neither copy took. Returns true on success. The refuge is emptied once a copy has taken the
    // set.
    bool write_refuge(const TokenSet& set, Moment now);
    // Zeros everything except the newest set, in both copies.
    Written wipe_all_but_newest();

    // `owes_marks`: a TOKEN does not name its file. `record_files` rewrites it with the mark; reports no failures.
    bool owes_marks() const;
    void record_files(const TokenSet& set, Moment now);

    // Machine and file marks of records written from now on: the true ones, or those of the newest record found. A
    // copied store that was not adopted must still be recognised as copied at the next start.
    enum class Marks { own, found };
    Marks set_marks(Marks marks);

    void identify(Identity identity);
    const Identity& identity() const { return identity_; }

    Written write_token(const TokenSet& set, Moment now);
    // Withdraws a set that no copy took: what a disk may still have of it is removed before anything else is written
    // there. `present` remains the newest set.
    void take_back(const TokenSet& present);
    Written write_note(RecordKind kind, std::uint64_t generation, std::uint32_t attempt, const Note& note, Moment now);

    Written open_raw(std::uint64_t generation, std::uint32_t attempt, Moment now);
    void append_raw(std::string_view piece);
    struct Closing {
        int status = 0;
        bool complete = false;
        std::size_t length = 0;
    };
    Written close_raw(Closing closing, Moment now);

    int good_copies() const;
    int whole_copies() const;  // copies that lack nothing
    // True if a copy that could not be opened at first is readable now and has a newer set of this store. `open` reads
    // it; until then that copy is not changed.
    bool found_newer() const { return found_newer_; }
    std::string trouble() const;  // "" if both copies are good

private:
    struct Copy {
        Journal journal;
        const char* name;
        bool owes_set = false;              // lacks the newest set, so it does not count as a copy
        bool owes_note = false;             // lacks the newest note
        bool is_unread = false;             // could not be opened when the other copy was
        bool owes_mark = false;             // its newest set has no file mark
        storage::FileMark found_mark = {};  // the file mark of its newest set
    };

    bool is_ours(const Findings& findings) const;
    bool is_newer_half(const Copy& copy, const Findings& findings) const;
    std::string why_strange(const Findings& findings, const char* name) const;
    static void record_mark(Copy& copy, const Findings& findings, Recovered& known);
    Recovered merge(std::array<std::optional<Findings>, 2> findings);
    Result<void> write_set(Copy& copy, Header head, const TokenSet& set);
    void take_from_refuge(std::optional<Found<TokenSet>>& set);
    void empty_refuge();
    Header header(RecordKind kind, std::uint64_t generation, std::uint32_t attempt, Moment now);
    template <typename Act>
    Written on_each(Act act);

    LibraryNames names_;
    std::array<Copy, 2> copies_;
    Refuge refuge_;
    bool refuge_is_used_ = false;
    Identity identity_;
    Marks marks_ = Marks::own;
    Id found_machine_{};
    std::uint64_t last_sequence_ = 0;
    std::uint64_t set_sequence_ = 0;  // of the newest set's record
    std::uint64_t set_generation_ = 0;
    std::uint64_t taken_back_ = 0;  // sequence of a record that must be removed; 0 = none
    bool found_newer_ = false;
    std::vector<Id> installations_;  // all that this store has had: each adoption adds one
    Header raw_header_;
    bool barred_ = false;
};

}  // namespace shelfd::oauth
