#include "site.hpp"

#include "sim/json.hpp"
#include "sim/self_signed.hpp"
#include "storage/sqlite.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include <sys/stat.h>

namespace shelfd {
namespace {

// A dollar sign means the environment in a configuration.
std::string quoted(const std::string& text)
{
    std::string out = "\"";
    for (const char c : text) {
        out += c == '$' ? "$$" : c == '"' || c == '\\' ? std::string("\\") + c : std::string(1, c);
    }
    return out + "\"";
}

void make_directory(const std::string& path, unsigned mode)
{
    if (mkdir(path.c_str(), 0700) != 0 || chmod(path.c_str(), mode) != 0) {
        throw std::runtime_error("cannot make " + path);
    }
}

}  // namespace

Site::Site(SiteOptions options) : options_(std::move(options))
{
    auto world = options_.world;
    world.libraries = std::max<std::size_t>(2, options_.libraries.size());
    sim::ServerOptions server{.world = world};
    if (options_.line == SiteOptions::Line::tls) {
        server.tls = must(sim::self_signed_certificate());
        write_file(directory_ / "service.pem", server.tls->chain, 0644);
        options_.service += fmt::format("ca_file = {}\n", quoted(directory_ / "service.pem"));
    }
    server_ = must(sim::Server::start(std::move(server)));
    chmod(directory_.path().c_str(), 0755);
    make_directory(directory_ / "mirrors", 0750);
    make_directory(directory_ / "tokens", 0700);
    make_directory(directory_ / "secrets", 0700);
    write_config(config_text(options_.libraries));
}

std::string Site::name_at_service(const std::string& library) const
{
    const auto& known = options_.libraries;
    const auto number = std::find(known.begin(), known.end(), library) - known.begin() + 1;
    // Any other name is the second's, such as one that it gets later.
    const bool is_third = number > 2 && number <= std::ssize(known);
    return library == "antwerp" ? "lib01" : is_third ? fmt::format("lib{:02}", number) : "lib02";
}

std::string Site::mirror(const std::string& library) const
{
    return directory_ / ("mirrors/" + library + "/" + library + ".db");
}

std::string Site::config_text(const std::vector<std::string>& libraries)
{
    auto text = fmt::format(R"([service]
base_url   = "{}"
rate_limit = "none"
page_size  = 100
identity   = {{ path = "/api/v2/accounts/libraries/current/", field = "id" }}
{}
[storage]
mirrors      = {}
tokens       = {}
allow_unsafe = true

[control]
socket = {}

[log]
level  = "debug"
format = "json"

[defaults]
every = "1h"
splay = "0%"

{}
)",
                            server_->url(), options_.service, quoted(directory_ / "mirrors"),
                            quoted(directory_ / "tokens"), quoted(socket()), options_.resources);
    for (const auto& library : libraries) {
        const auto customer = server_->world()->library(name_at_service(library));
        const auto secret_file = directory_ / ("secrets/" + library);
        write_file(secret_file, customer.client_secret);
        text += fmt::format("[library.{}]\nclient_id = {}\nclient_secret = {{ file = {} }}\nlibrary_id = {}\n\n",
                            library, quoted(customer.client_id), quoted(secret_file), customer.id);
    }
    return text;
}

void Site::write_config(const std::string& text) const
{
    write_file(config_file(), text, 0644);
}

std::unique_ptr<DaemonProcess> Site::start(const std::vector<std::string>& options,
                                           const std::vector<std::string>& under, std::string config)
{
    DaemonStart start;
    start.arguments = {"--config", config.empty() ? config_file() : config};
    start.arguments.insert(start.arguments.end(), options.begin(), options.end());
    start.under = under;
    start.log_file = directory_ / fmt::format("shelfd-{}.log", ++started_);
    return std::make_unique<DaemonProcess>(std::move(start));
}

std::unique_ptr<DaemonProcess> Site::start_ready()
{
    auto daemon = start();
    daemon->await_ready();
    return daemon;
}

std::unique_ptr<DaemonProcess> Site::start_synced()
{
    auto daemon = start_ready();
    for (const auto& library : options_.libraries) {
        import_set(library);
    }
    ctl_done({"wait", "--timeout", "5m"});
    return daemon;
}

std::vector<std::string> Site::ctl_line(const std::vector<std::string>& arguments,
                                        const std::vector<std::string>& under) const
{
    auto line = under;
    line.push_back(built_program("shelfctl"));
    line.insert(line.end(), arguments.begin(), arguments.end());
    line.insert(line.end(), {"--config", config_file()});
    return line;
}

Ran Site::ctl(const std::vector<std::string>& arguments, const std::string& input,
              const std::vector<std::string>& under)
{
    auto ran = run_program(ctl_line(arguments, under), clean_environment(), input);
    printed_ += ran.out + ran.err;
    return ran;
}

std::string Site::ctl_done(const std::vector<std::string>& arguments, const std::string& input)
{
    const auto ran = ctl(arguments, input);
    if (ran.code != 0) {
        throw std::runtime_error(
            fmt::format("shelfctl {}: exit {}\n{}{}", fmt::join(arguments, " "), ran.code, ran.out, ran.err));
    }
    return ran.out;
}

std::unique_ptr<CtlProcess> Site::begin_ctl(const std::vector<std::string>& arguments)
{
    Process::Settings settings;
    settings.argv = ctl_line(arguments, {});
    settings.environment = clean_environment();
    settings.stdout_file = directory_ / fmt::format("shelfctl-{}.out", ++started_);
    settings.stderr_file = settings.stdout_file;
    return std::make_unique<CtlProcess>(settings);
}

std::string Site::token_response(const std::string& library)
{
    return paste_of(server_->world()->view_set(name_at_service(library)));
}

void Site::import_set(const std::string& library)
{
    ctl_done({"auth", "import", library}, token_response(library));
}

std::string Site::last_log() const
{
    return read_file(directory_ / fmt::format("shelfd-{}.log", started_));
}

std::string Site::sql(const std::string& query, const std::string& library) const
{
    auto database = must(storage::Database::open(mirror(library), storage::OpenMode::read_only));
    auto statement = must(database.prepare(query));
    if (!must(statement.step())) {
        throw std::runtime_error("no row: " + query);
    }
    return std::string(statement.text(0));
}

sim::Edit change_of_all_recipes(Site& site, int version)
{
    auto world = site.service().world();
    sim::Edit edit;
    for (const auto* row : world->find_list(world->library("lib01"), "library/recipes")->ordered({})) {
        edit.change.push_back(sim::Json::object({{"id", row->id}, {"version", version}}));
    }
    return edit;
}

std::string paste_of(const sim::SetView& set)
{
    return to_text(sim::Json::object({{"access_token", set.access_token},
                                      {"expires_in", 604'800},
                                      {"token_type", "Bearer"},
                                      {"scope", set.scope},
                                      {"refresh_token", set.refresh_token}}));
}

}  // namespace shelfd
