// Fields of a record's payload: tag u16, length u32, bytes. Readers skip unknown tags, so that a later minor version
// may add some.
#pragma once

#include "oauth/journal/record.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>

namespace shelfd::oauth {

// Stored: a new tag is added at the end of its row, and no value is reused.
enum class Tag : std::uint16_t {
    access = 1,
    refresh,
    token_type,
    scope,
    issued_wall,
    issued_boot,
    issued_boot_id,
    lifetime,
    origin,
    keep,
    service,
    client_id,
    library_id,
    rotates,
    old_token_dies,
    canary_refuses,
    grace,
    day_start,
    day_count,
    hurried,
    moved_at,
    moved_to,
    canary,
    file_inode,
    file_birth,
    file_generation,
    file_system,
    from_login,
    remark_at,
    remark,
    standing = 64,
    earlier_doubt,
    access_was_alive,
    committed,
    replays,
    server_errors,
    since,
    first_sent_wall,
    first_sent_boot,
    first_sent_boot_id,
    last_sent_wall,
    last_sent_boot,
    last_sent_boot_id,
    reason,
    code_sent_wall,
    code_sent_boot,
    code_sent_boot_id,
    code_service,
    code_client_id,
    told_to_wait_wall,
    told_to_wait_boot,
    told_to_wait_boot_id,
};

constexpr std::size_t field_header = 6;

class FieldWriter {
public:
    explicit FieldWriter(std::span<std::byte> into) : into_(into) {}

    void bytes(Tag tag, std::span<const std::byte> value)
    {
        if (used_ + field_header + value.size() > into_.size()) {
            fits_ = false;
            return;
        }
        little(static_cast<std::uint64_t>(tag), 2);
        little(value.size(), 4);
        std::copy(value.begin(), value.end(), into_.begin() + static_cast<std::ptrdiff_t>(used_));
        used_ += value.size();
    }
    void text(Tag tag, std::string_view value) { bytes(tag, std::as_bytes(std::span(value.data(), value.size()))); }
    void number(Tag tag, std::int64_t value)
    {
        std::array<std::byte, 8> raw;
        for (std::size_t i = 0; i < raw.size(); ++i) {
            raw[i] = static_cast<std::byte>(static_cast<std::uint64_t>(value) >> (8 * i));
        }
        bytes(tag, raw);
    }
    void fact(Tag tag, std::optional<bool> value)
    {
        if (value) {
            number(tag, *value ? 1 : 0);
        }
    }
    void moment(Tag wall, Tag boot, Tag boot_id, const Moment& value)
    {
        number(wall, value.wall.micros());
        number(boot, value.boot.micros());
        bytes(boot_id, value.boot_id);
    }

    bool fits() const { return fits_; }
    std::size_t used() const { return used_; }

private:
    void little(std::uint64_t value, std::size_t size)
    {
        for (std::size_t i = 0; i < size; ++i) {
            into_[used_++] = static_cast<std::byte>(value >> (8 * i));
        }
    }

    std::span<std::byte> into_;
    std::size_t used_ = 0;
    bool fits_ = true;
};

struct Field {
    Tag tag;
    std::span<const std::byte> bytes;

    std::string text() const
    {
        std::string value(bytes.size(), '\0');
        std::memcpy(value.data(), bytes.data(), bytes.size());
        return value;
    }
    std::int64_t number() const
    {
        std::uint64_t value = 0;
        for (std::size_t i = 0; i < std::min<std::size_t>(bytes.size(), 8); ++i) {
            value |= std::to_integer<std::uint64_t>(bytes[i]) << (8 * i);
        }
        return static_cast<std::int64_t>(value);
    }
    bool flag() const { return number() != 0; }
    std::uint32_t count() const { return static_cast<std::uint32_t>(number()); }
    Instant instant() const { return Instant::from_micros(number()); }
    BootTime boot_time() const { return BootTime::from_micros(number()); }
    Id id() const
    {
        Id value{};
        std::copy_n(bytes.begin(), std::min(bytes.size(), value.size()), value.begin());
        return value;
    }
};

// Calls `take` for each field. Returns false if the list is malformed.
template <typename Take>
bool for_each_field(std::span<const std::byte> payload, Take take)
{
    while (!payload.empty()) {
        if (payload.size() < field_header) {
            return false;
        }
        const auto little = [payload](std::size_t at, std::size_t size) {
            std::size_t value = 0;
            for (std::size_t i = 0; i < size; ++i) {
                value |= std::to_integer<std::size_t>(payload[at + i]) << (8 * i);
            }
            return value;
        };
        const auto tag = static_cast<Tag>(little(0, 2));
        const auto length = little(2, 4);
        if (payload.size() - field_header < length) {
            return false;
        }
        take(Field{tag, payload.subspan(field_header, length)});
        payload = payload.subspan(field_header + length);
    }
    return true;
}

}  // namespace shelfd::oauth
