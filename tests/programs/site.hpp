// A service, a configuration and a storage directory: everything around the daemon that a test starts.
#pragma once

#include "daemon_process.hpp"
#include "sim/server.hpp"
#include "support/process.hpp"
#include "support/temp_directory.hpp"

#include <memory>
#include <string>
#include <vector>

namespace shelfd {

// What a site is made of; the parts of the configuration are TOML.
struct SiteOptions {
    sim::WorldOptions world = {};
    std::string resources = "[resource.recipes]\npath = \"/api/v2/library/recipes/\"\n";
    std::string service = "";                          // more keys of [service]
    std::vector<std::string> libraries = {"antwerp"};  // the first is lib01 of the service, the next lib02
    enum class Line { plain, tls } line = Line::plain;
};

// shelfctl on its way, its output in a file that can be read meanwhile.
class CtlProcess {
public:
    CtlProcess(Process::Settings settings) : output_(settings.stdout_file), process_(settings) {}
    std::string output() const { return read_file(output_); }
    bool running() { return process_.running(); }
    int wait() { return process_.wait().code; }

private:
    std::string output_;
    Process process_;
};

// The directory may be entered by every user; its configuration may be read by all of them, its secrets by none.
class Site {
public:
    explicit Site(SiteOptions options = {});

    sim::Server& service() { return *server_; }
    const TempDirectory& directory() const { return directory_; }
    std::string mirror(const std::string& library = "antwerp") const;
    std::string socket() const { return directory_ / "control.sock"; }
    std::string config_file() const { return directory_ / "shelfd.toml"; }
    // The configuration for such libraries, and one that replaces it.
    std::string config_text(const std::vector<std::string>& libraries);
    void write_config(const std::string& text) const;

    // Started, not awaited. Its log is a file of the site.
    std::unique_ptr<DaemonProcess> start(const std::vector<std::string>& options = {},
                                         const std::vector<std::string>& under = {}, std::string config_file = "");
    std::unique_ptr<DaemonProcess> start_ready();
    // One that serves, has a sealed token set for each library, and has mirrored everything once.
    std::unique_ptr<DaemonProcess> start_synced();

    Ran ctl(const std::vector<std::string>& arguments, const std::string& input = "",
            const std::vector<std::string>& under = {});
    // The same, but a complaint fails the test.
    std::string ctl_done(const std::vector<std::string>& arguments, const std::string& input = "");
    std::unique_ptr<CtlProcess> begin_ctl(const std::vector<std::string>& arguments);
    // The newest token set of the library, as a person would paste it.
    std::string token_response(const std::string& library = "antwerp");
    void import_set(const std::string& library = "antwerp");

    // The only field of the only row.
    std::string sql(const std::string& query, const std::string& library = "antwerp") const;
    // What the daemon that was started last has said.
    std::string last_log() const;
    // Everything shelfctl has printed so far.
    const std::string& printed() const { return printed_; }

private:
    std::string name_at_service(const std::string& library) const;
    std::vector<std::string> ctl_line(const std::vector<std::string>& arguments,
                                      const std::vector<std::string>& under) const;

    TempDirectory directory_;
    SiteOptions options_;
    std::unique_ptr<sim::Server> server_;
    std::string printed_;
    int started_ = 0;
};

// The value, or the test fails with the error's text.
template <typename T>
T must(Result<T> result)
{
    if (!result) {
        throw std::runtime_error(result.error().text());
    }
    if constexpr (!std::is_void_v<T>) {
        return std::move(*result);
    }
}

// Gives every recipe of the first library this `version`.
sim::Edit change_of_all_recipes(Site& site, int version);

// A token set as the token endpoint would answer it.
std::string paste_of(const sim::SetView& set);

inline const std::string recipes_path = "/api/v2/library/recipes/";

}  // namespace shelfd
