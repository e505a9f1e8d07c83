// All parts of a daemon but its sockets, over the simulated service, in simulated time, on one thread: with its
// configuration files, its status as shelfctl shows it, and a hook that posts.
#pragma once

#include "app/alerts/alerts.hpp"
#include "app/configuration/effective_configuration.hpp"
#include "app/configuration/reloader.hpp"
#include "app/library/library_set.hpp"
#include "app/operations/library_operations.hpp"
#include "app/report/daemon_report.hpp"
#include "app/service_client.hpp"
#include "app/services/daemon_services.hpp"
#include "runtime/async/async_event.hpp"
#include "runtime/async/task_group.hpp"
#include "sim/service.hpp"
#include "support/simulated_clock.hpp"
#include "support/temp_directory.hpp"

#include <boost/asio/io_context.hpp>

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace shelfd {

struct DaemonOptions {
    sim::WorldOptions world = {};
    std::string service = {};         // more keys of [service]
    std::string rate_limit = "none";  // its key of that name
    std::string identity = "identity = { path = \"/api/v2/accounts/libraries/current/\", field = \"id\" }\n";
    std::string resources = {};                                 // more tables; "" = recipes and ingredients
    std::string more = {};                                      // after the tables of resources
    std::map<std::string, std::string> of_library = {};         // more keys of its table
    std::vector<std::string> libraries = {"antwerp", "ghent"};  // the first is lib01 of the service, the next lib02
    std::function<void(sim::World&)> prepare = {};              // before anything is requested
};

// A token set is imported for each library before anything else happens.
class DaemonBench {
public:
    explicit DaemonBench(DaemonOptions options = {});
    ~DaemonBench();

    // What the next write of the configuration takes.
    DaemonOptions& options() { return options_; }
    void write_config() const;
    void start();
    void stop();
    // Also if the file is refused.
    Result<control::ReloadReport> apply();
    // The same through the operations, for a user's command: `verb` has written the table of `library` in the
    // configuration; "reload" writes none.
    Result<control::ReloadReport> reload_for(const std::string& verb, const std::string& library);
    // Also if the file is refused.
    void reload();
    // Returns at once; when the reload has ended, `reloaded` is its outcome.
    void begin_reload();
    std::optional<Result<control::ReloadReport>> reloaded;

    void pass_time(Duration by) { clock.advance_by(by); }
    sim::LockedWorld world() { return service.world(); }
    void fail(sim::Fault fault) { world()->faults.add(std::move(fault)); }
    // A set that the library's owner issues now, as it is pasted.
    Result<control::ImportReport> import_set(const std::string& library = "antwerp",
                                             control::Sealing sealing = control::Sealing::seal);
    std::string mirror(const std::string& library = "antwerp") const;
    std::string tokens(const std::string& library = "antwerp") const { return files / ("tokens/" + library); }
    static std::string name_at_service(const std::string& library);

    control::Status status() const { return operations_->status(); }
    // What `shelfctl status` prints, and with --json.
    std::string screen() const;
    std::string json() const;

    // One call of the hook `pager`, which is called for everything.
    struct Call {
        Instant at;
        std::string body;
        // A member of the body that is text; "" for null.
        std::string text(const std::string& member) const;
        bool has(const std::string& member) const;
    };
    std::vector<Call> calls;  // in their order
    // The status with which the hook `consumer` answers.
    int consumer_answers = 200;
    // The same for `pager`; a call that it does not accept is not in `calls`.
    int pager_answers = 200;

    asio::io_context loop;
    SimulatedClock clock;
    TempDirectory files;
    sim::Service service;
    ServiceClient client{clock, service};
    WorkerPool workers{0};
    std::vector<std::string> log_lines;
    std::string machine_id = "0123456789abcdef0123456789abcdef";

    app::LibraryOperations& operations() { return *operations_; }
    app::LibrarySet& libraries() { return *libraries_; }
    // Of the configuration in effect; not part of `status`.
    std::vector<control::Notice> notices() const { return reloader_->notices(); }

private:
    class Network;

    asio::awaitable<void> reload_to_end();
    app::DaemonServices make_services();
    std::string config_text() const;

    DaemonOptions options_;
    std::unique_ptr<Network> network_;
    std::mt19937_64 random_{1};
    AsyncEvent changed_;
    std::optional<app::EffectiveConfiguration> configuration_;
    std::optional<app::DaemonLog> log_;
    std::optional<app::DaemonServices> services_;
    std::optional<app::LibrarySet> libraries_;
    std::optional<app::Reloader> reloader_;
    std::optional<app::DaemonReport> report_;
    std::optional<TaskGroup> tasks_;
    std::optional<app::Alerts> alerts_;
    std::optional<app::LibraryOperations> operations_;
};

// The error of the real client, over a real network, for a GET of that address. `loop` is the server's, if the address
// has one of the test.
Error error_of_request(asio::io_context& loop, const std::string& url, const http::Route& route = {});

}  // namespace shelfd
