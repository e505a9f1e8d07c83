// The tables of a library as they are kept: a worker for each list and for each table of details.
#pragma once

#include "app/library/library_tasks.hpp"
#include "config/model/model.hpp"
#include "sync/details/detail_worker.hpp"
#include "sync/library/context.hpp"
#include "sync/plan/rhythm.hpp"
#include "sync/worker/idle_rest.hpp"
#include "sync/worker/resource_worker.hpp"

#include <functional>
#include <string>
#include <vector>

namespace shelfd::app {

// Loop only; `context` outlives it. Knows who waits for whom: lists by parent follow the table of their parents,
// details the table of their list.
class LibraryTables {
public:
    // `changed` is called after every change of a worker's report.
    LibraryTables(sync::LibraryContext& context, std::function<void()> changed)
        : context_(context), changed_(std::move(changed))
    {
    }

    // Makes the workers and reads what the mirror knows; `rhythms` are those of the resources, in their order.
    asio::awaitable<Result<void>> load_lists(const std::vector<sync::Rhythm>& rhythms);
    // After the lists. Every table is then marked as paused, or not any more, as the configuration says.
    asio::awaitable<Result<void>> load_details();

    // Begins every schedule, tables of parents first.
    void start(LibraryTasks& tasks);
    // Every schedule once, one after the other.
    asio::awaitable<void> run_once();

    const sync::Workers& lists() const { return lists_; }
    const sync::DetailWorkers& details() const { return details_; }
    // nullptr when there is no list of this name.
    sync::ResourceWorker* find(const std::string& name) const;
    // A list, or a table of details.
    bool has(const std::string& name) const;
    bool have_rows() const;

    // What was blocked by the token set tries again now.
    void wake_blocked();
    // Somebody asks for a pass over the list: what keeps its details may be over, too.
    void wake_details_of(const std::string& list);
    // The mirror began anew: every list wants a pass now, except `filled`; "" = none is filled.
    void refill_all_but(const std::string& filled);

private:
    void follow_parents();
    std::vector<sync::ResourceWorker*> parents_first() const;
    void report_changed(std::size_t place);
    template <typename Workers>
    asio::awaitable<Result<void>> mark_paused(const Workers& workers);

    sync::LibraryContext& context_;
    std::function<void()> changed_;
    sync::Workers lists_;  // in configuration order
    sync::DetailWorkers details_;
};

}  // namespace shelfd::app
