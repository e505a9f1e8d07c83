// The tables of a library at run time: a worker for each list and for each table of details.
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

// Loop only; `context` must outlive this object. Connects the workers: lists by parent follow the table of their
// parents, details the table of their list.
class LibraryTables {
public:
    // `changed` is called after every change of a worker's report.
    LibraryTables(sync::LibraryContext& context, std::function<void()> changed)
        : context_(context), changed_(std::move(changed))
    {
    }

    // Makes the workers and reads what the mirror knows; `rhythms` are those of the resources, in order.
    asio::awaitable<Result<void>> load_lists(const std::vector<sync::Rhythm>& rhythms);
    // Call after load_lists. Then marks every table as paused or not, as the configuration says.
    asio::awaitable<Result<void>> load_details();

    // Starts every schedule, tables of parents first.
    void start(LibraryTasks& tasks);
    // Runs every schedule once, one after the other.
    asio::awaitable<void> run_once();

    const sync::Workers& lists() const { return lists_; }
    const sync::DetailWorkers& details() const { return details_; }
    // nullptr if there is no list of this name.
    sync::ResourceWorker* find(const std::string& name) const;
    // True for a list or a table of details.
    bool has(const std::string& name) const;
    bool have_rows() const;
    // An operation has changed the table: the status shows it as it is now, not as after the last pass.
    asio::awaitable<Result<void>> read_summary(std::string table);
    // Differs from that of an earlier call if a table has written to the change feed since.
    std::string feed_positions() const;

    // Tables that were blocked by the token set try again now.
    void wake_blocked();
    // The wall clock was set: every table looks anew when it is due.
    void recheck_due();
    // A person requests a pass over the list: its details may also be unblocked.
    void wake_details_of(const std::string& list);
    // The mirror was created anew: every list needs a pass now, except `filled`; "" = no list is filled.
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
