// The pages of an unfinished walk, in a file beside the mirror: after a crash or a stop they are read from there
// instead of being requested again.
#pragma once

#include "base/file_descriptor.hpp"
#include "base/instant.hpp"
#include "base/result.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace shelfd::mirror {

struct RecordedWalk {
    std::string plan = {};  // one line, in the caller's words; pages of another plan cannot be used
    Instant as_of = {};     // as in PassStart
    std::uint64_t token_generation = 0;
};

// Each text is a single line, except `results`.
struct RecordedPage {
    Instant at = {};           // when it arrived
    std::string query = {};    // that it answers
    std::string frame = {};    // what surrounded the rows, in the caller's words
    std::string results = {};  // the rows, without excluded members
};

// A separate log, because pages kept in the mirror would leave free space behind. Not synced: it survives the process;
// after a power failure it may be shorter, and the walk continues from there. All calls block. Only `remove` deletes
// the file.
class KeptPages {
public:
    // Older pages are useless: the list has changed.
    static constexpr Duration max_age = std::chrono::hours(1);

    // Creates a new file, replacing an existing one (mode 0600: not for readers).
    static Result<std::unique_ptr<KeptPages>> begin(const std::string& file, const RecordedWalk& walk);
    // Opens an existing file. Returns nullptr if there is none. If it has another plan, no page, or only pages older
    // than `max_age`, deletes it and returns nullptr.
    static std::unique_ptr<KeptPages> resume(const std::string& file, const std::string& plan, Instant now);
    // Returns the walk of an existing file; an empty optional if `resume` would not use it. Reads only times of pages.
    static std::optional<RecordedWalk> look_at(const std::string& file, const std::string& plan, Instant now);

    const RecordedWalk& walk() const { return walk_; }
    // Number of pages found by `resume`.
    std::uint64_t pages() const { return pages_; }
    // Returns the next of them, in order of arrival; an empty optional after the last, or if it cannot be read.
    std::optional<RecordedPage> next();
    // Appends a page after the last one read by `next`; pages not read are dropped.
    Result<void> append(const RecordedPage& page);
    void remove();

private:
    KeptPages(std::string file, FileDescriptor descriptor);
    bool read_header();
    bool is_worth(const std::string& plan, Instant newest, Instant now) const;
    std::optional<Instant> skip_page();
    std::optional<std::string> read_entry();
    Result<void> write_entry(std::string_view text);

    std::string file_;
    FileDescriptor descriptor_;
    RecordedWalk walk_;
    std::uint64_t pages_ = 0;
    std::int64_t place_ = 0;  // after the entry read or written last
};

// Path of the file for one resource of a mirror.
std::string page_record_name(const std::string& mirror_file, const std::string& resource);
// Removes the files of all resources except these. Fails if one cannot be removed, because it may contain members that
// are excluded now.
Result<void> remove_page_records(const std::string& mirror_file, const std::set<std::string>& but);

}  // namespace shelfd::mirror
