// One copy of the token journal, with any bytes in its slots. The input is a list of pieces: slot, length (two bytes,
// little-endian), bytes from the slot's beginning on. The first byte says what is mended: 1 the checksums of payloads,
// 2 those of headers, so that what stands behind a checksum is reached, too.
#include "oauth/journal/journal.hpp"
#include "base/sha256.hpp"
#include "fuzz/input.hpp"

#include <algorithm>
#include <memory>
#include <span>

using namespace shelfd;
using namespace shelfd::oauth;
using fuzz::promise;

namespace {

class MemoryFile final : public storage::JournalFile {
public:
    explicit MemoryFile(std::vector<std::byte>& bytes) : bytes_(bytes) {}

    Result<void> pwrite(std::uint64_t offset, std::span<const std::byte> bytes) override
    {
        promise(offset + bytes.size() <= bytes_.size(), "nothing is written behind the end");
        std::copy(bytes.begin(), bytes.end(), bytes_.begin() + static_cast<std::ptrdiff_t>(offset));
        return {};
    }
    Result<void> sync() override { return {}; }
    Result<void> check_place() override { return {}; }
    Result<void> read(std::uint64_t offset, std::span<std::byte> bytes) override
    {
        promise(offset + bytes.size() <= bytes_.size(), "nothing is read behind the end");
        std::copy_n(bytes_.begin() + static_cast<std::ptrdiff_t>(offset), bytes.size(), bytes.begin());
        return {};
    }
    storage::FileMark mark() const override { return {}; }

private:
    std::vector<std::byte>& bytes_;
};

constexpr std::size_t length_place = 20;
constexpr std::size_t payload_digest_place = 160;
constexpr std::size_t header_digest_place = 192;

void put(std::span<std::byte> at, const Digest& digest)
{
    std::copy(digest.begin(), digest.end(), at.begin());
}

void mend(std::span<std::byte> journal, std::size_t place, unsigned what)
{
    const auto record = journal.subspan(place);
    if ((what & 1) != 0) {
        std::size_t length = 0;
        for (std::size_t i = 0; i < 4; ++i) {
            length |= std::to_integer<std::size_t>(record[length_place + i]) << (8 * i);
        }
        // No record is longer, and a longer one would be most of the time of a run.
        const auto payload = record.subspan(header_size, std::min(record.size(), 2 * slot_size) - header_size);
        if (length <= payload.size()) {
            put(record.subspan(payload_digest_place), sha256(payload.first(length)));
        }
    }
    if ((what & 2) != 0) {
        put(record.subspan(header_digest_place), sha256(record.first(header_digest_place)));
    }
}

std::vector<std::byte> journal_from(std::span<const std::byte> input)
{
    std::vector<std::byte> bytes(journal_size);
    const auto what = std::to_integer<unsigned>(input.front());
    input = input.subspan(1);
    while (input.size() >= 3) {
        const auto slot = std::to_integer<std::size_t>(input[0]) % slot_count;
        const auto wanted = std::to_integer<std::size_t>(input[1]) | std::to_integer<std::size_t>(input[2]) << 8;
        const auto piece = input.subspan(3, std::min({wanted, input.size() - 3, journal_size - slot * slot_size}));
        std::copy(piece.begin(), piece.end(), bytes.begin() + static_cast<std::ptrdiff_t>(slot * slot_size));
        mend(bytes, slot * slot_size, what);
        input = input.subspan(3 + piece.size());
    }
    return bytes;
}

void check_set(const Found<TokenSet>& found)
{
    auto header = found.header;
    const auto encoded = encode_token(header, found.value, {});
    if (!encoded) {
        return;  // a set that was put together from two slots may be too long for them
    }
    const auto again = decode_token(header, encoded->span());
    promise(again && again->access.equals(found.value.access) && again->refresh.equals(found.value.refresh) &&
                again->lifetime == found.value.lifetime && again->service == found.value.service &&
                again->library_id == found.value.library_id && again->origin == found.value.origin,
            "a set that was read is written and read as the same");
}

// What must hold whatever the disk holds: the next set finds a place and is found there.
void check_next(Journal& journal, std::uint64_t last)
{
    TokenSet set;
    set.generation = 7;
    set.access = Secret("next-access");
    set.refresh = Secret("next-refresh");
    Header header;
    header.kind = RecordKind::token;
    header.library = "antwerp";
    header.sequence = last + 1;
    header.generation = set.generation;
    const auto record = encode_token(header, set, {});
    promise(record.has_value(), "a short set fits");
    promise(journal.write(record->span(), header).has_value(), "it finds a place");
    const auto found = journal.scan();
    promise(found && found->set && found->set->header.sequence == last + 1 &&
                found->set->value.refresh.equals(set.refresh),
            "it is the newest set from then on");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    if (size == 0) {
        return 0;
    }
    auto bytes = journal_from(std::as_bytes(std::span(data, size)));
    Journal journal(
        [&bytes] { return Result<std::unique_ptr<storage::JournalFile>>(std::make_unique<MemoryFile>(bytes)); },
        "antwerp");
    const auto findings = journal.open();
    promise(findings.has_value(), "a journal that can be read is read, whatever it holds");
    if (findings->set) {
        check_set(*findings->set);
    }
    if (findings->kept) {
        check_set(*findings->kept);
    }
    promise(!findings->raw || !findings->raw->value.complete ||
                findings->raw->value.body.reveal().size() <= raw_capacity,
            "an answer is no longer than its place");
    const bool may_write = !findings->newer_version && findings->other_library.empty();
    if (may_write && findings->last_sequence < UINT64_MAX) {
        check_next(journal, findings->last_sequence);
    }
    return 0;
}
