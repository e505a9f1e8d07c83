#include "app/record_keeping.hpp"

#include <chrono>
#include <optional>
#include <utility>
#include <vector>

namespace shelfd::app {
namespace {

constexpr Duration between_looks = std::chrono::minutes(1);
// Nothing tells when a pause of the limit ends. More often, a thousand idle libraries would cost a tenth of a percent
// of a core where memory that was not used for a while is slow (measured: 8 us a page in a virtual machine).
constexpr Duration without_change = std::chrono::minutes(10);

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

// Returns false if a mirror could not be written.
asio::awaitable<bool> record_all(const LibrarySet& libraries, const std::optional<Consumers>& consumers)
{
    bool is_done = true;
    const auto units = libraries.units();  // a reload may change them
    for (const auto& unit : units) {
        if (unit->is_stopped()) {
            continue;
        }
        const LibraryUnit::Use use(unit);
        auto recording = use->record(consumers_of(unit->library().name, consumers));
        co_await std::move(recording);
        is_done = is_done && !use->recorder().has_failed();
    }
    co_return is_done;
}

}  // namespace

asio::awaitable<void> keep_records(DaemonServices& services, const LibrarySet& libraries, const Alerts& alerts)
{
    std::optional<std::uint64_t> changes;
    std::optional<Consumers> consumers;
    for (BootTime at_latest;;) {
        auto consumers_now = alerts.consumers();
        const auto now = services.clock.boot_now();
        if (changes != services.changes || consumers != consumers_now || now >= at_latest) {
            changes = services.changes;
            consumers = std::move(consumers_now);
            auto recording = record_all(libraries, consumers);
            const bool is_done = co_await std::move(recording);
            at_latest = now + (is_done ? without_change : between_looks);
        }
        co_await services.clock.sleep_for(between_looks);
    }
}

}  // namespace shelfd::app
