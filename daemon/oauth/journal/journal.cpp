#include "oauth/journal/journal.hpp"

#include <algorithm>
#include <cstring>
#include <tuple>

namespace shelfd::oauth {
namespace {

template <typename Value>
void keep_newest(std::optional<Found<Value>>& best, const Header& header, std::optional<Value> value)
{
    if (value && (!best || best->header.sequence < header.sequence)) {
        best = Found<Value>{header, std::move(*value)};
    }
}

std::string text_of(std::span<const std::byte> bytes)
{
    std::string text;
    text.reserve(bytes.size());
    for (const auto byte : bytes) {
        text += static_cast<char>(byte);
    }
    return text;
}

// A closed record is valid if its checksum matches. In an open one, or one of which some sectors did not reach the
// disk, all bytes before the first zero are certain: the slots were zeroed and synced before the request was sent.
std::optional<RawAnswer> decode_raw(const Header& open, std::span<const std::byte> record)
{
    const auto data = record.subspan(raw_data_offset, raw_capacity);
    const auto closing = decode_header(record.subspan(raw_closing_offset, header_size));
    RawAnswer answer;
    const auto& end = closing.header;
    const auto closed = closing.reading == HeaderReading::good && end.closed && end.sequence == open.sequence &&
                        end.generation == open.generation && end.attempt == open.attempt;
    if (closed) {
        answer.status = end.status;
        const auto stored = data.first(std::min<std::size_t>(end.length, raw_capacity));
        if (sha256(stored) == end.payload_digest) {
            answer.complete = end.complete && end.length <= raw_capacity;
            answer.body = Secret(text_of(stored));
            return answer;
        }
    }
    const auto zero = std::find(data.begin(), data.end(), std::byte{0});
    answer.body = Secret(text_of(data.first(static_cast<std::size_t>(zero - data.begin()))));
    return answer;
}

}  // namespace

Result<Findings> Journal::open()
{
    file_.reset();  // before: it may be the same file, which is open only once
    auto file = opener_();
    if (!file) {
        trouble_ = file.error().text();
        return file.error();
    }
    file_ = std::move(*file);
    mark_ = file_->mark();
    former_ = names_.former ? names_.former() : std::vector<std::string>();
    return scan();
}

Result<Findings> Journal::scan()
{
    if (!good()) {
        return Error(ErrorKind::storage, trouble_);
    }
    WipedBytes bytes(journal_size);
    if (auto done = file_->read(0, bytes.span()); !done) {
        return failed(std::move(done).error());
    }
    trouble_.clear();
    Findings findings;
    index(bytes.span(), findings);
    read_records(bytes.span(), findings);
    return findings;
}

Result<void> Journal::check_place()
{
    if (!good()) {
        return Error(ErrorKind::storage, trouble_);
    }
    auto placed = file_->check_place();
    return placed ? placed : failed(std::move(placed).error());
}

void Journal::give_up(std::string trouble)
{
    [[maybe_unused]] const auto error = failed(Error(ErrorKind::storage, std::move(trouble)));
}

void Journal::index(std::span<const std::byte> bytes, Findings& findings)
{
    slots_ = {};
    for (std::size_t i = 0; i < slot_count; ++i) {
        if (i > 0 && begins_wide_token(i - 1)) {
            slots_[i] = second_half_of(slots_[i - 1]);
            continue;
        }
        const auto slot = bytes.subspan(i * slot_size, slot_size);
        const auto read = decode_header(slot);
        // Each byte is that before it, and the first one is zero.
        const auto blank = read.reading == HeaderReading::blank && slot.front() == std::byte{0} &&
                           std::memcmp(slot.data(), slot.data() + 1, slot.size() - 1) == 0;
        const auto fits = i + width_of(read.header) <= slot_count;
        const auto good =
            read.reading == HeaderReading::good && fits && !read.header.closed &&
            (read.header.kind == RecordKind::raw ||
             payload_is_intact(read.header, bytes.subspan(i * slot_size, slot_size * width_of(read.header))));
        if (good) {
            findings.last_sequence = std::max(findings.last_sequence, read.header.sequence);
            if (!is_name_of_ours(read.header.library)) {
                findings.other_library = read.header.library;
            }
            slots_[i] = slot_of(Content::record, read.header);
            slots_[i].is_at_home = is_at_home(decode_file_mark(read.header, bytes.subspan(i * slot_size)));
        } else if (i > 0 && slots_[i - 1].content == Content::record && slots_[i - 1].width == 2) {
            slots_[i] = second_half_of(slots_[i - 1]);
        } else if (!blank) {
            slots_[i] = slot_of(Content::unreadable, read.header);
            findings.newer_version = findings.newer_version || read.reading == HeaderReading::newer;
            ++findings.unreadable;
        }
    }
    findings.unreadable -= forget_remains();
}

bool Journal::is_at_home(const storage::FileMark& written_to) const
{
    return storage::is_known(written_to) && storage::may_be_same(written_to, mark_);
}

bool Journal::is_name_of_ours(const std::string& name) const
{
    return name == names_.present || std::find(former_.begin(), former_.end(), name) != former_.end();
}

// A record may exist several times: written by an older version, copied from elsewhere, and written here since. The one
// with a mark of this file ranks first, one without a mark last.
void Journal::keep_newest_set(Findings& findings, const Header& header, std::span<const std::byte> record) const
{
    auto set = decode_token(header, record);
    if (!set) {
        return;
    }
    const auto file = decode_file_mark(header, record);
    const auto rank = [this](const Header& head, const storage::FileMark& mark) {
        return std::tuple(head.sequence, is_at_home(mark), storage::is_known(mark));
    };
    if (!findings.set || rank(findings.set->header, findings.set_file) < rank(header, file)) {
        findings.set = Found<TokenSet>{header, std::move(*set)};
        findings.set_file = file;
    }
}

void Journal::read_records(std::span<const std::byte> bytes, Findings& findings) const
{
    const auto each = [&](auto take) {
        for (std::size_t i = 0; i < slot_count; ++i) {
            if (slots_[i].content == Content::record) {
                const auto record = bytes.subspan(i * slot_size, slot_size * slots_[i].width);
                take(decode_header(record).header, record);
            }
        }
    };
    each([&](const Header& header, std::span<const std::byte> record) { keep_newest_set(findings, header, record); });
    const auto& file = findings.set_file;
    findings.is_elsewhere = storage::is_known(file) && !storage::may_be_same(file, mark_);
    const auto behind = findings.set ? findings.set->header.sequence : 0;
    const auto kept = findings.set ? findings.set->value.keep : 0;
    each([&](const Header& header, std::span<const std::byte> record) {
        if (header.kind == RecordKind::token && kept != 0 && header.generation == kept) {
            keep_newest(findings.kept, header, decode_token(header, record));
        } else if (header.kind == RecordKind::raw && header.sequence > behind) {
            keep_newest(findings.raw, header, decode_raw(header, record));
        } else if (header.sequence > behind) {
            keep_newest(findings.note, header, decode_note(header, record));
        }
    });
}

Result<void> Journal::write(std::span<const std::byte> record, const Header& header)
{
    const auto width = width_of(header);
    const auto place = cheapest(width);
    for (std::size_t i = 0; i < width; ++i) {
        slots_[place + i].content = Content::unreadable;
    }
    failed_.set(place);
    SHELFD_TRY(put(place * slot_size, record));
    SHELFD_TRY(sync());
    failed_.reset(place);
    occupy(place, header);
    return {};
}

Result<void> Journal::wipe_all_but_newest()
{
    kept_generation_ = 0;
    return wipe_where([this](std::size_t slot) {
        const auto& mine = slots_[slot];
        const auto is_whole = mine.content == Content::record || mine.content == Content::second_half;
        return !is_whole || mine.kind != RecordKind::token || !is_protected(slot);
    });
}

Result<void> Journal::wipe()
{
    return wipe_where([](std::size_t) { return true; });
}

Result<void> Journal::wipe_record(std::uint64_t sequence)
{
    return wipe_where([this, sequence](std::size_t slot) {
        const auto& mine = slots_[slot];
        const auto is_whole = mine.content == Content::record || mine.content == Content::second_half;
        return is_whole && mine.sequence == sequence;
    });
}

Result<void> Journal::wipe_where(const std::function<bool(std::size_t slot)>& chosen)
{
    const WipedBytes zeros(slot_size);
    for (std::size_t i = 0; i < slot_count; ++i) {
        if (!chosen(i)) {
            continue;
        }
        SHELFD_TRY(put(i * slot_size, zeros.span()));
        slots_[i] = {};
    }
    return sync();
}

Result<void> Journal::open_raw(const Header& header)
{
    const auto place = cheapest(2);
    slots_[place].content = Content::unreadable;
    slots_[place + 1].content = Content::unreadable;
    failed_.set(place);
    WipedBytes record(raw_size);
    const auto head = encode_header(header);
    std::copy(head.begin(), head.end(), record.span().begin());
    SHELFD_TRY(put(place * slot_size, record.span()));
    SHELFD_TRY(sync());
    failed_.reset(place);
    occupy(place, header);
    raw_slot_ = place;
    raw_length_ = 0;
    raw_hash_ = std::make_unique<Sha256>();
    return {};
}

void Journal::drop_raw()
{
    raw_hash_.reset();
}

Result<void> Journal::append_raw(std::string_view piece)
{
    SHELFD_TRY(check_raw());
    const auto part = piece.substr(0, raw_capacity - std::min(raw_capacity, raw_length_));
    const auto bytes = std::as_bytes(std::span(part.data(), part.size()));
    SHELFD_TRY(put(raw_slot_ * slot_size + raw_data_offset + raw_length_, bytes));
    raw_hash_->update(bytes);
    raw_length_ += part.size();
    return {};
}

Result<void> Journal::close_raw(Header header)
{
    SHELFD_TRY(check_raw());
    header.closed = true;
    // A length beyond the capacity shows that the record is shorter than the answer.
    header.length = std::max(header.length, static_cast<std::uint32_t>(raw_length_));
    header.payload_digest = raw_hash_->finish();
    raw_hash_.reset();
    const auto head = encode_header(header);
    SHELFD_TRY(put(raw_slot_ * slot_size + raw_closing_offset, head));
    return sync();
}

Result<void> Journal::check_raw() const
{
    if (!good() || !raw_hash_) {
        return Error(ErrorKind::storage, trouble_.empty() ? "no answer was started" : trouble_);
    }
    return {};
}

Result<void> Journal::put(std::uint64_t offset, std::span<const std::byte> bytes)
{
    if (!good()) {
        return Error(ErrorKind::storage, trouble_);
    }
    auto done = file_->pwrite(offset, bytes);
    return done ? done : failed(std::move(done).error());
}

Result<void> Journal::sync()
{
    auto done = file_->sync();
    return done ? done : failed(std::move(done).error());
}

Error Journal::failed(Error error)
{
    file_.reset();
    raw_hash_.reset();
    trouble_ = error.text();
    return error;
}

}  // namespace shelfd::oauth
