// All libraries that run, and the change from one configuration of them to the next.
#pragma once

#include "app/library/absent_sets.hpp"
#include "app/library/library_unit.hpp"
#include "app/services/daemon_services.hpp"
#include "app/services/restarts.hpp"
#include "config/model/model.hpp"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace shelfd::app {

// Loop only. Units are shared with the operations that watch them; a replaced unit answers as stopped. Functions that
// stop a unit (open with an error, replace, stop) disable cancellation for the whole stack of coroutines that awaits
// them, for good, as LibraryUnit::stop does.
class LibrarySet {
public:
    // Between two tries to open absent libraries.
    static constexpr Duration between_openings = std::chrono::seconds(20);

    explicit LibrarySet(DaemonServices& services) : services_(services), absent_sets_(services) {}

    // Opens the libraries that can be opened; the others are `absent`, whatever their error: a time zone that this
    // machine no longer has, or a mirror that another program locks, must not keep the others from running. On an error
    // none could be opened, and a restart may help.
    asio::awaitable<Result<void>> open(const config::Libraries& libraries);
    void start();
    // Makes `libraries` the ones that run: unchanged ones continue, others are stopped in order and opened again.
    // Returns a line for each change. On an error, what ran before runs again or is `absent`; a library that was absent
    // before and still cannot be opened is no error. Client secrets count as changed; what waits for one is tried.
    asio::awaitable<Result<std::vector<std::string>>> replace(const config::Libraries& libraries);
    // Stops that library and takes it out of the set: until the configuration is without it, it is `absent`.
    asio::awaitable<void> retire(const std::string& library, std::string why);
    // A library that should run and could not be opened, at the start or after a refused reload.
    struct Absence {
        std::string why;
        Instant since;
        std::string cure = {};  // "" = none is known
    };
    const std::map<std::string, Absence>& absent() const { return absent_; }
    // The keeper of the token set of such a library; nullptr if it has none, or its store cannot be opened.
    const oauth::TokenKeeper* absent_set(const std::string& library) const { return absent_sets_.find(library); }
    // Opens those of `libraries` that do not run. Not concurrently with `replace`; see there.
    asio::awaitable<void> restore(const config::Libraries& libraries);
    // Stops the libraries whose time to restart after a bug has come, once their token exchanges are completed, and
    // opens them again. Called like `restore`.
    asio::awaitable<void> begin_again(const config::Libraries& libraries);
    // When begin_again() has work; empty if no library was stopped by a bug.
    std::optional<BootTime> begins_again_at() const;
    asio::awaitable<void> stop();
    // The libraries that `replace` or `begin_again` opens again just now: `find` and `units` do not have them.
    Restarts& restarts() { return restarts_; }
    const Restarts& restarts() const { return restarts_; }

    // nullptr if there is none of that name.
    std::shared_ptr<LibraryUnit> find(const std::string& name) const;
    const std::vector<std::shared_ptr<LibraryUnit>>& units() const { return units_; }
    // Calls `act` for each. An exception is a bug of that library alone, in the task `what`.
    void for_each(const std::string& what, const std::function<void(LibraryUnit&)>& act) const;
    // The library other than `except` that has, or is being given, the refresh token with that fingerprint; "" = none.
    std::string holder_of(const std::string& fingerprint, const std::string& except) const;

private:
    using Units = std::vector<std::shared_ptr<LibraryUnit>>;
    asio::awaitable<Result<std::shared_ptr<LibraryUnit>>> open_unit(std::shared_ptr<const config::Library> library);
    // If that fails, its set is kept all the same, unless it is not clear what belongs to the library.
    asio::awaitable<Result<std::shared_ptr<LibraryUnit>>> open_one(std::shared_ptr<const config::Library> library);
    asio::awaitable<void> keep_set(std::shared_ptr<const config::Library> library);
    // What is being opened at the start.
    struct Queue {
        const config::Libraries& libraries;
        std::size_t next = 0;
        struct Failure {
            std::optional<Error> error = {};
            bool keeps_set = false;
        };
        std::vector<Failure> failures;  // of each library
    };
    asio::awaitable<void> open_next(Queue& queue);
    asio::awaitable<Result<void>> open_added(const config::Libraries& libraries, const config::Libraries& before,
                                             Units& opened, std::vector<std::string>& changes);
    void adopt(const config::Libraries& libraries, const Units& opened);
    void record_absent(const std::string& library, const Error& error);
    void part_shared_sets(const Units& opened);
    std::string renewer_of(const std::string& mark, const LibraryUnit* except) const;
    asio::awaitable<void> release_other_sets();
    void start_all(const Units& units);
    void begin_restart(const std::shared_ptr<LibraryUnit>& unit);
    asio::awaitable<void> stop_all_but(const config::Libraries& libraries);
    asio::awaitable<void> stop_units(Units units);

    DaemonServices& services_;
    Units units_;  // in configuration order
    Restarts restarts_;
    std::map<std::string, Absence> absent_;
    AbsentSets absent_sets_;
};

}  // namespace shelfd::app
