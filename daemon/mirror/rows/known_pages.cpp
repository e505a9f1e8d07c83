#include "mirror/rows/known_pages.hpp"

#include "mirror/file/schema.hpp"
#include "mirror/json/decoding_version.hpp"
#include "mirror/values/names.hpp"
#include "storage/query.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>

namespace shelfd::mirror {
namespace {

// Part of every digest; raised when records or the reading of pages change.
constexpr std::uint64_t record_version = 2;
constexpr std::size_t many_pages = 64;
constexpr std::size_t hash_size = sizeof(ContentHash);

std::uint64_t form_of(const std::vector<std::string>& key, const std::vector<std::string>& exclude)
{
    std::string text = fmt::format("{} {}", decoding_version, key.size());
    for (const auto* names : {&key, &exclude}) {
        for (const auto& name : *names) {
            text += fmt::format(" {} {}", name.size(), name);
        }
    }
    return content_hash(text, record_version).first;
}

void put(std::string& record, const ContentHash& hash)
{
    const auto bytes = hash.bytes();
    record.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

// Seven bits a byte, the lowest first.
void put(std::string& record, std::uint64_t number)
{
    for (; number >= 0x80; number >>= 7U) {
        record += static_cast<char>(number | 0x80U);
    }
    record += static_cast<char>(number);
}

// Returns false at the end of the record.
bool take(std::span<const std::byte>& record, std::uint64_t& number)
{
    number = 0;
    for (unsigned shift = 0; shift < 64 && !record.empty(); shift += 7) {
        const auto byte = std::to_integer<std::uint64_t>(record.front());
        record = record.subspan(1);
        number |= (byte & 0x7fU) << shift;
        if (byte < 0x80) {
            return true;
        }
    }
    return false;
}

std::size_t count_numbers(std::span<const std::byte> record)
{
    const auto is_last = [](std::byte one) { return std::to_integer<unsigned>(one) < 0x80; };
    return static_cast<std::size_t>(std::count_if(record.begin(), record.end(), is_last));
}

// Neighbouring keys differ little, in either direction.
std::uint64_t folded(std::uint64_t difference)
{
    return (difference << 1U) ^ (difference >> 63U ? ~std::uint64_t{0} : 0);
}

std::uint64_t unfolded(std::uint64_t number)
{
    return (number >> 1U) ^ (number & 1U ? ~std::uint64_t{0} : 0);
}

}  // namespace

std::string pages_name(std::string_view resource)
{
    return "_pages_" + std::string(resource);
}

KnownPages::KnownPages(storage::Database& database, const std::string& resource, const std::vector<std::string>& key,
                       const std::vector<std::string>& exclude)
    : database_(database), resource_(resource), name_(identifier(pages_name(resource))), form_(form_of(key, exclude))
{
}

Result<bool> KnownPages::is_there()
{
    if (!is_there_) {
        SHELFD_TRY_ASSIGN(there, has_table(database_, pages_name(resource_)));
        is_there_ = there;
    }
    return *is_there_;
}

ContentHash KnownPages::hashes_of(const Page& page)
{
    std::string all;
    all.reserve(page.items.size() * hash_size);
    for (const auto& item : page.items) {
        put(all, item.hash);
    }
    return content_hash(all, record_version);
}

Result<std::optional<KnownPages::Known>> KnownPages::find(std::uint64_t place, std::string_view results)
{
    digest_ = page_hash(results, form_);
    std::optional<Known> known;
    SHELFD_TRY_ASSIGN(there, is_there());
    if (!there) {
        return known;
    }
    if (!find_) {
        SHELFD_TRY_ASSIGN(made, database_.prepare(fmt::format("SELECT record FROM {} WHERE place = ?", name_)));
        find_.emplace(std::move(made));
    }
    storage::Statement& row = *find_;
    row.bind(1, static_cast<std::int64_t>(place));
    SHELFD_TRY_ASSIGN(found, row.step());
    auto record = found ? row.blob(0) : std::span<const std::byte>();
    if (record.size() > 2 * hash_size && ContentHash::from_bytes(record.first(hash_size)) == digest_) {
        known.emplace();
        known->hashes = ContentHash::from_bytes(record.subspan(hash_size, hash_size));
        record = record.subspan(2 * hash_size);
        bool is_whole = take(record, known->bytes);
        known->page.items.reserve(count_numbers(record));
        std::uint64_t key = 0;
        for (std::uint64_t step = 0; is_whole && !record.empty();) {
            is_whole = take(record, step);
            key += unfolded(step);
            known->page.items.emplace_back().key.first.integer = std::bit_cast<std::int64_t>(key);
        }
        known = is_whole ? std::move(known) : std::nullopt;
    }
    row.reset();
    if (known) {
        PageReader::sort(known->page);
    }
    return known;
}

void KnownPages::learn(std::uint64_t place, const Page& page, std::uint64_t bytes)
{
    const auto is_plain = [](const PageItem& item) { return item.key.is_integer(); };
    if (page.items.empty() || !std::all_of(page.items.begin(), page.items.end(), is_plain)) {
        return;
    }
    std::string record;
    put(record, digest_);
    put(record, hashes_of(page));
    put(record, bytes);
    std::uint64_t before = 0;
    for (const auto& item : page.items) {
        const auto key = std::bit_cast<std::uint64_t>(item.key.first.integer);
        put(record, folded(key - before));
        before = key;
    }
    learned_.begin_row(2);
    learned_.set(0, static_cast<std::int64_t>(place));
    learned_.set_blob(1, std::as_bytes(std::span(record)));
}

Result<void> KnownPages::write_many()
{
    return learned_.size() < many_pages ? Result<void>() : write();
}

Result<void> KnownPages::write()
{
    SHELFD_TRY_ASSIGN(there, is_there());
    SHELFD_TRY_ASSIGN(transaction, storage::Transaction::begin(database_));
    if (!there) {
        SHELFD_TRY(database_.execute(
            fmt::format("CREATE TABLE IF NOT EXISTS {} (place INTEGER PRIMARY KEY, record BLOB NOT NULL)", name_)));
    }
    SHELFD_TRY_ASSIGN(source, database_.row_source(2));
    SHELFD_TRY_ASSIGN(
        insert, database_.prepare(fmt::format("INSERT OR REPLACE INTO {} SELECT c0, c1 FROM {}(?)", name_, source)));
    SHELFD_TRY(insert.bind_rows(1, learned_).run());
    SHELFD_TRY(transaction.commit());
    is_there_ = true;
    learned_.release();
    return {};
}

Result<void> KnownPages::end(std::uint64_t pages)
{
    if (learned_.size() > 0) {
        SHELFD_TRY(write());
    }
    SHELFD_TRY_ASSIGN(there, is_there());
    if (!there) {
        return {};
    }
    SHELFD_TRY_ASSIGN(last,
                      storage::read_number(database_, fmt::format("SELECT ifnull(max(place), 0) FROM {}", name_)));
    return last < static_cast<std::int64_t>(pages)
               ? Result<void>()
               : storage::run(database_, fmt::format("DELETE FROM {} WHERE place >= ?", name_), pages);
}

}  // namespace shelfd::mirror
