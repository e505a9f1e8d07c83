#include "app/pace/sharing_walks.hpp"

#include <algorithm>
#include <optional>
#include <vector>

namespace shelfd::app {
namespace {

// Requests of a pass besides its pages.
constexpr std::uint64_t beside_pages = 2;
// The end moves when more walks begin before it, and then further ones may begin.
constexpr int max_rounds = 20;
// Walks that begin later, and are taken into account: an estimate must not stop the loop.
constexpr std::size_t max_due = 200;

// What a pass over that list will be that begins later: `requests` stay empty if nothing tells them.
void predict(const sync::ResourceWorker& worker, std::uint32_t page_size, SharingWalk& walk)
{
    const auto& report = worker.report();
    const auto next = worker.forecast({});
    const bool is_incremental = next.kind == sync::PassKind::incremental;
    const auto rows = report.summary.rows;
    walk.purpose = is_incremental ? budget::Purpose::incremental : budget::Purpose::full;
    if (next.requests) {
        walk.requests = *next.requests;
    } else if (report.last_pass && report.last_pass->kind == next.kind && report.last_pass->published) {
        walk.requests = report.last_pass->requests() + beside_pages;
    } else if (is_incremental) {
        walk.requests = 1 + beside_pages;
    } else if (rows > 0) {
        walk.requests = (rows + page_size - 1) / std::max(page_size, 1U) + beside_pages;
    }
}

// Before the first page shows it, the requests of a pass under way are not known.
std::optional<std::uint64_t> left_of(const sync::Progress& progress)
{
    const bool is_early = progress.phase == sync::Phase::identity ||
                          (progress.phase == sync::Phase::pages && progress.lists == 0 && progress.pages == 0);
    const auto left = requests_left(progress);
    return left == 0 && is_early ? std::nullopt : std::optional(left);
}

// A walk that is due later. The requests of a pass over `list` are computed when they are needed.
struct Candidate {
    SharingWalk walk;
    const sync::ResourceWorker* list = nullptr;
    std::uint32_t page_size = 0;
};

class Collection {
public:
    Collection(const sync::Progress& own, Instant now) : own_(own), now_(now) {}

    void add(const LibraryUnit& unit)
    {
        if (!unit.has_tables() || unit.is_stopped()) {
            return;
        }
        for (const auto& worker : unit.tables().lists()) {
            add(unit, *worker);
        }
        for (const auto& worker : unit.tables().details()) {
            add(unit, *worker);
        }
    }

    Duration time_of(const MeasuredWalk& own, const budget::LimiterStatus& limiter)
    {
        std::sort(due_.begin(), due_.end(), [](const auto& a, const auto& b) { return a.walk.begins < b.walk.begins; });
        due_.resize(std::min(due_.size(), max_due));
        auto next = due_.begin();
        auto time = time_at_limit(own, walks_, limiter, now_);
        for (int round = 0; round < max_rounds; ++round) {
            const auto before = next;
            for (; next != due_.end() && next->walk.begins < now_ + time; ++next) {
                if (next->list != nullptr) {
                    predict(*next->list, next->page_size, next->walk);
                }
                walks_.push_back(next->walk);
            }
            if (next == before) {
                break;
            }
            time = time_at_limit(own, walks_, limiter, now_);
        }
        return time;
    }

private:
    SharingWalk walk_of(const LibraryUnit& unit, const sync::Progress& progress) const
    {
        SharingWalk walk;
        walk.library = &unit;
        walk.purpose = purpose_of(progress);
        walk.begins = progress.running ? progress.started : now_;
        walk.requests = progress.running ? left_of(progress) : std::nullopt;
        return walk;
    }

    void add(const LibraryUnit& unit, const sync::ResourceWorker& worker)
    {
        const auto& report = worker.report();
        const auto& all = unit.library().resources;
        const auto resource =
            std::find_if(all.begin(), all.end(), [&worker](const auto& one) { return one.name == worker.name(); });
        auto walk = walk_of(unit, report.progress);
        walk.every = resource == all.end() ? Duration(0) : resource->schedule.interval;
        if (&report.progress == &own_) {
            return;
        }
        if (report.progress.running && report.progress.phase != sync::Phase::queued) {
            if (!walk.requests) {
                predict(worker, unit.library().service.page_size, walk);
            }
            walks_.push_back(walk);
        } else if (report.progress.running || report.queued) {
            walk.stage = SharingWalk::Stage::queued;
            predict(worker, unit.library().service.page_size, walk);
            walks_.push_back(walk);
        } else if (report.next_due && !unit.library().paused) {
            walk.stage = SharingWalk::Stage::due;
            walk.begins = std::max(*report.next_due, now_);
            // In trouble, one request shows that it lasts.
            const bool is_whole = report.trouble == sync::Trouble::none;
            walk.requests = is_whole ? std::nullopt : std::optional<std::uint64_t>(1);
            due_.push_back({walk, is_whole ? &worker : nullptr, unit.library().service.page_size});
        }
    }

    void add(const LibraryUnit& unit, const sync::DetailWorker& worker)
    {
        const auto& report = worker.report();
        if (&report.progress == &own_) {
            return;
        }
        auto walk = walk_of(unit, report.progress);
        walk.purpose = budget::Purpose::detail;
        if (report.progress.running) {
            walk.requests = std::max(requests_left(report.progress), report.facts.pending());
            // Two slots are left to lists.
            walk.at_once = std::max(unit.library().service.in_flight, 3U) - 2;
            walks_.push_back(walk);
        } else if (report.next_due && !unit.library().paused) {
            walk.stage = SharingWalk::Stage::due;
            walk.begins = std::max(*report.next_due, now_);
            walk.requests = report.facts.pending();
            due_.push_back({walk});
        }
    }

    const sync::Progress& own_;
    Instant now_;
    std::vector<SharingWalk> walks_;
    std::vector<Candidate> due_;
};

}  // namespace

std::uint64_t requests_left(const sync::Progress& progress)
{
    if (!progress.running) {
        return 0;
    }
    if (progress.phase == sync::Phase::details) {
        return progress.count > progress.rows ? progress.count - progress.rows : 0;
    }
    const bool is_read = progress.phase == sync::Phase::publishing;
    if (progress.lists > 0) {
        return progress.lists - progress.list + (is_read ? 0 : 1);
    }
    if (is_read) {
        return 0;
    }
    return progress.pages >= progress.page ? progress.pages - progress.page + (progress.page > 0 ? 1 : 0) : 0;
}

budget::Purpose purpose_of(const sync::Progress& progress)
{
    if (progress.phase == sync::Phase::details) {
        return budget::Purpose::detail;
    }
    return progress.wait ? progress.wait->purpose : budget::Purpose::full;
}

Duration time_beside_others(const MeasuredWalk& own, const LibraryUnit& unit, const sync::Progress& progress,
                            Instant now)
{
    const auto limiter = unit.limiter().status();
    if (!limiter.limit || own.requests == 0) {
        return Duration(0);
    }
    Collection others(progress, now);
    for (const auto* sharer : unit.limit_sharers()) {
        others.add(*sharer);
    }
    return others.time_of(own, limiter);
}

}  // namespace shelfd::app
