// One copy of the token journal: finds the newest records in any bytes, and writes new ones without touching those.
#pragma once

#include "base/result.hpp"
#include "oauth/journal/record.hpp"
#include "storage/journal_file.hpp"

#include <array>
#include <bitset>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace shelfd::oauth {

template <typename Value>
struct Found {
    Header header;
    Value value;
};

// What a RAW record holds: the answer's bytes as far as they are certain.
struct RawAnswer {
    bool complete = false;  // closed, whole, and the checksum agrees
    int status = 0;         // HTTP status; 0 where the record was never closed
    Secret body;
};

struct Findings {
    std::optional<Found<TokenSet>> set;   // the newest TOKEN
    storage::FileMark set_file;           // that it was written to; not known where an older version wrote it
    bool is_elsewhere = false;            // and that is not this one: the journal was copied
    std::optional<Found<TokenSet>> kept;  // the older one that `set` asks to keep
    std::optional<Found<Note>> note;      // the newest INTENT or VERDICT behind `set`
    std::optional<Found<RawAnswer>> raw;  // the newest RAW behind `set`
    bool newer_version = false;           // a later shelfd wrote here: nothing may be changed
    std::string other_library;            // a record here belongs to that library: nothing may be changed
    std::size_t unreadable = 0;           // slots with bytes that are no record of ours
    std::uint64_t last_sequence = 0;
};

// Calls block; one caller at a time, but for `append_raw`, which may come from another thread while no other call runs.
// After any failure the copy is bad until `open()` has succeeded again: a page cache that has failed a sync lies.
class Journal {
public:
    using Opener = std::function<Result<std::unique_ptr<storage::JournalFile>>()>;

    Journal(Opener opener, std::string library) : opener_(std::move(opener)), library_(std::move(library)) {}

    // Opens or opens again, and reads every slot. The findings are those of the disk (or its cache) at that moment.
    Result<Findings> open();
    // Reads every slot once more.
    Result<Findings> scan();

    // Gives the copy up when the next start would not find its file.
    Result<void> check_place();
    void give_up(std::string trouble);

    bool good() const { return file_ != nullptr; }
    const std::string& trouble() const { return trouble_; }
    const storage::FileMark& mark() const { return mark_; }
    // The generation whose TOKEN must survive beside the newest one; 0 = none.
    void keep(std::uint64_t generation) { kept_generation_ = generation; }

    // Into the slot, or the two, whose loss matters least; durable on return.
    Result<void> write(std::span<const std::byte> record, const Header& header);

    // Zeros in every slot but that of the newest TOKEN: for a person who wants old secrets gone.
    Result<void> wipe_all_but_newest();
    // Zeros in every slot.
    Result<void> wipe();
    // Zeros the record with that sequence, if it is there.
    Result<void> wipe_record(std::uint64_t sequence);

    // Two neighbouring slots take the open header and zeros, durable on return.
    Result<void> open_raw(const Header& header);
    // What was opened is not that of the next answer: its place may hold another record by then.
    void drop_raw();
    // Behind what is there; not synced. What no longer fits is left out: the caller has it in memory. Fails, and writes
    // nothing, where none is open.
    Result<void> append_raw(std::string_view piece);
    // Adds length and checksum; durable on return, the pieces before it included.
    Result<void> close_raw(Header header);

private:
    enum class Content { blank, record, second_half, unreadable };
    // What is known of a slot, without the record itself; of a second half that of the slot before, where it begins.
    struct Slot {
        Content content = Content::blank;
        RecordKind kind = RecordKind::token;
        std::uint8_t width = 1;  // in slots
        std::uint64_t sequence = 0;
        std::uint64_t generation = 0;
        bool is_at_home = false;  // a TOKEN that says that it was written to this file
    };

    static Slot slot_of(Content content, const Header& header);
    static Slot second_half_of(Slot record);
    void index(std::span<const std::byte> bytes, Findings& findings);
    void read_records(std::span<const std::byte> bytes, Findings& findings) const;
    bool is_at_home(const storage::FileMark& written_to) const;
    void keep_newest_set(Findings& findings, const Header& header, std::span<const std::byte> record) const;
    bool is_protected(std::size_t slot) const;
    bool is_better(std::size_t slot, std::size_t than) const;
    bool begins_whole_pair(std::size_t slot) const;
    bool begins_wide_token(std::size_t slot) const;
    std::size_t forget_remains();
    std::uint64_t price(std::size_t slot) const;
    std::uint64_t price_of_two(std::size_t slot) const;
    std::size_t cheapest(std::size_t width) const;
    Result<void> wipe_where(const std::function<bool(std::size_t slot)>& chosen);
    void occupy(std::size_t slot, const Header& header);
    Result<void> check_raw() const;
    Result<void> put(std::uint64_t offset, std::span<const std::byte> bytes);
    Result<void> sync();
    Error failed(Error error);

    Opener opener_;
    std::string library_;
    std::unique_ptr<storage::JournalFile> file_;
    storage::FileMark mark_;  // of the file when it was opened
    std::string trouble_ = "not opened yet";
    std::array<Slot, slot_count> slots_{};
    std::uint64_t kept_generation_ = 0;
    std::bitset<slot_count> failed_;  // slots that did not take a write: others are tried first
    std::size_t raw_slot_ = 0;
    std::size_t raw_length_ = 0;
    std::unique_ptr<Sha256> raw_hash_;
};

}  // namespace shelfd::oauth
