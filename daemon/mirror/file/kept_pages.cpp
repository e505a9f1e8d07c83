#include "mirror/file/kept_pages.hpp"

#include "base/regular_file.hpp"
#include "mirror/file/paths.hpp"
#include "mirror/json/content_hash.hpp"
#include "storage/filesystem.hpp"
#include "storage/opening.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <vector>

namespace shelfd::mirror {
namespace {

// Precedes each entry: length and hash, so that a cut entry is detected.
struct EntryHeader {
    std::uint64_t length = 0;
    std::uint64_t hash = 0;
};

constexpr std::uint64_t max_entry = std::uint64_t{1} << 31;
constexpr std::size_t max_number = 20;  // with its end mark; each page is longer
constexpr std::string_view format = "shelfd pages 1";

std::uint64_t hash_of(std::string_view text)
{
    return content_hash(text, 4).first;
}

// Removes and returns the first line.
std::string take_line(std::string_view& text)
{
    const auto end = std::min(text.find('\n'), text.size());
    std::string line(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    return line;
}

std::int64_t number(std::string_view text)
{
    std::int64_t value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
}

// Limited to years that dates can have, so that sums and differences do not overflow; other values become 0.
Instant instant_in(std::string_view text)
{
    constexpr std::int64_t end_of_year_9999 = 253'402'300'800'000'000;
    const auto micros = number(text);
    return Instant::from_micros(micros > 0 && micros < end_of_year_9999 ? micros : 0);
}

bool read_all(int descriptor, char* into, std::size_t size, std::int64_t place)
{
    while (size > 0) {
        const auto got = ::pread(descriptor, into, size, place);
        if (got == 0 || (got < 0 && errno != EINTR)) {
            return false;
        }
        into += std::max<ssize_t>(got, 0);
        size -= static_cast<std::size_t>(std::max<ssize_t>(got, 0));
        place += std::max<ssize_t>(got, 0);
    }
    return true;
}

}  // namespace

KeptPages::KeptPages(std::string file, FileDescriptor descriptor)
    : file_(std::move(file)), descriptor_(std::move(descriptor))
{
}

Result<std::unique_ptr<KeptPages>> KeptPages::begin(const std::string& file, const RecordedWalk& walk)
{
    auto made = open_regular_file(file, O_RDWR | O_CREAT | O_TRUNC | O_NOFOLLOW, 0600);
    if (!made) {
        return storage::cannot_open(file, made.error());
    }
    std::unique_ptr<KeptPages> record(new KeptPages(file, std::move(*made)));
    record->walk_ = walk;
    const auto header = fmt::format("{}\n{}\n{}\n{}", format, walk.plan, walk.as_of.micros(), walk.token_generation);
    if (auto written = record->write_entry(header); !written) {
        record->remove();
        return std::move(written).error();
    }
    return record;
}

std::unique_ptr<KeptPages> KeptPages::resume(const std::string& file, const std::string& plan, Instant now)
{
    auto there = open_regular_file(file, O_RDWR | O_NOFOLLOW);
    if (!there) {
        return nullptr;
    }
    std::unique_ptr<KeptPages> record(new KeptPages(file, std::move(*there)));
    const auto is_ours = record->read_header();
    const auto first_page = record->place_;
    Instant newest;
    while (const auto page = record->next()) {
        newest = page->at;
        ++record->pages_;
    }
    if (!is_ours || !record->is_worth(plan, newest, now)) {
        record->remove();
        return nullptr;
    }
    record->place_ = first_page;
    return record;
}

bool KeptPages::is_worth(const std::string& plan, Instant newest, Instant now) const
{
    return walk_.plan == plan && pages_ > 0 && newest >= now - max_age && newest <= now + max_age;
}

std::optional<RecordedWalk> KeptPages::look_at(const std::string& file, const std::string& plan, Instant now)
{
    auto there = open_regular_file(file, O_RDONLY | O_NOFOLLOW);
    if (!there) {
        return std::nullopt;
    }
    KeptPages record(file, std::move(*there));
    if (!record.read_header()) {
        return std::nullopt;
    }
    Instant newest;
    while (const auto at = record.skip_page()) {
        newest = *at;
        ++record.pages_;
    }
    return record.is_worth(plan, newest, now) ? std::optional(record.walk_) : std::nullopt;
}

// Returns when it arrived.
std::optional<Instant> KeptPages::skip_page()
{
    EntryHeader header;
    std::array<char, sizeof header> bytes{};
    if (!read_all(descriptor_.get(), bytes.data(), bytes.size(), place_)) {
        return std::nullopt;
    }
    std::memcpy(&header, bytes.data(), sizeof header);
    const auto begin = place_ + static_cast<std::int64_t>(sizeof header);
    const auto end = begin + static_cast<std::int64_t>(std::min(header.length, max_entry));
    std::array<char, max_number> text{};
    if (header.length < text.size() || end > ::lseek(descriptor_.get(), 0, SEEK_END) ||
        !read_all(descriptor_.get(), text.data(), text.size(), begin)) {
        return std::nullopt;
    }
    place_ = end;
    return instant_in({text.data(), text.size()});
}

bool KeptPages::read_header()
{
    const auto header = read_entry();
    std::string_view rest = header ? std::string_view(*header) : std::string_view();
    const auto is_ours = take_line(rest) == format;
    walk_.plan = take_line(rest);
    walk_.as_of = instant_in(take_line(rest));
    walk_.token_generation = static_cast<std::uint64_t>(number(take_line(rest)));
    return is_ours;
}

std::optional<RecordedPage> KeptPages::next()
{
    const auto begin = place_;
    const auto entry = read_entry();
    if (!entry || entry->size() < max_number) {
        place_ = begin;  // entries appended after one that is not a page would never be read
        return std::nullopt;
    }
    std::string_view rest = *entry;
    RecordedPage page;
    page.at = instant_in(rest.substr(0, max_number));  // as in skip_page
    take_line(rest);
    page.query = take_line(rest);
    page.frame = take_line(rest);
    page.results = rest;
    return page;
}

Result<void> KeptPages::append(const RecordedPage& page)
{
    return write_entry(fmt::format("{}\n{}\n{}\n{}", page.at.micros(), page.query, page.frame, page.results));
}

void KeptPages::remove()
{
    ::unlink(file_.c_str());
}

std::optional<std::string> KeptPages::read_entry()
{
    std::array<char, sizeof(EntryHeader)> bytes{};
    EntryHeader header;
    if (!read_all(descriptor_.get(), bytes.data(), bytes.size(), place_)) {
        return std::nullopt;
    }
    std::memcpy(&header, bytes.data(), sizeof header);
    const auto end = ::lseek(descriptor_.get(), 0, SEEK_END);
    const auto begin = place_ + static_cast<std::int64_t>(sizeof header);
    if (header.length > max_entry || begin + static_cast<std::int64_t>(header.length) > end) {
        return std::nullopt;
    }
    std::string text(header.length, '\0');
    if (!read_all(descriptor_.get(), text.data(), text.size(), begin) || hash_of(text) != header.hash) {
        return std::nullopt;
    }
    place_ = begin + static_cast<std::int64_t>(header.length);
    return text;
}

// Truncates first: old bytes after the entry would be read as an entry of this walk.
Result<void> KeptPages::write_entry(std::string_view text)
{
    const EntryHeader header{text.size(), hash_of(text)};
    std::array<char, sizeof(EntryHeader)> bytes{};
    std::memcpy(bytes.data(), &header, sizeof header);
    const auto behind = place_ + static_cast<std::int64_t>(sizeof header);
    if (::ftruncate(descriptor_.get(), place_) != 0 ||
        !write_all(descriptor_, {bytes.data(), bytes.size()}, static_cast<std::uint64_t>(place_)) ||
        !write_all(descriptor_, text, static_cast<std::uint64_t>(behind))) {
        return storage::errno_error("cannot write " + file_, errno);
    }
    place_ = behind + static_cast<std::int64_t>(text.size());
    return {};
}

std::string page_record_name(const std::string& mirror_file, const std::string& resource)
{
    return fmt::format("{}.walk-{}", mirror_file, resource);
}

Result<void> remove_page_records(const std::string& mirror_file, const std::set<std::string>& but)
{
    const auto prefix = std::filesystem::path(page_record_name(mirror_file, "")).filename().string();
    return remove_beside(mirror_file, [&](const std::string& name) {
        return name.starts_with(prefix) && !but.contains(name.substr(prefix.size()));
    });
}

}  // namespace shelfd::mirror
