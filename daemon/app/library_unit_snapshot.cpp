#include "app/library_unit.hpp"
#include "mirror/snapshot.hpp"
#include "sync/mirror_news.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

namespace shelfd::app {
namespace {

// Soon enough for whoever waits for the first rows or for room on the disk, seldom enough to cost nothing.
constexpr Duration look_again = std::chrono::minutes(1);
constexpr Duration after_failure = std::chrono::minutes(10);

}  // namespace

asio::awaitable<Result<control::SnapshotReport>> LibraryUnit::snapshot()
{
    const auto turn = co_await copying_.lock();
    const auto place = co_await parts_.copying->lock();
    if (stopped_) {
        co_return LibraryUnit::stopped_error();
    }
    const auto now = parts_.clock.now();
    mirror::SnapshotOrder order;
    order.mirror = mirror_path_;
    order.target = mirror::snapshot_path(mirror_path_);
    order.now = now;
    auto work = [&order] { return mirror::write_snapshot(order); };
    auto outcome = co_await copying_lane_.run(work);
    if (!outcome) {
        if (outcome.error().kind() == ErrorKind::corrupt) {
            co_await look_closer(outcome.error());
        }
        co_return outcome.error();
    }
    snapshots_ = {now, "", std::nullopt};
    auto note = [this, now] { return mirror_->set_fact(mirror::Fact::snapshot_at, now.to_text()); };
    if (auto noted = co_await lane_.run(note); !noted) {
        co_return noted.error();
    }
    co_return control::SnapshotReport{order.target, outcome->tables, outcome->bytes};
}

// Who copies all of it finds what passes over a few rows do not.
asio::awaitable<void> LibraryUnit::look_closer(Error met)
{
    auto look = [this, &met] {
        mirror_->doubt(met);
        return mirror_->keep_readable();
    };
    if (const auto looked = co_await lane_.run(look); !looked) {
        parts_.log.debug("mirror not looked at: " + looked.error().text(), {{"library", library_.name}});
    }
    co_await sync::tell_mirror_news(*context_);
}

asio::awaitable<void> LibraryUnit::keep_snapshots()
{
    while (library_.snapshot_every) {
        const auto wait = co_await snapshot_if_due();
        co_await parts_.clock.sleep_for(wait);
    }
}

// How long nothing is to be done now.
asio::awaitable<Duration> LibraryUnit::snapshot_if_due()
{
    const bool anything = std::any_of(workers_.begin(), workers_.end(),
                                      [](const auto& worker) { return worker->report().summary.as_of.has_value(); });
    if (!anything) {
        co_return look_again;
    }
    if (!snapshots_.made) {
        auto read = [this] { return mirror_->fact(mirror::Fact::snapshot_at); };
        const auto noted = co_await lane_.run(read);
        snapshots_.made = noted && *noted ? Instant::from_rfc3339(**noted) : std::nullopt;
    }
    const auto now = parts_.clock.now();
    std::error_code ignored;
    const bool there = std::filesystem::exists(mirror::snapshot_path(mirror_path_), ignored);
    // One of the future was made before somebody set the clock back.
    if (const auto& made = snapshots_.made; there && made && *made <= now && now - *made < *library_.snapshot_every) {
        co_return *library_.snapshot_every - (now - *made);
    }
    const auto report = co_await snapshot();
    if (!report) {
        snapshots_.trouble = report.error().text();
        snapshots_.since = snapshots_.since.value_or(now);
        parts_.changed();
        parts_.log.warning(fmt::format("no snapshot of {}: {}", library_.name, report.error().text()),
                           {{"library", library_.name}});
        co_return std::min(*library_.snapshot_every, after_failure);
    }
    parts_.log.info(fmt::format("snapshot of {}: {} tables, {} bytes", library_.name, report->tables, report->bytes),
                    {{"library", library_.name}});
    co_return *library_.snapshot_every;
}

}  // namespace shelfd::app
