// All libraries that run, and the change from one configuration of them to the next.
#pragma once

#include "app/library/library_unit.hpp"
#include "app/services/daemon_services.hpp"
#include "config/model/model.hpp"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace shelfd::app {

// Loop only. Units are shared with the operations that watch them; a unit that was replaced answers as stopped.
// Whatever stops a unit (open with an error, replace, stop) switches cancellation off for the whole stack of coroutines
// that awaits it, for good, as LibraryUnit::stop does.
class LibrarySet {
public:
    // Between two tries to open those that are absent.
    static constexpr Duration between_openings = std::chrono::seconds(20);

    explicit LibrarySet(DaemonServices& services) : services_(services) {}

    // Opens those that can be; the others are `absent`. With an error none is: the configuration is wrong, another
    // daemon is at work, or not one could be opened and a restart may mend that.
    asio::awaitable<Result<void>> open(const config::Libraries& libraries);
    void start();
    // Makes `libraries` what runs: unchanged ones go on untouched, others are stopped in order and opened anew.
    // Returns a line for each change. On an error what ran before runs again, or is `absent`; what was absent before
    // and still cannot be opened is no error. Client secrets count as changed: what waits for one is tried at once.
    asio::awaitable<Result<std::vector<std::string>>> replace(const config::Libraries& libraries);
    // Those that should run and could not be opened, at the start or again after a reload that was refused, with the
    // reason.
    const std::map<std::string, std::string>& absent() const { return absent_; }
    // Tries these again; `libraries` is what should run. To be called as `replace`, never beside it.
    asio::awaitable<void> restore(const config::Libraries& libraries);
    // Ends those that a bug has stopped and whose time has come, once their token exchanges have landed, and opens them
    // anew. To be called as `restore`.
    asio::awaitable<void> begin_again(const config::Libraries& libraries);
    // When that has something to do; empty where no bug has stopped any.
    std::optional<BootTime> begins_again_at() const;
    asio::awaitable<void> stop();

    // nullptr when there is none of that name.
    std::shared_ptr<LibraryUnit> find(const std::string& name) const;
    const std::vector<std::shared_ptr<LibraryUnit>>& units() const { return units_; }
    // The library other than `except` that has, or is just being given, the refresh token with that fingerprint;
    // "" = none.
    std::string holder_of(const std::string& fingerprint, const std::string& except) const;

private:
    using Units = std::vector<std::shared_ptr<LibraryUnit>>;
    asio::awaitable<Result<std::shared_ptr<LibraryUnit>>> open_one(std::shared_ptr<const config::Library> library);
    void record_absent(const std::string& library, std::string why);
    void part_shared_sets(const Units& opened);
    void start_all(const Units& units);
    asio::awaitable<void> stop_all_but(const config::Libraries& libraries);
    asio::awaitable<void> stop_units(Units units);

    DaemonServices& services_;
    Units units_;  // in configuration order
    std::map<std::string, std::string> absent_;
};

// The library of that name, for as long as somebody uses it. Errors: not_found, naming those that there are;
// needs_person for one that is configured and does not run.
Result<LibraryUnit::Use> use_library(const LibrarySet& libraries, const std::string& name);

}  // namespace shelfd::app
