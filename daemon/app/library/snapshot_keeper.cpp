#include "app/library/snapshot_keeper.hpp"

#include "mirror/file/snapshot.hpp"
#include "sync/library/mirror_news.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

namespace shelfd::app {
namespace {

// Soon enough after the first rows or after a full disk; rare enough to be cheap.
constexpr Duration look_again = std::chrono::minutes(1);
constexpr Duration after_failure = std::chrono::minutes(10);

}  // namespace

asio::awaitable<Result<control::SnapshotReport>> SnapshotKeeper::make()
{
    const auto turn = co_await turn_.lock();
    const auto place = co_await copying_.lock();
    if (closed_) {
        co_return *closed_;
    }
    const auto now = context_.clock.now();
    mirror::SnapshotOrder order;
    order.mirror = context_.mirror.path();
    order.target = mirror::snapshot_path(order.mirror);
    order.now = now;
    auto work = [&order] { return mirror::write_snapshot(order); };
    auto outcome = co_await lane_.run(work);
    if (!outcome) {
        if (outcome.error().kind() == ErrorKind::corrupt) {
            co_await verify_file(outcome.error());
        }
        co_return outcome.error();
    }
    state_ = {now, "", std::nullopt};
    auto note = [this, now] { return context_.mirror.set_fact(mirror::Fact::snapshot_at, now.to_text()); };
    SHELFD_CO_TRY(co_await context_.lane.run(note));
    co_return control::SnapshotReport{order.target, outcome->tables, outcome->bytes};
}

// A copy of all rows finds damage that passes over a few rows do not.
asio::awaitable<void> SnapshotKeeper::verify_file(Error met)
{
    auto look = [this, &met] {
        context_.mirror.mark_suspect(met);
        return context_.mirror.keep_readable();
    };
    if (const auto looked = co_await context_.lane.run(look); !looked) {
        context_.log.debug("mirror not checked: " + looked.error().text(), {{"library", context_.library.name}});
    }
    co_await sync::log_mirror_news(context_);
}

asio::awaitable<void> SnapshotKeeper::run()
{
    for (;;) {
        const auto wait = co_await make_if_due();
        co_await context_.clock.sleep_for(wait);
    }
}

asio::awaitable<Duration> SnapshotKeeper::make_if_due()
{
    if (!has_rows_()) {
        co_return look_again;
    }
    if (!state_.made) {
        auto read = [this] { return context_.mirror.fact(mirror::Fact::snapshot_at); };
        const auto noted = co_await context_.lane.run(read);
        state_.made = noted && *noted ? Instant::from_rfc3339(**noted) : std::nullopt;
    }
    const auto every = *context_.library.snapshot_every;
    const auto now = context_.clock.now();
    std::error_code ignored;
    const bool there = std::filesystem::exists(mirror::snapshot_path(context_.mirror.path()), ignored);
    // A snapshot from the future was made before the clock was set back.
    if (const auto& made = state_.made; there && made && *made <= now && now - *made < every) {
        co_return every - (now - *made);
    }
    const auto report = co_await make();
    const auto& library = context_.library.name;
    if (!report) {
        state_.trouble = report.error().text();
        state_.since = state_.since.value_or(now);
        changed_();
        context_.log.warning(fmt::format("no snapshot of {}: {}", library, report.error().text()),
                             {{"library", library}});
        co_return std::min(every, after_failure);
    }
    context_.log.info(fmt::format("snapshot of {}: {} tables, {} bytes", library, report->tables, report->bytes),
                      {{"library", library}});
    co_return every;
}

}  // namespace shelfd::app
