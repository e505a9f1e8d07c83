// One copy of the token journal: finds the newest records in any bytes, and writes new ones without overwriting those.
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
#include <utility>
#include <vector>

namespace shelfd::oauth {

template <typename Value>
struct Found {
    Header header;
    Value value;
};

// Content of a RAW record: the bytes of the answer that are certain.
struct RawAnswer {
    bool complete = false;  // closed, whole, and the checksum matches
    int status = 0;         // HTTP status; 0 if the record was never closed
    Secret body;
};

struct Findings {
    std::optional<Found<TokenSet>> set;   // the newest TOKEN
    storage::FileMark set_file;           // file that it was written to; unknown if an older version wrote it
    bool is_elsewhere = false;            // that file is not this one: the journal was copied
    std::optional<Found<TokenSet>> kept;  // the older set that `set` asks to keep
    std::optional<Found<Note>> note;      // the newest INTENT or VERDICT after `set`
    std::optional<Found<RawAnswer>> raw;  // the newest RAW after `set`
    bool newer_version = false;           // a later version of shelfd wrote here: nothing may be changed
    std::string other_library;            // the library of a record here, if not ours: nothing may be changed
    std::size_t unreadable = 0;           // slots with bytes that are not a record of ours
    std::uint64_t last_sequence = 0;
};

// The names under which records belong to a library: its own, and those that it had before. A record keeps the name it
// was written with.
struct LibraryNames {
    LibraryNames(std::string name, std::function<std::vector<std::string>()> former_names = {})
        : present(std::move(name)), former(std::move(former_names))
    {
    }
    LibraryNames(const char* name) : present(name) {}

    std::string present;
    std::function<std::vector<std::string>()> former;  // blocks; empty = none
};

// Calls block. One caller at a time, except `append_raw`, which another thread may call while no other call runs. After
// a failure the copy is bad until `open()` succeeds again: the page cache is not reliable after a failed sync.
class Journal {
public:
    using Opener = std::function<Result<std::unique_ptr<storage::JournalFile>>()>;

    Journal(Opener opener, LibraryNames names) : opener_(std::move(opener)), names_(std::move(names)) {}

    // Opens or reopens the file, and reads all slots. The findings are those of the disk or its cache at that time.
    Result<Findings> open();
    // Reads all slots again.
    Result<Findings> scan();

    // Gives the copy up if the next start would not find its file.
    Result<void> check_place();
    void give_up(std::string trouble);

    bool good() const { return file_ != nullptr; }
    const std::string& trouble() const { return trouble_; }
    const storage::FileMark& mark() const { return mark_; }
    // Sets the generation whose TOKEN must survive in addition to the newest one; 0 = none.
    void keep(std::uint64_t generation) { kept_generation_ = generation; }

    // Writes to the slot, or the two slots, whose loss matters least. Durable on return.
    Result<void> write(std::span<const std::byte> record, const Header& header);

    // Zeros all slots except that of the newest TOKEN, to remove old secrets.
    Result<void> wipe_all_but_newest();
    // Zeros all slots.
    Result<void> wipe();
    // Zeros the record with this sequence number, if it is present.
    Result<void> wipe_record(std::uint64_t sequence);

    // Writes the open header and zeros to two neighbouring slots. Durable on return.
    Result<void> open_raw(const Header& header);
    // Forgets the open RAW record: it is not that of the next answer, and its slots may have been reused.
    void drop_raw();
    // Appends to the open RAW record; does not sync. Drops what exceeds the record's capacity: the caller has it in
    // memory. Fails without writing if no record is open.
    Result<void> append_raw(std::string_view piece);
    // Adds length and checksum. On return the record is durable, including all pieces.
    Result<void> close_raw(Header header);

private:
    enum class Content : std::uint8_t { blank, record, second_half, unreadable };
    // What is known of a slot, without its record. A second half has the values of the slot before it.
    struct Slot {
        Content content = Content::blank;
        RecordKind kind = RecordKind::token;
        std::uint8_t width = 1;   // in slots
        bool is_at_home = false;  // a TOKEN whose mark names this file
        std::uint64_t sequence = 0;
        std::uint64_t generation = 0;
    };

    static Slot slot_of(Content content, const Header& header);
    static Slot second_half_of(Slot record);
    void index(std::span<const std::byte> bytes, Findings& findings);
    void read_records(std::span<const std::byte> bytes, Findings& findings) const;
    bool is_at_home(const storage::FileMark& written_to) const;
    bool is_name_of_ours(const std::string& name) const;
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
    LibraryNames names_;
    std::vector<std::string> former_;  // as of the last opening
    std::unique_ptr<storage::JournalFile> file_;
    storage::FileMark mark_;  // of the file when it was opened
    std::string trouble_ = "not opened yet";
    std::array<Slot, slot_count> slots_{};
    std::uint64_t kept_generation_ = 0;
    std::bitset<slot_count> failed_;  // slots whose last write failed; others are preferred
    std::size_t raw_slot_ = 0;
    std::size_t raw_length_ = 0;
    std::unique_ptr<Sha256> raw_hash_;
};

}  // namespace shelfd::oauth
