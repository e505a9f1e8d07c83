// One library under test: the real parts over a simulated service, in simulated time, on one thread.
#pragma once

#include "app/library/library_unit.hpp"
#include "app/report/status_report.hpp"
#include "app/service_client.hpp"
#include "app/services/daemon_services.hpp"
#include "sim/service.hpp"
#include "storage/sqlite.hpp"
#include "support/simulated_clock.hpp"
#include "support/temp_directory.hpp"

#include <boost/asio/io_context.hpp>

#include <functional>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace shelfd {

struct BenchOptions {
    std::string base_url = "http://service.test";  // the service takes itself for one at http, as behind some proxies
    sim::WorldOptions world = {};
    Duration every = std::chrono::minutes(15);
    std::vector<std::chrono::minutes> at = {};  // in Brussels and without splay, instead of every
    std::uint32_t page_size = 200;
    std::optional<std::uint32_t> requests_per_minute = std::nullopt;
    std::string ordering = "-id";
    std::vector<std::string> resources = {"recipes"};
    std::string family = "library";  // of the lists: library/recipes
    std::optional<config::Incremental> incremental = {};
    Duration full_every = std::chrono::hours(24);  // beside incremental passes
    std::optional<config::Detail> detail = {};
    std::string object_of = "";  // an item's own address, behind that of the list: the table is this item
    std::optional<std::uint64_t> max_body = {};
    std::optional<config::Parent> parent = {};  // of all but that resource; "about" is the address of its rows
    std::optional<config::Window> window = {};
    std::optional<config::Schedule> settle = {};  // of its old windows
    std::string needs = "";                       // scope, of all of them
    bool has_identity = true;
    oauth::ImportMode import_mode = oauth::ImportMode::seal;
    std::vector<std::string> exclude = {};  // of all of them
    std::optional<Duration> snapshot_every = std::nullopt;
    unsigned seed = 1;
    // The hour of the day at which it begins, in UTC, of tomorrow; nothing: now. The view freshness asks SQLite for the
    // time, so it must not be long ago.
    std::optional<int> hour = {};
    std::optional<Instant> begin = {};  // instead, for who does not ask that view; the service's clock goes there, too
    std::function<void(sim::World&)> prepare = {};         // before anything is asked for
    std::function<void(config::Library&)> configure = {};  // whatever the options above have no word for
};

// The token set of the simulated library "lib01" is imported before anything else happens.
class LibraryBench {
public:
    explicit LibraryBench(BenchOptions options = {});
    ~LibraryBench();

    // Somebody sets the wall clock, and the daemon has noticed it.
    void step_wall(Duration by)
    {
        clock.step_wall(by);
        unit->recheck_tables();
    }
    void set_wall(Instant wall)
    {
        clock.set_wall(wall);
        unit->recheck_tables();
    }

    static Instant beginning(const BenchOptions& options);
    // "sales/lines" becomes a ledger whose rows, so many, all lie in its newest window.
    static void make_ledger(BenchOptions& options, std::size_t rows);
    // What the next start takes.
    BenchOptions& options() { return options_; }
    // Opens the unit and starts its schedules; `stop` ends it in order, after which it may be started again.
    void start();
    // Without its schedules.
    void open();
    void stop();
    void import_set(std::size_t number = 0);

    void pass_time(Duration by) { clock.advance_by(by); }
    // From now on the identity page names another library.
    void answer_as_another_library();
    // Asks for a pass of the resource and lets it run to its end.
    sync::PassReport sync(const std::string& resource = "recipes", sync::Wanted wanted = sync::Wanted::ordinary)
    {
        return sync(resource, sync::Wish{wanted});
    }
    sync::PassReport sync(const std::string& resource, sync::Wish wish);
    control::ResourceStatus status(const std::string& resource = "recipes") const;

    // The first column of the first row, as text; "" for NULL or no row.
    std::string query(const std::string& sql) const;
    // The table's ids, in order.
    std::vector<std::int64_t> ids(const std::string& table = "recipes") const;
    sim::LockedWorld world() { return service.world(); }
    std::vector<std::int64_t> service_ids(const std::string& list = "library/recipes");
    // Every row by its id, as JSON text: as the service has it, and as the mirror gives it back.
    using Rows = std::map<std::int64_t, std::string>;
    Rows service_rows(const std::string& list = "library/recipes");
    Rows mirror_rows(const std::string& table = "recipes");

    asio::io_context loop;
    SimulatedClock clock;
    TempDirectory files;
    sim::Service service;
    ServiceClient client{clock, service};
    WorkerPool workers{0};
    std::vector<std::string> log_lines;
    // Called for every line. What it throws is a bug in whoever logs.
    std::function<void(const std::string& line)> logged = [](const std::string&) {};
    std::mt19937_64 random;
    std::unique_ptr<app::DaemonServices> parts;
    std::shared_ptr<app::LibraryUnit> unit;

private:
    void begin_at(Instant begin);
    config::Library make_library() const;

    BenchOptions options_;
    std::string client_id_;
};

}  // namespace shelfd
