#include "app/record_keeping.hpp"

#include <chrono>
#include <optional>
#include <utility>
#include <vector>

namespace shelfd::app {
namespace {

std::optional<std::vector<mirror::ConsumerRecord>> consumers_of(const std::string& library,
                                                                const std::optional<Consumers>& consumers)
{
    if (!consumers) {
        return std::nullopt;
    }
    std::vector<mirror::ConsumerRecord> records;
    if (const auto found = consumers->find(library); found != consumers->end()) {
        for (const auto& one : found->second) {
            records.push_back({one.hook, one.position, one.waiting, one.waiting_since, one.why});
        }
    }
    return records;
}

}  // namespace

asio::awaitable<void> keep_records(DaemonServices& services, const LibrarySet& libraries, const Alerts& alerts)
{
    for (;;) {
        const auto consumers = alerts.consumers();
        const auto units = libraries.units();  // a reload may change them
        for (const auto& unit : units) {
            if (unit->is_stopped()) {
                continue;
            }
            const LibraryUnit::Use use(unit);
            auto recording = use->record(consumers_of(unit->library().name, consumers));
            co_await std::move(recording);
        }
        co_await services.clock.sleep_for(std::chrono::minutes(1));
    }
}

}  // namespace shelfd::app
