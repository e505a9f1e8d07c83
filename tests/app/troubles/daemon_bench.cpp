#include "app/troubles/daemon_bench.hpp"

#include "app/idle_care.hpp"
#include "app/record_keeping.hpp"
#include "control/api/reply_json.hpp"
#include "ctl/captured_terminal.hpp"
#include "ctl/status/status_text.hpp"
#include "ctl/status/status_view.hpp"
#include "http/curl/curl_client.hpp"
#include "support/catch.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include <sys/stat.h>

namespace shelfd {
namespace {

using namespace std::chrono_literals;

constexpr const char* two_tables = R"([resource.recipes]
path = "/api/v2/library/recipes/"

[resource.ingredients]
path = "/api/v2/library/ingredients/"
)";

sim::WorldOptions with_two_libraries(sim::WorldOptions world)
{
    world.libraries = std::max<std::size_t>(world.libraries, 2);
    return world;
}

}  // namespace

// Requests of hooks end here, all others at the service.
class DaemonBench::Network final : public http::Client {
public:
    explicit Network(DaemonBench& bench) : bench_(bench) {}

    asio::awaitable<Result<http::Response>> send(http::Request request) override
    {
        if (request.url.starts_with("https://service.test/")) {
            request.headers.push_back({"X-Forwarded-Proto", "https"});  // as a proxy in front of it does
            co_return co_await bench_.client.send(std::move(request));
        }
        co_await bench_.clock.sleep_for(20ms);
        http::Response response;
        response.status = 200;
        if (request.url.starts_with("https://consumer.test/")) {
            response.status = bench_.consumer_answers;
        } else if (bench_.pager_answers != 200) {
            response.status = bench_.pager_answers;
        } else {
            bench_.calls.push_back({bench_.clock.now(), std::string(request.body.reveal())});
        }
        co_return response;
    }

private:
    DaemonBench& bench_;
};

DaemonBench::DaemonBench(DaemonOptions options)
    : clock(loop, SystemClock().now()), service(with_two_libraries(options.world)), options_(std::move(options)),
      network_(std::make_unique<Network>(*this))
{
    std::filesystem::create_directories(files / "mirrors");
    std::filesystem::create_directories(files / "tokens");
    chmod((files / "tokens").c_str(), 0700);
    world()->clock.freeze();  // it follows the test's
    for (const auto& library : options_.libraries) {
        write_file(files / ("secret_" + library), world()->library(name_at_service(library)).client_secret);
    }
    if (options_.prepare) {
        options_.prepare(*world());
    }
    write_config();
    start();
    for (const auto& library : options_.libraries) {
        REQUIRE(import_set(library));
    }
}

DaemonBench::~DaemonBench()
{
    if (libraries_) {
        stop();
    }
}

std::string DaemonBench::name_at_service(const std::string& library)
{
    return library == "antwerp" ? "lib01" : "lib02";
}

std::string DaemonBench::mirror(const std::string& library) const
{
    return files / ("mirrors/" + library + "/" + library + ".db");
}

std::string DaemonBench::config_text() const
{
    auto text = fmt::format(R"([service]
base_url   = "https://service.test"
contact    = "help@service.test"
rate_limit = "{}"
page_size  = 20
{}{}
[storage]
mirrors      = "{}"
tokens       = "{}"
allow_unsafe = true

[control]
socket = "{}"

[defaults]
every = "15m"
splay = "0%"

[hooks.pager]
post = "https://pager.test/in"
on   = ["page", "ticket", "info"]

{}
{}
)",
                            options_.rate_limit, options_.identity, options_.service, files / "mirrors",
                            files / "tokens", files / "control.sock",
                            options_.resources.empty() ? two_tables : options_.resources, options_.more);
    auto world = const_cast<sim::Service&>(service).world();
    for (const auto& library : options_.libraries) {
        text += fmt::format("[library.{}]\nclient_id = \"{}\"\nclient_secret = {{ file = \"{}\" }}\n", library,
                            world->library(name_at_service(library)).client_id, files / ("secret_" + library));
        const auto more = options_.of_library.find(library);
        text += (more == options_.of_library.end() ? "" : more->second) + "\n";
    }
    return text;
}

void DaemonBench::write_config() const
{
    write_file(files / "shelfd.toml", config_text());
}

app::DaemonServices DaemonBench::make_services()
{
    return {
        .executor = loop.get_executor(),
        .clock = clock,
        .client = *network_,
        .workers = {workers, workers, workers},
        .log = log_->log,
        .random = [this] { return std::uniform_real_distribution<double>(0, 1)(random_); },
        .storage = configuration_->settings().storage,
        .host = {.machine_id = machine_id, .boot_id = "11111111-2222-3333-4444-555555555555"},
        .changed =
            [this] {
                ++services_->changes;
                changed_.notify_all();
            },
        .other_holder = [this](const std::string& library,
                               const std::string& fingerprint) { return libraries_->holder_of(fingerprint, library); }};
}

void DaemonBench::start()
{
    const auto file = files / "shelfd.toml";
    auto loaded = config::load(file, {});
    for (const auto& fault : loaded.faults) {
        FAIL_CHECK(to_text(fault));
    }
    REQUIRE(loaded.configuration);
    log_.emplace(
        app::DaemonLog{Log([this](const LogRecord& record) { log_lines.emplace_back(record.message); }), nullptr});
    configuration_.emplace(file, config::Environment(), std::move(*loaded.configuration), clock.now());
    configuration_->record_bad_secrets(app::find_bad_secrets(configuration_->libraries(), "", clock.now()));
    services_.emplace(make_services());
    libraries_.emplace(*services_);
    tasks_.emplace(loop.get_executor());
    report_.emplace(*services_, *configuration_, *libraries_, clock.now());
    app::HookServices services{clock, *network_, Lane(), ""};
    app::Alerts::Services parts{std::move(services),
                                Lane(),
                                log_->log,
                                services_->random,
                                [this] { return report_->status(); },
                                *tasks_,
                                "mirror1"};
    alerts_.emplace(std::move(parts), files / "mirrors/.hooks");
    alerts_->replace(configuration_->settings().hooks, configuration_->libraries());
    app::Reloader::Listeners listeners{
        .begins = [] {},
        .hooks = [this](const auto& hooks, const auto& all) { return alerts_->replace(hooks, all); },
        .listen = [](const config::Control&) { return std::vector<std::string>(); },
        .ended = [] {},
        .failed = [](const std::string&, const std::exception_ptr& error) { std::rethrow_exception(error); }};
    reloader_.emplace(*services_, *configuration_, *libraries_, *log_, "", std::move(listeners));
    operations_.emplace(*libraries_, changed_, *configuration_, *reloader_, *report_, *alerts_);
    const auto opened = clock.run(reloader_->open_libraries());
    if (!opened) {
        FAIL("cannot open the libraries: " << opened.error().text());
    }
    libraries_->start();
    tasks_->spawn(app::tend_idle_libraries(*services_, *libraries_), "idle");
    tasks_->spawn(reloader_->bring_back(), "restarts");
    tasks_->spawn(reloader_->keep_limits(), "limits");
    tasks_->spawn(alerts_->run(), "alerts");
    tasks_->spawn(app::keep_records(*services_, *libraries_, *alerts_), "records");
    clock.settle();
}

void DaemonBench::stop()
{
    reloader_->close();
    tasks_->cancel();
    clock.run(tasks_->join());
    clock.run(libraries_->stop());
    operations_.reset();
    alerts_.reset();
    tasks_.reset();
    report_.reset();
    reloader_.reset();
    libraries_.reset();
    services_.reset();
    configuration_.reset();
}

Result<control::ReloadReport> DaemonBench::apply()
{
    write_config();
    return clock.run(reloader_->reload());
}

Result<control::ReloadReport> DaemonBench::reload_for(const std::string& verb, const std::string& library)
{
    write_config();
    control::ReloadRequest request;
    request.verb = verb == "reload" ? "" : verb;
    request.library = library;
    request.actor = {"erik", verb};
    return clock.run(operations_->reload(std::move(request)));
}

void DaemonBench::reload()
{
    [[maybe_unused]] const auto done = apply();
}

void DaemonBench::begin_reload()
{
    write_config();
    reloaded.reset();
    tasks_->spawn(reload_to_end(), "a reload");
    clock.settle();
}

asio::awaitable<void> DaemonBench::reload_to_end()
{
    auto reloading = reloader_->reload();
    reloaded.emplace(co_await std::move(reloading));
}

Result<control::ImportReport> DaemonBench::import_set(const std::string& library, control::Sealing sealing)
{
    const auto name = name_at_service(library);
    const auto pair = world()->issue_set(name);
    control::ImportRequest request;
    request.library = library;
    request.sealing = sealing;
    request.force = sealing == control::Sealing::access_only;
    request.pasted = Secret(fmt::format("access_token={}\nrefresh_token={}\nexpires_in={}\n", pair.access,
                                        pair.refresh.value_or(""), pair.expires_in.count()));
    return clock.run(operations_->import_set(std::move(request)));
}

std::string DaemonBench::json() const
{
    return control::to_json(status());
}

std::string DaemonBench::screen() const
{
    const auto view = ctl::read_status(json());
    REQUIRE(view);
    ctl::CapturedTerminal captured({.is_terminal = false});
    captured.terminal.print(ctl::status_text(*view, ctl::Detail::trouble, captured.terminal));
    return captured.out;
}

std::string DaemonBench::Call::text(const std::string& member) const
{
    const auto document = boost::json::parse(body);
    const auto& value = document.as_object().at(member);
    return value.is_string() ? std::string(value.get_string()) : "";
}

bool DaemonBench::Call::has(const std::string& member) const
{
    const auto document = boost::json::parse(body);
    return !document.as_object().at(member).is_null();
}

Error error_of_request(asio::io_context& loop, const std::string& url, const http::Route& route)
{
    auto client = http::CurlClient::open(loop.get_executor(), "shelfd-test");
    REQUIRE(client);
    std::optional<Error> error;
    auto asking = [&]() -> asio::awaitable<void> {
        http::Request request;
        request.url = url;
        request.route = route;
        request.timeouts = {1s, 1s, 1s};
        auto answer = co_await (*client)->send(std::move(request));
        if (!answer) {
            error = answer.error();
        }
        loop.stop();
    };
    auto work = asking();
    asio::co_spawn(loop, std::move(work), asio::detached);
    loop.run();
    REQUIRE(error);
    return *error;
}

}  // namespace shelfd
