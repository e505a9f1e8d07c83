// Applies the configuration to what runs: reloads, completely or not at all, and libraries that can run again.
#pragma once

#include "app/configuration/effective_configuration.hpp"
#include "app/configuration/reader_lookup.hpp"
#include "app/host/log_settings.hpp"
#include "app/library/library_set.hpp"
#include "app/services/daemon_services.hpp"
#include "app/stores/kept_libraries.hpp"
#include "app/stores/library_removal.hpp"
#include "app/stores/search_rights.hpp"
#include "control/model/operations.hpp"
#include "runtime/async/async_event.hpp"

#include <exception>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace shelfd::app {

// Loop only. One change at a time. All references must outlive this object.
class Reloader {
public:
    struct Listeners {
        std::function<void()> begins;  // a reload
        // Takes the hooks and libraries that are configured now; returns a line for each change. Empty: there are no
        // hooks.
        std::function<std::vector<std::string>(const std::vector<config::Hook>&, const config::Libraries&)> hooks = {};
        // The same for the settings of control.listen.
        std::function<std::vector<std::string>(const config::Control&)> listen = {};
        // Looks up again who may use the control socket; returns a line for each change. Empty: there is no socket.
        std::function<asio::awaitable<std::vector<std::string>>()> rights = {};
        std::function<void()> ended;  // it took effect or was refused
        // A reload ended with an exception, which is a bug.
        std::function<void(const std::string& task, const std::exception_ptr&)> failed;
    };

    // `journal_stream`: $JOURNAL_STREAM.
    Reloader(DaemonServices& services, EffectiveConfiguration& configuration, LibrarySet& libraries, DaemonLog& log,
             std::string journal_stream, Listeners listeners, FindAccount find = find_account)
        : services_(services), configuration_(configuration), libraries_(libraries), log_(log),
          journal_stream_(std::move(journal_stream)), listeners_(std::move(listeners)), find_(std::move(find))
    {
    }

    // The start: completes removals that were ordered before, opens the libraries, and looks for those that are kept
    // without being configured. Errors: see LibrarySet::open.
    asio::awaitable<Result<void>> open_libraries();
    // Continues to its end if the caller is cancelled. On an error the running configuration stays.
    asio::awaitable<Result<control::ReloadReport>> reload();
    // What a reload would warn of, or the error for which it would be refused; changes nothing. Whether a library that
    // is added or changed can be opened is found out by the reload only.
    asio::awaitable<Result<control::ReloadReport>> rehearse() const;
    // Stops a library, removes all its stored data, and returns what it and removals before it that were interrupted
    // have done. Continues to its end if the caller is cancelled; a daemon that is killed meanwhile completes it at the
    // next start.
    asio::awaitable<Result<OrderedRemoval>> remove_library(std::string library, Revoked revoked);
    // What an earlier removal of that library was about to do, if it was interrupted.
    asio::awaitable<std::optional<OrderedRemoval>> earlier_removal(std::string library) const;
    // Whether a removal would destroy a token set that should be revoked and cannot: a library with revocation_path
    // that does not run, or one that is only kept, if any service has a revocation_path; and of which a disk has the
    // set. Errors: storage, permission.
    asio::awaitable<Result<bool>> holds_set_out_of_reach(std::string library) const;
    // Whether a disk has a set of that library, or may have one, or had one when its removal began.
    asio::awaitable<bool> holds_set(std::string library) const;
    // Of these libraries something is kept, as of the last reload.
    const std::vector<KeptLibrary>& kept() const { return kept_; }
    // One for each library of which something is kept without being configured, or whose readers cannot read it, for
    // each reader who is not known on this machine, and for each user whose libraries have several limits.
    std::vector<control::Notice> notices() const;
    // Of libraries without a token set: the former name under which it is probably kept.
    std::map<std::string, std::string> former_names() const;
    // Until cancelled: opens libraries that could not be opened, and restarts those stopped by a bug.
    asio::awaitable<void> bring_back();
    // Until cancelled: looks the readers of libraries up again, every minute while somebody is not known. Libraries
    // whose readers have changed are opened again.
    asio::awaitable<void> keep_readers();
    // Until cancelled: as soon as the service says that libraries are one user, or no longer are, they are opened again
    // with the limit that they share, or with their own.
    asio::awaitable<void> keep_limits();
    // The daemon stops: no further change begins.
    void close() { is_closed_ = true; }

private:
    asio::awaitable<void> reload_shielded(std::optional<Result<control::ReloadReport>>& report);
    asio::awaitable<Result<control::ReloadReport>> reload_in_turn();
    asio::awaitable<void> bring_back_shielded();
    // Runs `work` alone and to its end.
    asio::awaitable<Result<void>> in_turn(std::function<asio::awaitable<void>()> work);
    asio::awaitable<void> look_for_kept(config::Libraries libraries);
    asio::awaitable<SearchRights> let_readers_pass(config::Libraries libraries);
    asio::awaitable<void> renew_access(SearchRights rights);
    asio::awaitable<config::Libraries> look_up_readers(config::Libraries libraries, std::string admins);
    asio::awaitable<void> renew_readers();
    void log_unknown_readers() const;
    asio::awaitable<void> join_known_limits();
    asio::awaitable<void> renew_limits();
    asio::awaitable<void> keep_users(LibraryUsers::All shared);
    asio::awaitable<void> forget_user(std::string library);
    std::vector<control::Notice> user_notices() const;
    std::vector<NewName> unfilled() const;
    void log_sharing(const config::Libraries& next) const;
    asio::awaitable<Result<OrderedRemoval>> remove_in_turn(std::string library, Revoked revoked);
    void warn_of_absent(control::ReloadReport& report, const config::Libraries& configured) const;

    DaemonServices& services_;
    EffectiveConfiguration& configuration_;
    LibrarySet& libraries_;
    DaemonLog& log_;
    const std::string journal_stream_;
    Listeners listeners_;
    const FindAccount find_;
    AccountAnswers account_answers_;  // the newest ones about readers
    AsyncMutex turn_;
    std::vector<KeptLibrary> kept_;
    std::optional<Error> no_passage_;  // why readers of single libraries cannot reach their mirrors
    LibraryUsers::All saved_users_;
    bool owes_limits_ = false;  // libraries could not be opened with the limit that they share now
    bool is_closed_ = false;
};

}  // namespace shelfd::app
