#include "support/scripted_disk.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace shelfd::storage {
namespace {

using Files = std::vector<std::vector<std::byte>>;

void apply(Files& files, const DiskCall& call, std::size_t from, std::size_t to)
{
    auto& file = files[call.file];
    const auto first = static_cast<std::ptrdiff_t>(from);
    const auto last = static_cast<std::ptrdiff_t>(to);
    std::copy(call.bytes.begin() + first, call.bytes.begin() + last,
              file.begin() + static_cast<std::ptrdiff_t>(call.offset) + first);
}

// What may have reached the platter of one write that nobody synced, as ranges of its bytes.
std::vector<std::pair<std::size_t, std::size_t>> fates(const DiskCall& call)
{
    constexpr std::size_t sector = 512;
    const auto size = call.bytes.size();
    std::vector<std::pair<std::size_t, std::size_t>> all = {{0, 0}, {0, size}};
    const auto to_boundary = sector - call.offset % sector;
    if (size > to_boundary) {
        for (std::size_t at = to_boundary; at < size; at = to_boundary + 2 * (at - to_boundary) + sector) {
            all.emplace_back(0, at);
            all.emplace_back(at, size);
        }
    }
    return all;
}

void vary(Files& files, const std::vector<const DiskCall*>& unsynced, std::size_t index,
          const std::function<void(const Files&)>& see)
{
    if (index == unsynced.size()) {
        see(files);
        return;
    }
    const auto& call = *unsynced[index];
    const auto saved = files[call.file];
    for (const auto& [from, to] : fates(call)) {
        apply(files, call, from, to);
        vary(files, unsynced, index + 1, see);
        files[call.file] = saved;
    }
}

}  // namespace

class ScriptedFile final : public JournalFile {
public:
    ScriptedFile(ScriptedDisk& disk, std::size_t file, std::size_t incarnation)
        : disk_(disk), file_(file), incarnation_(incarnation), replacement_(disk.replacements_[file])
    {
    }

    Result<void> pwrite(std::uint64_t offset, std::span<const std::byte> bytes) override
    {
        DiskCall call{DiskCall::Kind::write, file_, offset, {bytes.begin(), bytes.end()}};
        if (!announce(call)) {
            return {};
        }
        if (auto admitted = disk_.admit(file_); !admitted) {
            return admitted;
        }
        std::copy(bytes.begin(), bytes.end(), content().begin() + static_cast<std::ptrdiff_t>(offset));
        disk_.history_.push_back(std::move(call));
        return {};
    }

    Result<void> sync() override
    {
        DiskCall call{DiskCall::Kind::sync, file_, 0, {}};
        if (!announce(call)) {
            return {};
        }
        if (auto admitted = disk_.admit(file_); !admitted) {
            return admitted;
        }
        disk_.history_.push_back(std::move(call));
        return {};
    }

    Result<void> read(std::uint64_t offset, std::span<std::byte> bytes) override
    {
        if (incarnation_ != disk_.incarnation_) {
            return {};
        }
        if (auto admitted = disk_.admit(file_); !admitted) {
            return admitted;
        }
        const auto start = content().begin() + static_cast<std::ptrdiff_t>(offset);
        std::copy(start, start + static_cast<std::ptrdiff_t>(bytes.size()), bytes.begin());
        return {};
    }

    FileMark mark() const override { return disk_.mark_of(file_, replacement_); }

    Result<void> check_place() override
    {
        const auto is_there = incarnation_ != disk_.incarnation_ || replacement_ == disk_.replacements_[file_];
        return is_there ? Result<void>() : Error(ErrorKind::storage, "the scripted file was replaced");
    }

private:
    std::vector<std::byte>& content()
    {
        const auto is_there = replacement_ == disk_.replacements_[file_];
        return is_there ? disk_.files_[file_] : disk_.unlinked_[file_];
    }

    // False for a file whose process has died, perhaps in this very call.
    bool announce(const DiskCall& call)
    {
        if (incarnation_ == disk_.incarnation_ && disk_.on_call) {
            disk_.on_call(call);
        }
        return incarnation_ == disk_.incarnation_;
    }

    ScriptedDisk& disk_;
    std::size_t file_;
    std::size_t incarnation_;
    std::size_t replacement_;
};

ScriptedDisk::ScriptedDisk(std::size_t files, std::uint64_t size)
    : files_(files, std::vector<std::byte>(size)), unlinked_(files, std::vector<std::byte>(size)),
      replacements_(files, 0), copies_(files, 0), file_errors_(files, 0)
{
}

Result<std::unique_ptr<JournalFile>> ScriptedDisk::open(std::size_t file)
{
    if (auto admitted = admit(file); !admitted) {
        return admitted.error();
    }
    return std::unique_ptr<JournalFile>(std::make_unique<ScriptedFile>(*this, file, incarnation_));
}

std::unique_ptr<JournalFile> ScriptedDisk::open_abandoned(std::size_t file)
{
    return std::make_unique<ScriptedFile>(*this, file, SIZE_MAX);
}

void ScriptedDisk::fail_after(std::size_t calls, int error_number, std::size_t times)
{
    failing_from_ = calls_ + calls;
    failing_until_ = times > SIZE_MAX - failing_from_ ? SIZE_MAX : failing_from_ + times;
    error_number_ = error_number;
}

void ScriptedDisk::fail_file(std::size_t file, int error_number)
{
    file_errors_[file] = error_number;
}

void ScriptedDisk::replace_file(std::size_t file, std::vector<std::byte> content)
{
    unlinked_[file] = std::exchange(files_[file], std::move(content));
    ++replacements_[file];
}

void ScriptedDisk::copy_file(std::size_t file)
{
    ++copies_[file];
}

FileMark ScriptedDisk::mark_of(std::size_t file, std::size_t replacement) const
{
    if (!has_marks) {
        return {};
    }
    const auto number = 1 + file + files_.size() * (replacement + copies_[file]);
    return {number, static_cast<std::int64_t>(number), 0, "scripted:1"};
}

void ScriptedDisk::heal()
{
    failing_from_ = failing_until_ = SIZE_MAX;
    std::fill(file_errors_.begin(), file_errors_.end(), 0);
}

Result<void> ScriptedDisk::admit(std::size_t file)
{
    const auto call = calls_++;
    const auto number = file_errors_[file] != 0                          ? file_errors_[file]
                        : call >= failing_from_ && call < failing_until_ ? error_number_
                                                                         : 0;
    if (number == 0) {
        return {};
    }
    return std::move(Error(ErrorKind::storage, "scripted disk failure").with_errno(number));
}

void for_each_power_cut(const Files& before, const std::vector<DiskCall>& history,
                        const std::function<void(std::size_t, const Files&)>& see)
{
    for (std::size_t done = 0; done <= history.size(); ++done) {
        auto files = before;
        std::vector<const DiskCall*> unsynced;
        for (std::size_t i = 0; i < done; ++i) {
            const auto& call = history[i];
            const auto is_covered = std::any_of(
                history.begin() + static_cast<std::ptrdiff_t>(i), history.begin() + static_cast<std::ptrdiff_t>(done),
                [&](const auto& later) { return later.kind == DiskCall::Kind::sync && later.file == call.file; });
            if (call.kind == DiskCall::Kind::write && is_covered) {
                apply(files, call, 0, call.bytes.size());
            } else if (call.kind == DiskCall::Kind::write) {
                unsynced.push_back(&call);
            }
        }
        vary(files, unsynced, 0, [&](const Files& state) { see(done, state); });
    }
}

}  // namespace shelfd::storage
