#include "app/library/library_tables.hpp"

#include <algorithm>
#include <numeric>

namespace shelfd::app {

asio::awaitable<Result<void>> LibraryTables::load_lists(const std::vector<sync::Rhythm>& rhythms)
{
    for (std::size_t i = 0; i < rhythms.size(); ++i) {
        auto changed = [this, i] { report_changed(i); };
        auto worker =
            std::make_unique<sync::ResourceWorker>(context_, context_.library.resources[i], rhythms[i], changed);
        SHELFD_CO_TRY(co_await worker->load());
        lists_.push_back(std::move(worker));
    }
    follow_parents();
    co_return Result<void>();
}

asio::awaitable<Result<void>> LibraryTables::load_details()
{
    for (const auto& resource : context_.library.resources) {
        if (!resource.detail) {
            continue;
        }
        auto worker = std::make_unique<sync::DetailWorker>(context_, resource, changed_);
        SHELFD_CO_TRY(co_await worker->load());
        details_.push_back(std::move(worker));
    }
    SHELFD_CO_TRY(co_await mark_paused(lists_));
    co_return co_await mark_paused(details_);
}

// Writes into the tables whether the library is paused.
template <typename Workers>
asio::awaitable<Result<void>> LibraryTables::mark_paused(const Workers& workers)
{
    const bool is_paused = context_.library.paused;
    for (const auto& worker : workers) {
        if ((worker->report().summary.state == TableState::paused) != is_paused) {
            mirror::ResourceState state;
            state.blocked = is_paused ? mirror::Blocked::paused : mirror::Blocked::none;
            state.why = is_paused ? "paused in the configuration" : "";
            auto set = [this, table = std::string(worker->name()), &state] {
                return context_.mirror.set_state(table, state);
            };
            SHELFD_CO_TRY(co_await context_.lane.run(set));
        }
        SHELFD_CO_TRY(co_await worker->load());
    }
    co_return Result<void>();
}

void LibraryTables::follow_parents()
{
    const auto& library = context_.library;
    for (std::size_t i = 0; i < lists_.size(); ++i) {
        if (const auto& parent = library.resources[i].parent) {
            const auto* named = library.find_resource(parent->resource);
            lists_[i]->follow(*lists_[static_cast<std::size_t>(named - library.resources.data())]);
        }
    }
}

// Tables whose rows name the lists of others come before these.
std::vector<sync::ResourceWorker*> LibraryTables::parents_first() const
{
    const auto& library = context_.library;
    const auto depth = [&library](std::size_t place) {
        std::size_t deep = 0;
        for (const auto* one = &library.resources[place]; one->parent; ++deep) {
            one = library.find_resource(one->parent->resource);
        }
        return deep;
    };
    std::vector<std::size_t> places(lists_.size());
    std::iota(places.begin(), places.end(), 0U);
    std::stable_sort(places.begin(), places.end(), [&](auto a, auto b) { return depth(a) < depth(b); });
    std::vector<sync::ResourceWorker*> ordered;
    for (const auto place : places) {
        ordered.push_back(lists_[place].get());
    }
    return ordered;
}

void LibraryTables::start(LibraryTasks& tasks)
{
    for (auto* worker : parents_first()) {
        tasks.spawn(worker->name(), worker->run());
    }
    for (const auto& worker : details_) {
        tasks.spawn(worker->name(), worker->run());
    }
}

asio::awaitable<void> LibraryTables::run_once()
{
    for (auto* worker : parents_first()) {
        co_await worker->run_once();
    }
    for (const auto& worker : details_) {
        co_await worker->run_once();
    }
}

sync::ResourceWorker* LibraryTables::find(const std::string& name) const
{
    const auto found =
        std::find_if(lists_.begin(), lists_.end(), [&name](const auto& worker) { return worker->name() == name; });
    return found == lists_.end() ? nullptr : found->get();
}

bool LibraryTables::has(const std::string& name) const
{
    const auto is_it = [&name](const auto& worker) { return worker->name() == name; };
    return find(name) != nullptr || std::any_of(details_.begin(), details_.end(), is_it);
}

asio::awaitable<Result<void>> LibraryTables::read_summary(std::string table)
{
    if (auto* const worker = find(table)) {
        co_return co_await worker->read_summary();
    }
    for (const auto& details : details_) {
        if (details->name() == table) {
            co_return co_await details->read_summary();
        }
    }
    co_return Result<void>();
}

bool LibraryTables::have_rows() const
{
    return std::any_of(lists_.begin(), lists_.end(),
                       [](const auto& worker) { return worker->report().summary.as_of.has_value(); });
}

void LibraryTables::report_changed(std::size_t place)
{
    changed_();
    for (const auto& details : details_) {
        if (place < lists_.size() && details->list() == lists_[place]->name()) {
            details->look(lists_[place]->report().passes_ended);
        }
    }
}

std::string LibraryTables::feed_positions() const
{
    std::string positions;
    for (const auto& worker : lists_) {
        positions += worker->report().summary.feed_position + " ";
    }
    for (const auto& worker : details_) {
        positions += worker->report().summary.feed_position + " ";
    }
    return positions;
}

void LibraryTables::wake_blocked()
{
    for (const auto& worker : lists_) {
        worker->wake_if_blocked();
    }
    for (const auto& worker : details_) {
        worker->wake_if_blocked();
    }
}

void LibraryTables::recheck_due()
{
    for (const auto& worker : lists_) {
        worker->recheck_due();
    }
    for (const auto& worker : details_) {
        worker->recheck_due();
    }
}

void LibraryTables::wake_details_of(const std::string& list)
{
    for (const auto& details : details_) {
        if (details->list() == list) {
            details->try_again();
        }
    }
}

void LibraryTables::refill_all_but(const std::string& filled)
{
    for (const auto& worker : lists_) {
        if (worker->name() != filled) {
            worker->refill();
        }
    }
}

}  // namespace shelfd::app
