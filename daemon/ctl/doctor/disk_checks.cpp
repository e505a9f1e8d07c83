#include "ctl/doctor/disk_checks.hpp"

#include "base/words/shell_word.hpp"
#include "ctl/survey/storage_facts.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace shelfd::ctl {
namespace {

constexpr std::uint64_t nearly_full = 16u << 20;
constexpr std::uint64_t journal_room = 256u << 10;  // a journal of 128 KiB, and a new one beside it
constexpr std::uint64_t few_inodes = 1000;
constexpr double soon_days = 14;
constexpr double later_days = 90;

// What the mirrors may take beside themselves.
struct Need {
    std::uint64_t snapshot = 0;  // the largest copy: the old one stays until the new one is complete
    std::uint64_t wal = 0;       // of a pass in which every row of the largest mirror changed
    double bytes_a_day = 0;
    bool growth_known = false;
    std::string library;  // of the largest mirror

    std::uint64_t together() const { return std::max(snapshot, wal); }
};

Need need_of(const Facts& facts)
{
    Need need;
    for (const auto& mirror : facts.mirrors) {
        if (mirror.used_bytes > need.snapshot) {
            need.snapshot = mirror.used_bytes;
            need.library = mirror.library;
        }
        const auto wal = mirror.wal_bytes();
        need.wal = std::max(need.wal, mirror.used_bytes > wal ? mirror.used_bytes - wal : 0);
        if (mirror.bytes_a_day) {
            need.growth_known = true;
            need.bytes_a_day += *mirror.bytes_a_day;
        }
    }
    return need;
}

bool is_hidden(const MirrorFacts& mirror)
{
    return mirror.directory.kind == PathFacts::Kind::hidden || mirror.file.kind == PathFacts::Kind::hidden;
}

std::string size(std::uint64_t bytes)
{
    return size_text(static_cast<double>(bytes));
}

// Whether that place of [storage] is on the disk.
bool holds(const Facts& facts, const DiskFacts& disk, const char* key)
{
    const auto* place = facts.place(key);
    return place != nullptr && (place->path == disk.path || (place->is_there() && place->device == disk.device));
}

// Whether token sets are written there.
bool holds_tokens(const Facts& facts, const DiskFacts& disk)
{
    return holds(facts, disk, "tokens") || holds(facts, disk, "tokens_copy");
}

// Journals are rewritten in place: they need little room, and mirrors much.
void add_full_disk(const Facts& facts, const DiskFacts& disk, Findings& findings)
{
    const bool stops_tokens = holds_tokens(facts, disk) && disk.free_bytes < journal_room;
    const bool stops_passes = holds(facts, disk, "mirrors") || !holds_tokens(facts, disk);
    if (!stops_tokens && !stops_passes) {
        findings.push_back({"disk", Verdict::warning,
                            fmt::format("the disk of {} is nearly full: {} free", disk.path, size(disk.free_bytes)),
                            fmt::format("make room on {}: new token sets can be stored while {} are free", disk.path,
                                        size(journal_room)),
                            false});
        return;
    }
    // The journals of sets that are here have their room already (measured: tmpfs and ext4 without a free byte).
    findings.push_back({"disk", stops_passes ? Verdict::fault : Verdict::warning,
                        fmt::format("the disk of {} is full: {} free", disk.path, size(disk.free_bytes)),
                        fmt::format("make room on {}: {} until then", disk.path,
                                    !stops_tokens   ? "passes publish nothing"
                                    : !stops_passes ? "no set of another library can be stored"
                                                    : "passes publish nothing, and no set of another library can be "
                                                      "stored,"),
                        false});
}

void check_room(const Facts& facts, const DiskFacts& disk, Findings& findings)
{
    const auto add = [&](Verdict verdict, std::string text, std::string do_this) {
        findings.push_back({"disk", verdict, std::move(text), std::move(do_this), false});
    };
    if (!disk.trouble.empty()) {
        add(Verdict::unknown, fmt::format("the file system of {}: {}", disk.path, disk.trouble), "");
        return;
    }
    if (disk.read_only) {
        add(Verdict::fault, fmt::format("the file system of {} is mounted read-only", disk.path),
            fmt::format("check the disk (dmesg), then: sudo mount -o remount,rw {}", shell_word(disk.path)));
    }
    if (!disk.unsafe.empty()) {
        add(Verdict::fault, disk.unsafe, "correct [storage] in the configuration");
    }
    if (disk.bytes > 0 && disk.free_bytes < nearly_full) {
        add_full_disk(facts, disk, findings);
    }
    if (disk.inodes > 0 && disk.free_inodes < few_inodes) {
        add(disk.free_inodes == 0 ? Verdict::fault : Verdict::warning,
            fmt::format("the file system of {} can create {} more files", disk.path, disk.free_inodes),
            "remove files that nobody needs");
    }
}

void forecast(const DiskFacts& disk, const Need& need, Findings& findings)
{
    const auto add = [&](Verdict verdict, std::string text, std::string do_this) {
        findings.push_back({"space forecast", verdict, std::move(text), std::move(do_this), false});
    };
    const auto room = disk.free_bytes;
    if (room < need.together()) {
        add(Verdict::warning,
            fmt::format("{} free on the disk of {}; a snapshot of {} (VACUUM INTO) takes {}, and so may its WAL",
                        size(room), disk.path, need.library, size(need.together())),
            "make room, or move storage.mirrors to a larger disk");
        return;
    }
    if (need.bytes_a_day >= 1) {
        const double days = static_cast<double>(room - need.together()) / need.bytes_a_day;
        const auto text = fmt::format("the mirrors grow by {} a day; with {} free on the disk of {}, and {} kept for a "
                                      "snapshot or the WAL, that is enough for {:.0f} days",
                                      size_text(need.bytes_a_day), size(room), disk.path, size(need.together()),
                                      std::min(days, 36'500.0));
        const auto verdict = days < soon_days ? Verdict::warning : days < later_days ? Verdict::advice : Verdict::ok;
        add(verdict, text, verdict == Verdict::ok ? "" : "make room, or move storage.mirrors to a larger disk");
        return;
    }
    add(Verdict::ok,
        fmt::format("{} free on the disk of {}; a snapshot of the largest mirror takes {}, and so may its WAL; {}",
                    size(room), disk.path, size(need.together()),
                    need.growth_known ? "the mirrors do not grow" : "growth is not known yet"),
        "");
}

}  // namespace

Findings check_token_copies(const Facts& facts)
{
    const auto* model = facts.configuration();
    const auto* tokens = facts.place("tokens");
    if (model == nullptr || tokens == nullptr) {
        return {};
    }
    if (model->storage.tokens_copy.empty()) {
        return {{"token copies", Verdict::advice,
                 "storage.tokens_copy is not set, so both copies of each token set are on one disk",
                 "set storage.tokens_copy to a directory on another device", false}};
    }
    const auto* copy = facts.place("tokens_copy");
    if (copy == nullptr || !copy->is_there() || !tokens->is_there()) {
        return {};
    }
    if (copy->device == tokens->device) {
        return {{"token copies", Verdict::warning,
                 fmt::format("{} and {} are on one disk: if it fails, both copies are lost", tokens->path, copy->path),
                 "set storage.tokens_copy to a directory on another device", false}};
    }
    return {{"token copies", Verdict::ok, "the two copies of each token set are on different disks", "", false}};
}

Findings check_space(const Facts& facts)
{
    Findings findings;
    std::vector<dev_t> seen;
    for (const auto& disk : facts.disks) {
        const bool is_new = !disk.trouble.empty() || std::find(seen.begin(), seen.end(), disk.device) == seen.end();
        if (is_new || !disk.unsafe.empty()) {
            check_room(facts, disk, findings);
        }
        seen.push_back(disk.device);
    }
    if (findings.empty() && !facts.disks.empty()) {
        findings.push_back({"disk", Verdict::ok, "writable, with room", "", false});
    }
    const auto* mirrors = facts.place("mirrors");
    const auto found = std::find_if(facts.disks.begin(), facts.disks.end(), [&](const auto& disk) {
        return mirrors != nullptr && disk.path == mirrors->path && disk.trouble.empty();
    });
    const bool known = std::none_of(facts.mirrors.begin(), facts.mirrors.end(), is_hidden);
    if (found != facts.disks.end() && !known) {
        findings.push_back({"space forecast", Verdict::unknown, "not permitted to read all mirrors: run as root",
                            "sudo shelfctl doctor", false});
    } else if (found != facts.disks.end()) {
        forecast(*found, need_of(facts), findings);
    }
    return findings;
}

Findings check_wal(const Facts& facts)
{
    Findings findings;
    for (const auto& mirror : facts.mirrors) {
        if (mirror.wal_bytes() < large_wal) {
            continue;
        }
        if (mirror.pinning_readers.empty()) {
            findings.push_back({"WAL", Verdict::advice,
                                fmt::format("the WAL of {} has {}", mirror.library, size(mirror.wal_bytes())),
                                facts.daemon.answers ? "shelfctl status" : facts.start_command(), false});
        }
        for (const auto& [pid, command] : mirror.pinning_readers) {
            findings.push_back(
                {"WAL", Verdict::warning,
                 fmt::format("the WAL of {} has {} and cannot be emptied while process {} ({}) stays "
                             "inside a read transaction",
                             mirror.library, size(mirror.wal_bytes()), pid, command.empty() ? "unknown" : command),
                 fmt::format("end that transaction, or the program: kill {}", pid), false});
        }
    }
    if (!findings.empty() || facts.mirrors.empty()) {
        return findings;
    }
    const auto hidden = std::find_if(facts.mirrors.begin(), facts.mirrors.end(), is_hidden);
    if (hidden != facts.mirrors.end()) {
        return {{"WAL", Verdict::unknown,
                 fmt::format("not permitted to look at {}: run as root", hidden->directory.path),
                 "sudo shelfctl doctor", false}};
    }
    findings.push_back({"WAL", Verdict::ok, "small", "", false});
    return findings;
}

Findings check_mirror_contents(const Facts& facts)
{
    Findings findings;
    for (const auto& mirror : facts.mirrors) {
        if (!mirror.trouble.empty() && facts.is_configured(mirror.library)) {
            const bool permitted = facts.asked_by == 0;
            findings.push_back({"mirrors", permitted ? Verdict::warning : Verdict::unknown,
                                fmt::format("the mirror of {} cannot be read: {}", mirror.library, mirror.trouble),
                                permitted ? "shelfctl status " + mirror.library : "sudo shelfctl doctor", false});
        }
    }
    return findings;
}

}  // namespace shelfd::ctl
