// What a library does with its mirror besides passes.
#include "app/library/library_recorder.hpp"
#include "app/library/library_tables.hpp"
#include "app/library/library_unit.hpp"
#include "app/library/token_set_observer.hpp"
#include "sync/worker/idle_rest.hpp"

#include <utility>

namespace shelfd::app {

asio::awaitable<void> LibraryUnit::renew_access()
{
    auto work = [this] {
        mirror_->renew_access();
        return mirror_->closed_to_readers();
    };
    context_->state.closed_to_readers = co_await lane_.run(work);
}

asio::awaitable<void> LibraryUnit::record(std::optional<std::vector<mirror::ConsumerRecord>> consumers)
{
    auto token = keeper_->status();
    token.since = token_set_->since(token);
    auto record = describe_library(library_, token, limiter_.status());
    record.consumers = std::move(consumers);
    auto recording = recorder_->record(std::move(record));
    co_await std::move(recording);
    auto looking = recorder_->look_at_consumers(tables_->feed_positions());
    co_await std::move(looking);
    let_mirror_rest();
}

// After a pass the mirror is open. Otherwise the next record would open those of all libraries within its minute
// (measured with 1,000 of them: 2.5 s of CPU, and 24 MiB that stayed).
void LibraryUnit::record_while_open()
{
    if (context_->mirror.is_open()) {
        record_at_once();
    }
}

// Also when a set begins to need a person: since when it does must outlive a kill.
void LibraryUnit::record_at_once()
{
    if (phase_ == Phase::running && !std::exchange(under_way_.record, true)) {
        tasks_.spawn("the record of the token set", record_alone());
    }
}

asio::awaitable<void> LibraryUnit::record_alone()
{
    co_await record(std::nullopt);
    under_way_.record = false;
}

void LibraryUnit::let_mirror_rest()
{
    const auto& mirror = context_->mirror;
    if (phase_ == Phase::running && !bug() && !under_way_.rest && (mirror.is_open() || mirror.has_news())) {
        under_way_.rest = true;
        tasks_.spawn("the closing of the idle mirror", rest_mirror());
    }
}

asio::awaitable<void> LibraryUnit::rest_mirror()
{
    co_await sync::rest_when_idle(*context_, tables_->lists(), tables_->details());
    under_way_.rest = false;
}

}  // namespace shelfd::app
