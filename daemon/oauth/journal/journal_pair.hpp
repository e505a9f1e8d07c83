// The two copies of a token journal as one: what they know together, and records written to both.
#pragma once

#include "oauth/journal/journal.hpp"

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace shelfd::oauth {

inline constexpr std::string_view too_large_text =
    "the tokens have more than 15 KiB together, too much for a record of the journal";

// How many copies took a record. One is enough for it to be true, two for comfort.
enum class Fit { fits, too_large };
struct Written {
    int copies = 0;
    std::string trouble;  // of the copies that did not; "" when both did
    Fit fit = Fit::fits;  // too large: no copy will ever take it
};

// What both copies say together.
struct Recovered {
    std::optional<TokenSet> set;     // the newest good one
    std::optional<TokenSet> kept;    // the older set that `set` wants kept until it is proven
    std::optional<Note> note;        // the newest INTENT or VERDICT behind the set
    bool intent_open = false;        // `note` is an INTENT: how far its exchange got is not known
    std::uint32_t attempt = 0;       // of `note`
    std::optional<RawAnswer> raw;    // what arrived for that attempt
    std::optional<Id> installation;  // of the newest record
    std::optional<Id> machine;
    bool two_installations = false;  // the copies belong to different stores
    std::string elsewhere;           // the copies that were written to other files than these; "" = none
    std::size_t unreadable = 0;      // damaged slots in both
    std::string barred;              // why nothing may be written here; "" = it may
    std::string unread;              // the copy that could not be opened, and why: it may know more; "" = none
};

// Where a set goes that neither copy takes: memory that outlives the process, though not the machine. Both may be
// empty.
struct Refuge {
    Journal::Opener find;  // an error when nothing ever went there
    Journal::Opener make;
};

// Calls block and do not overlap, but for `append_raw`, which the network calls while an answer arrives.
class JournalPair {
public:
    struct Identity {
        std::string library;
        Id installation{};
        Id machine{};
    };

    JournalPair(Journal::Opener a, Journal::Opener b, std::string library, Refuge refuge = {});

    // Fails when neither copy can be opened, when one cannot and the other one holds no set (whether there is one is
    // not known then), and with kind busy when another process has one of them.
    Result<Recovered> open();
    // The same from what is open; copies that were given up are left alone.
    Result<Recovered> scan();
    // Opens given-up copies again and writes the newest set and note to every copy that may lack them; both must be
    // those last written or found. Counts the copies that hold them now.
    Written mend(const TokenSet& set, const std::optional<Note>& note, std::uint32_t attempt, Moment now);

    // Opens given-up copies again, and those whose files were removed or replaced. One that holds what is not ours is
    // left as it is.
    void reopen();
    // Gives up copies whose files the next start would not find, and says which; "" = none.
    std::string give_up_misplaced();
    // For a set that neither copy took: true when the refuge has it. It is emptied once a copy has taken it.
    bool write_refuge(const TokenSet& set, Moment now);
    // Zeros everything but the newest set, in both copies.
    Written wipe_all_but_newest();

    // Records that do not say to which file they were written get their say; quietly.
    bool owes_marks() const;
    void record_files(const TokenSet& set, Moment now);

    // What records written from now on say of machine and files: what is so, or what the newest one found says. A
    // copied store that was not adopted shall look like one at the next start, too.
    enum class Marks { own, found };
    Marks set_marks(Marks marks);

    void identify(Identity identity);
    const Identity& identity() const { return identity_; }

    Written write_token(const TokenSet& set, Moment now);
    // The set that no copy took is not wanted any more: what a disk may hold of it all the same is removed before
    // anything else is written there. `present` goes on being the newest.
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
    int whole_copies() const;  // those that lack nothing
    // A copy that could not be read at first is there, and holds a newer set of this store: `open` takes it up. Until
    // then that copy is left alone.
    bool found_newer() const { return found_newer_; }
    std::string trouble() const;  // "" when both copies are good

private:
    struct Copy {
        Journal journal;
        const char* name;
        bool owes_set = false;              // must be given the newest set before it counts as a copy of it
        bool owes_note = false;             // the same for the newest note
        bool is_unread = false;             // it could not be opened when the other one was
        bool owes_mark = false;             // its newest set does not say to which file it was written
        storage::FileMark found_mark = {};  // that its newest set says
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

    std::array<Copy, 2> copies_;
    Refuge refuge_;
    bool refuge_is_used_ = false;
    Identity identity_;
    Marks marks_ = Marks::own;
    Id found_machine_{};
    std::uint64_t last_sequence_ = 0;
    std::uint64_t set_sequence_ = 0;  // of the newest set's record
    std::uint64_t set_generation_ = 0;
    std::uint64_t taken_back_ = 0;  // sequence of a record that must not come back; 0 = none
    bool found_newer_ = false;
    std::vector<Id> installations_;  // those that this store had: an adoption gives it a new one
    Header raw_header_;
    bool barred_ = false;
};

}  // namespace shelfd::oauth
