#include "oauth/journal/journal_look.hpp"

#include "base/regular_file.hpp"
#include "oauth/journal/record.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include <unistd.h>

namespace shelfd::oauth {
namespace {

// The format of any record has the same place in all versions.
constexpr std::size_t format_place = 8;

std::uint16_t format_of(const HeaderBytes& header)
{
    return static_cast<std::uint16_t>(std::to_integer<unsigned>(header[format_place]) |
                                      std::to_integer<unsigned>(header[format_place + 1]) << 8);
}

Result<HeaderBytes> read_header(const FileDescriptor& file, std::size_t slot)
{
    HeaderBytes bytes{};
    const auto got = ::pread(file.get(), bytes.data(), bytes.size(), static_cast<off_t>(slot * slot_size));
    if (got < 0) {
        return Error(ErrorKind::storage, std::strerror(errno));
    }
    return bytes;
}

}  // namespace

Result<JournalLook> look_at_journal(const std::string& path)
{
    auto file = open_regular_file(path);
    if (!file) {
        const bool is_absent = file.error().system_errno == ENOENT || file.error().system_errno == ENOTDIR;
        return is_absent ? Error(ErrorKind::not_found, fmt::format("there is no {}", path))
                         : std::move(file).error().in("cannot open " + path);
    }
    JournalLook look;
    for (std::size_t slot = 0; slot < slot_count; ++slot) {
        SHELFD_TRY_ASSIGN(bytes, read_header(*file, slot));
        const auto read = decode_header(bytes);
        switch (read.reading) {
        case HeaderReading::blank: continue;
        case HeaderReading::unreadable: ++look.unreadable; continue;
        case HeaderReading::newer: ++look.later_records; break;
        case HeaderReading::good:
            ++look.records;
            if (read.header.kind == RecordKind::token) {
                look.generation = std::max(look.generation, read.header.generation);
            }
            slot += width_of(read.header) - 1;
            break;
        }
        look.format = std::max(look.format, format_of(bytes));
    }
    return look;
}

}  // namespace shelfd::oauth
