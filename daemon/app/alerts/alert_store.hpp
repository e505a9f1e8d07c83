// What alerts know, and its durable copy: incidents, facts about services, calls that wait.
#pragma once

#include "app/alerts/alert_file.hpp"
#include "control/hooks/alert_record.hpp"
#include "control/model/status.hpp"
#include "runtime/async/async_event.hpp"
#include "runtime/async/clock.hpp"
#include "runtime/async/worker_pool.hpp"
#include "runtime/log/log.hpp"

#include <string>
#include <vector>

namespace shelfd::app {

// Loop only. The three parts are changed by whoever uses them, who then calls `keep`; a change of `queue` has to be
// named by `touch`.
class AlertStore {
public:
    // `directory` is for the file; `clock` outlives it.
    AlertStore(Clock& clock, Lane disk, Log log, std::string directory);

    // Reads what the last process left; without it, all begins anew, and `notices` says so. Before anything else.
    asio::awaitable<void> load();
    bool is_loaded() const { return is_loaded_; }
    void touch() { is_touched_ = true; }
    // Returns when what changed before the call is durable, or the disk does not take it: then it is tried again at the
    // next call.
    asio::awaitable<void> keep();

    std::vector<control::Notice> notices() const;

    control::IncidentBook book;
    control::FactWatch facts;
    control::CallQueue queue;

private:
    bool take_changed();

    Clock& clock_;
    Lane disk_;
    Log log_;
    AlertFile file_;
    AsyncMutex keeping_;  // one record at a time goes to the disk
    bool is_loaded_ = false;
    bool is_touched_ = false;
    std::string trouble_;                 // of the disk
    std::vector<control::Notice> found_;  // by `load`
};

}  // namespace shelfd::app
