#include "ctl/line/grammar.hpp"

#include "base/version.hpp"
#include "ctl/line/verb_groups.hpp"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <fmt/format.h>

namespace shelfd::ctl {
namespace {

constexpr auto examples = R"(
Examples:
  shelfctl status
  shelfctl auth import antwerp < token.json
  shelfctl sync antwerp recipes
  shelfctl wait --fresh 15m --timeout 10m
  shelfctl sql antwerp "SELECT resource, state, as_of FROM freshness"

Exit: 0 done, 1 failed or late, 2 a person must act, 3 no daemon, 4 changes are missing, 64 bad command line,
74 a disk cannot be written, 75 try again later, 77 not allowed, 78 faults in the configuration.
Manual: shelfctl(1), shelfd.toml(5).)";

}  // namespace

Grammar::~Grammar() = default;

Grammar::Grammar(Command& command)
    : app_(std::make_unique<CLI::App>("Control shelfd, which keeps SQLite mirrors of libraries behind a web API.",
                                      "shelfctl"))
{
    app_->require_subcommand(1);
    app_->get_formatter()->label("SUBCOMMAND", "VERB");
    app_->set_help_flag("-h,--help", "print this help and exit");
    app_->footer("\n"
                 "Every verb also accepts --config FILE, --socket PATH and --no-color. Manual: shelfctl(1).");
    app_->option_defaults()->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
    app_->set_version_flag("--version", fmt::format("shelfctl {}", version), "print the version and exit");
    app_->add_option("--config", command.config_file, "configuration file (default: /etc/shelfd/shelfd.toml)")
        ->type_name("FILE");
    app_->add_option("--socket", command.socket, "control socket (default: $SHELFD_SOCKET, else as configured)")
        ->type_name("PATH");
    app_->add_flag("--no-color", command.no_color, "no colours, as with NO_COLOR");
    VerbAdder add(*app_, command);
    for (auto* group : {add_start, add_look_verbs, add_sync_verbs, add_sql, add_mirror_verbs, add_held, add_inquiries,
                        add_auth, add_library, add_alerts, add_care, add_config, add_rest}) {
        group(add);
    }
    app_->footer(examples);  // the verbs have inherited the short footer
}

}  // namespace shelfd::ctl
