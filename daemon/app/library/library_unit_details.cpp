#include "app/library/library_unit.hpp"

namespace shelfd::app {

asio::awaitable<Result<void>> LibraryUnit::load_details()
{
    for (const auto& resource : library_.resources) {
        if (!resource.detail) {
            continue;
        }
        auto worker = std::make_unique<sync::DetailWorker>(*context_, resource, parts_.changed);
        SHELFD_CO_TRY(co_await worker->load());
        detail_workers_.push_back(std::move(worker));
    }
    co_return Result<void>();
}

void LibraryUnit::list_changed(std::size_t place)
{
    list_changed_.notify_all();
    parts_.changed();
    for (const auto& details : detail_workers_) {
        if (place < workers_.size() && details->resource().name == workers_[place]->name()) {
            details->look(workers_[place]->report().passes_ended);
        }
    }
}

void LibraryUnit::wake_details_of(const std::string& list)
{
    for (const auto& details : detail_workers_) {
        if (details->list() == list) {
            details->wake_if_blocked();
        }
    }
}

}  // namespace shelfd::app
