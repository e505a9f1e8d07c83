// The bytes of the journal: slots, headers, and payloads of TOKEN, INTENT and VERDICT. One format per major version.
#pragma once

#include "base/sha256.hpp"
#include "oauth/set/token_set.hpp"
#include "storage/file_mark.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace shelfd::oauth {

// A journal has 16 slots of 8 KiB. A record begins with a header of 256 bytes. All numbers are little-endian:
//   0 magic "shelfdTJ"   8 version u16   10 kind u8   11 flags u8   12 status u16   14 name length u8   16 attempt u32
//   20 length u32   24 sequence u64   32 generation u64   40 wall µs i64   48 boot µs i64   56 boot id
//   72 installation id   88 machine id   104 name of the library, 48 bytes, zero-padded   160 SHA-256 of the payload
//   192 SHA-256 of bytes 0 to 191
// Magic, version, length and both checksums have the same place in all future versions, which distinguishes a slot of a
// later version from a damaged one.
// The payload of TOKEN, INTENT and VERDICT follows the header in the same slot; a larger TOKEN takes two neighbouring
// slots. RAW always takes two: its open header at 0, the answer from 512 on, and the closing header in the last 512
// bytes, so that closing a record never rewrites a sector that has the open header.
inline constexpr std::size_t slot_size = 8192;
inline constexpr std::size_t slot_count = 16;
inline constexpr std::size_t journal_size = slot_size * slot_count;
inline constexpr std::size_t header_size = 256;
inline constexpr std::size_t payload_capacity = slot_size - header_size;
inline constexpr std::size_t raw_size = 2 * slot_size;
inline constexpr std::size_t wide_payload_capacity = 2 * slot_size - header_size;
inline constexpr std::size_t raw_data_offset = 512;
inline constexpr std::size_t raw_closing_offset = raw_size - 512;
inline constexpr std::size_t raw_capacity = raw_closing_offset - raw_data_offset;
inline constexpr std::uint16_t format_version = 1;
inline constexpr std::size_t max_library_name = 48;

enum class RecordKind : std::uint8_t {
    token = 1,    // a set, in force from here on
    intent = 2,   // a refresh token is about to be sent
    raw = 3,      // the bytes of the answer, as received
    verdict = 4,  // the outcome of an attempt
};

struct Header {
    RecordKind kind = RecordKind::token;
    bool closed = false;       // RAW: the closing header
    bool complete = false;     // RAW closed: HTTP reports the body as complete
    std::uint16_t status = 0;  // RAW closed: HTTP status; 0 = none arrived
    std::uint32_t attempt = 0;
    std::uint32_t length = 0;
    std::uint64_t sequence = 0;  // grows with each record of the pair; both copies of a record have the same
    std::uint64_t generation = 0;
    Moment written;
    Id installation{};
    Id machine{};
    std::string library;
    Digest payload_digest{};
};

// Number of slots of the record that begins with this header.
std::size_t width_of(const Header& header);

using HeaderBytes = std::array<std::byte, header_size>;
HeaderBytes encode_header(const Header& header);

enum class HeaderReading {
    blank,       // zeros: never written
    unreadable,  // not a header of ours, or damaged
    newer,       // written by a later major version; nothing may be changed
    good,
};
struct ReadHeader {
    HeaderReading reading = HeaderReading::unreadable;
    Header header;
};
ReadHeader decode_header(std::span<const std::byte> bytes);

// Bytes that are wiped when they are destroyed, because they held secrets.
class WipedBytes {
public:
    explicit WipedBytes(std::size_t size) : bytes_(size) {}
    WipedBytes(WipedBytes&&) noexcept = default;
    WipedBytes& operator=(WipedBytes&& other) noexcept
    {
        bytes_.swap(other.bytes_);
        return *this;
    }
    ~WipedBytes();

    std::span<std::byte> span() { return bytes_; }
    std::span<const std::byte> span() const { return bytes_; }

private:
    std::vector<std::byte> bytes_;
};

// Encodes a TOKEN for the journal `file`, in one slot, else in two, else in two without the scope, else also without
// the file mark. Sets length and digest in `header`. Returns an empty optional if the set does not fit even then, which
// takes more than 15 KiB of tokens.
std::optional<WipedBytes> encode_token(Header& header, const TokenSet& set, const storage::FileMark& file);
// Encodes a slot of kind intent or verdict. Sets length and digest itself; the other members of `header` must be set.
WipedBytes encode_note_slot(Header header, const Note& note);

// True if the payload of a TOKEN, INTENT or VERDICT matches its checksum.
bool payload_is_intact(const Header& header, std::span<const std::byte> record);

// Returns an empty optional if the payload does not match its checksum or is incomplete.
std::optional<TokenSet> decode_token(const Header& header, std::span<const std::byte> record);
// The file that a TOKEN was written to; unknown if an older version wrote it.
storage::FileMark decode_file_mark(const Header& header, std::span<const std::byte> record);
std::optional<Note> decode_note(const Header& header, std::span<const std::byte> slot);

}  // namespace shelfd::oauth
