// What alerts know, and its durable copy: incidents, facts about services, calls that wait.
#pragma once

#include "app/alerts/alert_file.hpp"
#include "config/model/model.hpp"
#include "control/hooks/alert_record.hpp"
#include "control/model/alerts.hpp"
#include "control/model/status.hpp"
#include "runtime/async/async_event.hpp"
#include "runtime/async/clock.hpp"
#include "runtime/async/worker_pool.hpp"
#include "runtime/log/log.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace shelfd::app {

// Loop only. Whoever changes the parts then calls `keep`; a change of `queue` must be reported by `touch`.
class AlertStore {
public:
    // `directory` is for the file; `clock` outlives it.
    AlertStore(Clock& clock, Lane disk, Log log, std::string directory);

    // Reads what the last process left; if that fails, begins empty, and `notices` says so. Called first.
    asio::awaitable<void> load();
    bool is_loaded() const { return is_loaded_; }
    void touch() { is_touched_ = true; }
    // The libraries that are configured now: a silence follows one that was renamed. May be called before `load`.
    void follow_renames(const config::Libraries& libraries);
    // Returns when all changes before the call are durable, or cannot be written: then the next call tries again.
    asio::awaitable<void> keep();

    // A call that was not tried yet waits while its incident is perhaps over: until that is certain, or it is back.
    void hold_ending();

    // A call waits while all libraries that its hook would hear of are silenced, also one that was tried.
    void hold_silenced(const std::vector<control::HookRule>& rules);

    // Silences one of these libraries, or all, and lets calls wait accordingly.
    control::SilenceReport silence(const control::SilenceRequest& request, const std::vector<std::string>& libraries,
                                   const std::vector<control::HookRule>& rules);

    std::vector<control::Notice> notices() const;

    control::IncidentBook book;
    control::FactWatch facts;
    control::RoundWatch rounds;
    control::CallQueue queue;

private:
    bool take_changed();

    Clock& clock_;
    Lane disk_;
    Log log_;
    AlertFile file_;
    AsyncMutex keeping_;                               // one record at a time goes to the disk
    std::map<std::string, std::string> former_names_;  // of libraries, by present name
    bool is_loaded_ = false;
    bool is_touched_ = false;
    std::string trouble_;                 // of the disk
    bool is_unread_ = false;              // the trouble is that of load()
    bool is_disk_full_ = false;           // that trouble is that no space is left
    std::optional<Instant> since_;        // of that
    std::vector<control::Notice> found_;  // by `load`
};

}  // namespace shelfd::app
