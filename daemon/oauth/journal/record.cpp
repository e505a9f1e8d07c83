#include "oauth/journal/record.hpp"

#include <algorithm>
#include <cstring>
#include <string_view>

namespace shelfd::oauth {
namespace {

constexpr std::string_view magic = "shelfdTJ";
constexpr std::size_t name_offset = 104;
constexpr std::size_t payload_digest_offset = 160;
constexpr std::size_t header_digest_offset = 192;
constexpr std::byte flag_closed{1};
constexpr std::byte flag_complete{2};

template <typename Number>
void put(std::span<std::byte> bytes, std::size_t at, Number value)
{
    for (std::size_t i = 0; i < sizeof(Number); ++i) {
        bytes[at + i] = static_cast<std::byte>(static_cast<std::uint64_t>(value) >> (8 * i));
    }
}

template <typename Number>
Number get(std::span<const std::byte> bytes, std::size_t at)
{
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < sizeof(Number); ++i) {
        value |= std::to_integer<std::uint64_t>(bytes[at + i]) << (8 * i);
    }
    return static_cast<Number>(value);
}

void put_bytes(std::span<std::byte> into, std::size_t at, std::span<const std::byte> bytes)
{
    std::copy(bytes.begin(), bytes.end(), into.begin() + static_cast<std::ptrdiff_t>(at));
}

template <std::size_t Size>
std::array<std::byte, Size> get_bytes(std::span<const std::byte> from, std::size_t at)
{
    std::array<std::byte, Size> bytes;
    std::copy_n(from.begin() + static_cast<std::ptrdiff_t>(at), Size, bytes.begin());
    return bytes;
}

bool is_known_kind(std::uint8_t kind)
{
    return kind >= static_cast<std::uint8_t>(RecordKind::token) &&
           kind <= static_cast<std::uint8_t>(RecordKind::verdict);
}

bool is_whole(std::span<const std::byte> head)
{
    return get_bytes<32>(head, header_digest_offset) == sha256(head.first(header_digest_offset));
}

Header read_fields(std::span<const std::byte> bytes)
{
    Header header;
    header.kind = static_cast<RecordKind>(get<std::uint8_t>(bytes, 10));
    header.closed = (bytes[11] & flag_closed) != std::byte{0};
    header.complete = (bytes[11] & flag_complete) != std::byte{0};
    header.status = get<std::uint16_t>(bytes, 12);
    header.attempt = get<std::uint32_t>(bytes, 16);
    header.length = get<std::uint32_t>(bytes, 20);
    header.sequence = get<std::uint64_t>(bytes, 24);
    header.generation = get<std::uint64_t>(bytes, 32);
    header.written.wall = Instant::from_micros(get<std::int64_t>(bytes, 40));
    header.written.boot = BootTime::from_micros(get<std::int64_t>(bytes, 48));
    header.written.boot_id = get_bytes<16>(bytes, 56);
    header.installation = get_bytes<16>(bytes, 72);
    header.machine = get_bytes<16>(bytes, 88);
    const auto name_length = std::min<std::size_t>(get<std::uint8_t>(bytes, 14), max_library_name);
    for (const auto byte : bytes.subspan(name_offset, name_length)) {
        header.library += static_cast<char>(byte);
    }
    header.payload_digest = get_bytes<32>(bytes, payload_digest_offset);
    return header;
}

}  // namespace

std::size_t width_of(const Header& header)
{
    const auto is_wide = header.kind == RecordKind::token && header.length > payload_capacity;
    return header.kind == RecordKind::raw || is_wide ? 2 : 1;
}

HeaderBytes encode_header(const Header& header)
{
    HeaderBytes bytes{};
    const std::span all(bytes);
    put_bytes(all, 0, std::as_bytes(std::span(magic.data(), magic.size())));
    put(all, 8, format_version);
    put(all, 10, static_cast<std::uint8_t>(header.kind));
    bytes[11] = (header.closed ? flag_closed : std::byte{0}) | (header.complete ? flag_complete : std::byte{0});
    put(all, 12, header.status);
    const auto name = std::string_view(header.library).substr(0, max_library_name);
    put(all, 14, static_cast<std::uint8_t>(name.size()));
    put(all, 16, header.attempt);
    put(all, 20, header.length);
    put(all, 24, header.sequence);
    put(all, 32, header.generation);
    put(all, 40, header.written.wall.micros());
    put(all, 48, header.written.boot.micros());
    put_bytes(all, 56, header.written.boot_id);
    put_bytes(all, 72, header.installation);
    put_bytes(all, 88, header.machine);
    put_bytes(all, name_offset, std::as_bytes(std::span(name.data(), name.size())));
    put_bytes(all, payload_digest_offset, header.payload_digest);
    put_bytes(all, header_digest_offset, sha256(all.first(header_digest_offset)));
    return bytes;
}

ReadHeader decode_header(std::span<const std::byte> bytes)
{
    if (bytes.size() < header_size) {
        return {};
    }
    const auto head = bytes.first(header_size);
    if (std::all_of(head.begin(), head.end(), [](std::byte byte) { return byte == std::byte{0}; })) {
        return {HeaderReading::blank, {}};
    }
    if (std::memcmp(head.data(), magic.data(), magic.size()) != 0) {
        return {};
    }
    // A damaged version byte may also look like a later version. The checksum, which has the same place in all
    // versions, distinguishes the two.
    if (!is_whole(head)) {
        return {};
    }
    const auto version = get<std::uint16_t>(head, 8);
    if (version > format_version) {
        return {HeaderReading::newer, {}};
    }
    if (version != format_version || !is_known_kind(get<std::uint8_t>(head, 10))) {
        return {};
    }
    return {HeaderReading::good, read_fields(head)};
}

WipedBytes::~WipedBytes()
{
    if (!bytes_.empty()) {
        explicit_bzero(bytes_.data(), bytes_.size());
    }
}

}  // namespace shelfd::oauth
