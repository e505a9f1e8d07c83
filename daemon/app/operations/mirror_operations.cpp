#include "app/operations/mirror_operations.hpp"

#include <fmt/core.h>

#include <utility>

namespace shelfd::app {
namespace {

// More than people read; the report counts all rows.
constexpr std::size_t listed_rows = 1000;

// A mirror does not know how its library is called, which the commands need that list what there is.
Error with_list(Error error, const std::string& next)
{
    return error.kind() == ErrorKind::not_found ? Error(error.kind(), error.text() + "; " + next) : std::move(error);
}

asio::awaitable<Result<mirror::HeldOutcome>> decide_in_turn(LibraryUnit& unit, sync::ResourceWorker& worker,
                                                            AsyncEvent& changed, mirror::HeldDecision decision)
{
    auto& context = unit.context();
    auto work = [&context, &worker, &decision]() -> Result<mirror::HeldOutcome> {
        SHELFD_TRY_ASSIGN(decided, context.mirror.decide(worker.name(), decision));
        SHELFD_TRY(context.mirror.checkpoint_feed());
        return std::move(decided);
    };
    auto outcome = co_await context.lane.run(work);
    while (!outcome && outcome.error().kind() == ErrorKind::busy && worker.is_busy()) {
        co_await changed.wait();
        if (unit.is_stopped()) {
            const auto stopped = unit.stopped_error();
            co_return Error(stopped.kind(), stopped.text() + "; nothing was decided");
        }
        if (!worker.is_busy()) {
            outcome = co_await context.lane.run(work);
        }
    }
    co_return outcome;
}

using WriteConsumer = Result<void> (mirror::Mirror::*)(const mirror::Acknowledgement&);

asio::awaitable<Result<void>> write_consumer(LibraryUnit& unit, control::AcknowledgeRequest request,
                                             WriteConsumer write)
{
    const mirror::Acknowledgement said{request.consumer, request.position, request.asked_by, request.by_admin};
    auto& context = unit.context();
    auto work = [&context, &said, write] { return (context.mirror.*write)(said); };
    if (auto written = co_await context.lane.run(work); !written) {
        co_return with_list(std::move(written).error(),
                            fmt::format("where each of them is: shelfctl status {}", unit.library().name));
    }
    auto looking = unit.recorder().look_at_consumers(std::nullopt);
    co_await std::move(looking);
    co_return Result<void>();
}

}  // namespace

asio::awaitable<Result<control::SnapshotReport>> snapshot(LibraryUnit& unit, control::LibraryRequest)
{
    return unit.snapshots().make();
}

asio::awaitable<Result<control::RetypeReport>> retype(LibraryUnit& unit, control::RetypeRequest request)
{
    auto& context = unit.context();
    auto work = [&context, &request] { return context.mirror.retype(request.resource, request.column); };
    auto outcome = co_await context.lane.run(work);
    if (!outcome) {
        co_return with_list(
            std::move(outcome).error(),
            fmt::format("all columns, with their kinds: shelfctl schema {} {}", unit.library().name, request.resource));
    }
    // So that the status does not ask for it once more.
    SHELFD_CO_TRY(co_await unit.tables().read_summary(request.resource));
    co_return control::RetypeReport{outcome->before, outcome->after, outcome->rows};
}

asio::awaitable<Result<void>> acknowledge(LibraryUnit& unit, control::AcknowledgeRequest request)
{
    return write_consumer(unit, std::move(request), &mirror::Mirror::acknowledge);
}

asio::awaitable<Result<void>> forget_consumer(LibraryUnit& unit, control::AcknowledgeRequest request)
{
    return write_consumer(unit, std::move(request), &mirror::Mirror::forget_feed_consumer);
}

asio::awaitable<Result<control::HeldReport>> held(LibraryUnit& unit, control::HeldRequest request)
{
    auto& context = unit.context();
    auto work = [&context, &request] { return context.mirror.held(request.resource, listed_rows); };
    co_return co_await context.lane.run(work);
}

asio::awaitable<Result<control::DecideReport>> decide(LibraryUnit& unit, AsyncEvent& changed,
                                                      control::DecideRequest request)
{
    auto* const worker = unit.tables().find(request.resource);
    if (worker == nullptr) {
        co_return Error(ErrorKind::not_found,
                        fmt::format("{} has no resource {}", unit.library().name, request.resource));
    }
    mirror::HeldDecision decision{request.fate, std::move(request.keys), std::move(request.asked_by)};
    auto deciding = decide_in_turn(unit, *worker, changed, std::move(decision));
    auto outcome = co_await std::move(deciding);
    if (!outcome) {
        co_return with_list(std::move(outcome).error(),
                            fmt::format("those that wait, with their keys: shelfctl held {} {}", unit.library().name,
                                        request.resource));
    }
    // So that the status shows the table as it is now, not as after the last pass.
    SHELFD_CO_TRY(co_await worker->load());
    changed.notify_all();
    co_return std::move(*outcome);
}

}  // namespace shelfd::app
