// The pages of a walk that is under way, in a file beside the mirror: after a crash or a stop they are taken from there
// instead of being asked for again.
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
    std::string plan = {};  // on one line, in words of the caller: another plan cannot go on with these pages
    Instant as_of = {};     // as in PassStart
    std::uint64_t token_generation = 0;
};

// The texts are on one line each, but for `results`.
struct RecordedPage {
    Instant at = {};           // when it came
    std::string query = {};    // that it answers
    std::string frame = {};    // what came around the rows, in words of the caller
    std::string results = {};  // the rows, without what is excluded
};

// A log of its own: nothing of it is in the mirror, where it would leave the room of all pages behind. Nothing is
// synced: it outlives the process; of a machine that loses its power it may end early, and the walk goes on from there.
// Every call blocks. The file goes with `remove` alone.
class KeptPages {
public:
    // Old pages than this are worth nothing: the list has moved on.
    static constexpr Duration max_age = std::chrono::hours(1);

    // Begins a new file in place of the one that may be there (0600: no reader is meant to see it).
    static Result<std::unique_ptr<KeptPages>> begin(const std::string& file, const RecordedWalk& walk);
    // Goes on with the one that is there. nothing where there is none, it is of another plan, or its newest page is
    // older than `max_age`; then it is gone.
    static std::unique_ptr<KeptPages> resume(const std::string& file, const std::string& plan, Instant now);
    // What the one that is there is about; nothing where `resume` would not go on with it. Its pages are not read.
    static std::optional<RecordedWalk> look_at(const std::string& file, const std::string& plan, Instant now);

    const RecordedWalk& walk() const { return walk_; }
    // How many were there to go on with.
    std::uint64_t pages() const { return pages_; }
    // The next of them, in the order they came; nothing after the last, or where the file cannot be read on.
    std::optional<RecordedPage> next();
    // Puts a page behind what `next` has read; pages that it has not read are gone.
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
    std::int64_t place_ = 0;  // behind the entry read or written last
};

// Of one resource of the mirror in that file.
std::string page_record_name(const std::string& mirror_file, const std::string& resource);
// Of every resource but these. What cannot be removed is an error: members may be in it that are excluded now.
Result<void> remove_page_records(const std::string& mirror_file, const std::set<std::string>& but);

}  // namespace shelfd::mirror
