#include "budget/request_log.hpp"

#include "base/regular_file.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace shelfd::budget {
namespace {

constexpr std::string_view magic = "shelfdB1";
// Magic, boot id, zeros, the end of a pause (in the form of a slot's time), a learned limit (16 bits, below the seconds
// since boot until which it counts; negative while requests are not counted, because no limit is configured).
constexpr std::size_t header_size = 64;
constexpr std::size_t pause_place = 48;
constexpr std::size_t limit_place = 56;
constexpr std::int64_t highest_limit = 65'535;
constexpr std::int64_t free_slot = 0;
constexpr std::int64_t in_flight_slot = -1;
constexpr std::int64_t not_counting = -1;

// Far above the size that the highest configurable limit needs; a larger file was not written by us.
constexpr off_t max_log = 8 << 20;

using Header = std::array<char, header_size>;

Header make_header(const std::string& boot_id)
{
    Header header{};
    std::copy(magic.begin(), magic.end(), header.begin());
    std::copy_n(boot_id.begin(), std::min(boot_id.size(), pause_place - magic.size()),
                header.begin() + static_cast<std::ptrdiff_t>(magic.size()));
    return header;
}

// Compares all parts that never change.
bool is_header_of(const Header& found, const std::string& boot_id)
{
    const auto wanted = make_header(boot_id);
    return std::equal(wanted.begin(), wanted.begin() + pause_place, found.begin());
}

std::int64_t word_at(const Header& found, std::size_t place)
{
    std::int64_t value = 0;
    std::memcpy(&value, found.data() + place, sizeof value);
    return value;
}

std::int64_t packed(const RequestLog::Limit& limit)
{
    const auto seconds = limit.until.micros() / 1'000'000;
    return seconds * (highest_limit + 1) + std::min<std::int64_t>(limit.most, highest_limit);
}

// Reads a time and bounds it to what a clock counting from boot can show, so that sums and differences cannot overflow.
BootTime time_in(std::int64_t micros)
{
    constexpr std::int64_t max_uptime = std::int64_t{100 * 366} * 86'400 * 1'000'000;
    return BootTime::from_micros(std::clamp<std::int64_t>(micros, 0, max_uptime));
}

RequestLog::Limit limit_in(std::int64_t value)
{
    const auto most = value > 0 ? value & highest_limit : 0;
    const auto seconds = std::min<std::int64_t>(value / (highest_limit + 1), INT64_MAX / 1'000'000);
    return {static_cast<std::uint32_t>(most), time_in(value > 0 ? seconds * 1'000'000 : 0)};
}

off_t place_of(RequestLog::Slot slot)
{
    return static_cast<off_t>(header_size + slot * sizeof(std::int64_t));
}

struct StoredSlots {
    std::vector<std::int64_t> values;
    bool are_all = false;  // every byte after the header was read, and the last slot is complete
};

StoredSlots read_slots(int fd, off_t file_size)
{
    const auto bytes = static_cast<std::size_t>(std::max<off_t>(file_size - static_cast<off_t>(header_size), 0));
    StoredSlots stored;
    stored.values.resize(bytes / sizeof(std::int64_t));
    const auto got = pread(fd, stored.values.data(), stored.values.size() * sizeof(std::int64_t), header_size);
    stored.values.resize(got < 0 ? 0 : static_cast<std::size_t>(got) / sizeof(std::int64_t));
    stored.are_all = got == static_cast<ssize_t>(bytes);
    return stored;
}

}  // namespace

Result<RequestLog> RequestLog::open(const std::string& path, const std::string& boot_id, BootTime now,
                                    std::uint32_t slots)
{
    RequestLog log;
    if (!path.empty()) {
        auto file = open_regular_file(path, O_RDWR | O_CREAT | O_NOFOLLOW, 0600);
        if (!file) {
            return Error(ErrorKind::storage,
                         fmt::format("cannot open the request log {}: {}", path, file.error().text()))
                .with_errno(file.error().system_errno);
        }
        log.fd_ = file->release();
        log.load(boot_id, now, slots);
    }
    log.set_counting(slots > 0);
    return log;
}

RequestLog::RequestLog(RequestLog&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)), past_(other.past_), in_flight_(other.in_flight_),
      ended_(std::move(other.ended_)), free_(std::move(other.free_)), next_slot_(other.next_slot_),
      pause_(other.pause_), limit_(other.limit_), is_counting_(other.is_counting_), write_errno_(other.write_errno_)
{
}

RequestLog::~RequestLog()
{
    if (fd_ >= 0) {
        ::close(fd_);
    }
}

void RequestLog::load(const std::string& boot_id, BootTime now, std::uint32_t slots)
{
    struct stat status {};
    Header found{};
    const bool has_size = fstat(fd_, &status) == 0;
    const bool is_new = has_size && status.st_size == 0;
    const bool is_ours =
        pread(fd_, found.data(), found.size(), 0) == static_cast<ssize_t>(header_size) && is_header_of(found, boot_id);
    if (is_ours) {
        pause_ = time_in(word_at(found, pause_place));
        limit_ = limit_in(word_at(found, limit_place));
    }
    const auto stored =
        is_ours && has_size && status.st_size <= max_log ? read_slots(fd_, status.st_size) : StoredSlots();
    is_counting_ = !is_ours || word_at(found, limit_place) != not_counting;
    past_ = is_counting_ && (is_new || stored.are_all) ? Past::known : Past::unknown;
    for (const auto value : stored.values) {
        const auto slot = next_slot_++;
        if (value == free_slot) {
            free_.push_back(slot);
            continue;
        }
        // A time in the future or before the boot is impossible; as for a request in flight, it means "some time before
        // now".
        const auto end = value < 0 ? now : std::min(time_in(value), now);
        ended_.emplace_back(end, slot);
        put(slot, end.micros());
    }
    std::sort(ended_.begin(), ended_.end());
    // Written in full now, so that a disk that fills up later has room for every slot.
    const auto size = std::max(next_slot_, slots);
    for (auto slot = next_slot_; slot < size; ++slot) {
        put(slot, free_slot);
    }
    if (!stored.are_all && ftruncate(fd_, place_of(size)) != 0) {
        write_errno_ = errno;
    }
    if (!is_ours) {
        write_header(boot_id);  // last: without it the past counts as unknown
    }
}

void RequestLog::write_header(const std::string& boot_id)
{
    const auto header = make_header(boot_id);
    if (pwrite(fd_, header.data(), header.size(), 0) != static_cast<ssize_t>(header.size())) {
        write_errno_ = errno;
    }
}

void RequestLog::record_pause(BootTime until)
{
    pause_ = until;
    write(until.micros(), pause_place);
}

void RequestLog::record_limit(Limit limit)
{
    limit_ = limit;
    write(packed(limit), limit_place);
}

void RequestLog::set_counting(bool is_counting)
{
    if (is_counting != is_counting_) {
        is_counting_ = is_counting;
        limit_ = {};
        write(is_counting ? packed(limit_) : not_counting, limit_place);
    }
}

void RequestLog::put(Slot slot, std::int64_t value)
{
    write(value, place_of(slot));
}

void RequestLog::write(std::int64_t value, off_t place)
{
    if (fd_ < 0) {
        return;
    }
    ssize_t written = 0;
    do {
        written = pwrite(fd_, &value, sizeof value, place);
    } while (written < 0 && errno == EINTR);
    write_errno_ = written == sizeof value ? 0 : (written < 0 ? errno : ENOSPC);
}

RequestLog::Slot RequestLog::begin()
{
    Slot slot = next_slot_;
    if (free_.empty()) {
        ++next_slot_;
    } else {
        slot = free_.back();
        free_.pop_back();
    }
    ++in_flight_;
    put(slot, in_flight_slot);
    return slot;
}

void RequestLog::end(Slot slot, BootTime now)
{
    --in_flight_;
    ended_.emplace_back(now, slot);
    put(slot, now.micros());
}

void RequestLog::forget(Slot slot)
{
    --in_flight_;
    free_.push_back(slot);
    put(slot, free_slot);
}

// An expired slot keeps its old time in the file: it counts as free, and this saves a write.
void RequestLog::expire(BootTime until)
{
    const auto is_later = [until](const auto& entry) { return entry.first > until; };
    const auto end = std::find_if(ended_.begin(), ended_.end(), is_later);
    for (auto entry = ended_.begin(); entry != end; ++entry) {
        free_.push_back(entry->second);
    }
    ended_.erase(ended_.begin(), end);
    if (used() == 0) {
        ended_ = std::vector<std::pair<BootTime, Slot>>();  // not {}, which keeps the memory
        free_ = std::vector<Slot>();
        next_slot_ = 0;
    }
}

}  // namespace shelfd::budget
