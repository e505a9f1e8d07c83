// The journal's bytes: slots, headers, and the payloads of TOKEN, INTENT and VERDICT. One format for a major version.
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

// A journal is 16 slots of 8 KiB. A record begins with a header of 256 bytes, all numbers little-endian:
// In every version to come a header has the magic at 0, the version at 8, the length of the payload at 20, its SHA-256
// at 160, and the SHA-256 of bytes 0 to 191 at 192: so a slot of a later version is told from a damaged one of ours.
//   0 magic "shelfdTJ"   8 version u16   10 kind u8   11 flags u8   12 status u16   14 name length u8   16 attempt u32
//   20 length u32   24 sequence u64   32 generation u64   40 wall µs i64   48 boot µs i64   56 boot id   72
//   installation id 88 machine id   104 name of the library, 48 bytes, zero-padded   160 SHA-256 of the payload   192
//   SHA-256 of 0…191
// The payload of TOKEN, INTENT and VERDICT follows the header, in the same slot; a TOKEN of more than that takes two
// neighbouring slots. RAW always takes two: its open header at 0, the bytes of the answer from 512 on, and in the last
// 512 bytes the closing header, so that closing it never rewrites a sector that holds the open one.
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
    token = 1,    // a set, good from here on
    intent = 2,   // a refresh token is about to be sent
    raw = 3,      // the answer's bytes, as they came
    verdict = 4,  // what became of an attempt
};

struct Header {
    RecordKind kind = RecordKind::token;
    bool closed = false;       // RAW: the closing header
    bool complete = false;     // RAW closed: HTTP says that the body is whole
    std::uint16_t status = 0;  // RAW closed: HTTP status, 0 = none arrived
    std::uint32_t attempt = 0;
    std::uint32_t length = 0;
    std::uint64_t sequence = 0;  // grows with every record of the pair; the same record has the same one in both copies
    std::uint64_t generation = 0;
    Moment written;
    Id installation{};
    Id machine{};
    std::string library;
    Digest payload_digest{};
};

// How many slots the record takes that begins with it.
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

// Bytes that held secrets are wiped when they go.
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

// One slot, two where one does not do, and without the scope and the mark where two do not. nothing when the set does
// not fit even then, which takes tokens of more than 15 KiB together. `header` gets what only the payload can tell.
// `file`: the journal that the record is for.
std::optional<WipedBytes> encode_token(Header& header, const TokenSet& set, const storage::FileMark& file);
// `header` holds what payload and checksums do not; its kind is intent or verdict.
WipedBytes encode_note_slot(Header header, const Note& note);

// Whether the payload behind the header of a TOKEN, INTENT or VERDICT is what its checksum says.
bool payload_is_intact(const Header& header, std::span<const std::byte> record);

// nothing when the payload is not what its header's checksum says, or not complete.
std::optional<TokenSet> decode_token(const Header& header, std::span<const std::byte> record);
// The file that a TOKEN was written to; not known where an older version wrote it.
storage::FileMark decode_file_mark(const Header& header, std::span<const std::byte> record);
std::optional<Note> decode_note(const Header& header, std::span<const std::byte> slot);

}  // namespace shelfd::oauth
