#include "config/check/known_keys.hpp"
#include "config/show.hpp"
#include "files.hpp"

#include "support/catch.hpp"

#include <algorithm>
#include <array>
#include <sstream>
#include <string_view>

using namespace shelfd;
using namespace shelfd::config;
using test::ConfigFiles;

namespace {

Configuration load_good(const ConfigFiles& files)
{
    auto outcome = files.load();
    INFO(test::list(files, outcome.faults));
    REQUIRE(outcome.configuration);
    return std::move(*outcome.configuration);
}

// Every table has all keys that `config show` writes for it, so that no line is a default.
const char* const nothing_left_out = R"([service]
base_url = "https://api.example.com"
auth_url = "https://login.example.com"
rate_limit = "90/min"
limit_group = "all"
leave = 7
quiet = ["22:00-06:00"]
page_size = 500
page_param = "p"
page_size_param = "limit"
ordering_param = "sort"
in_flight = 2
identity = { path = "/me/", field = "id" }
introspection_path = "/introspect/"
revocation_path = "/revoke/"
params = { format = "json" }
headers = { X-Client = "5" }
proxy = "socks5h://[::1]:1080"
ca_file = ")" SHELFD_SOURCE_DIR R"(/tests/config/authority.pem"
connect_timeout = "1s"
idle_timeout = "2m"
total_timeout = "1h"
max_body = "1GiB"
late_after = "3d"
timezone = "Europe/Brussels"
contact = "desk@example.com"
language = "nl"
[application.partner]
client_id = "id"
client_secret = { command = ["/bin/true"] }
client_auth = "basic"
redirect_uri = "https://partner.example.com/back"
scopes = ["library"]
token_kind = "personal"
[defaults]
answers = "list"
needs = "library"
key = "id"
params = { kind = "all" }
ordering = "-modified"
exclude = ["email"]
splay = "2%"
keep_deleted = true
changes = "keys"
[resource.recipes]
path = "/recipes/"
every = "1h"
incremental = { param = "since", field = "modified" }
full = { every = "2d" }
detail = { path = "/recipes/{id}/" }
[resource.lines]
path = "/recipes/{recipe_id}/lines/"
every = "1h"
parent = { resource = "recipes", key = "id", as = "recipe_id" }
[resource.sales]
path = "/sales/"
at = ["07:00"]
days = ["mon"]
timezone = "Europe/Brussels"
window = { from = "from", field = "day", step = "1d", since = "2023-01-01" }
full = { at = ["08:00"], back = "10d" }
settle = { every = "30d", back = "99d" }
[library.one]
application = "partner"
library_id = 42
vars = { region = "eu" }
paused = true
formerly = "uno"
readers = ["root"]
note = "Ask first."
[storage]
mirrors = "/srv/mirrors"
tokens = "/srv/tokens"
tokens_copy = "/mnt/tokens"
machine_id = "m1"
allow_unsafe = true
[control]
socket = "/tmp/s.sock"
readers = ""
admins = "wheel"
listen = "0.0.0.0:9464"
listen_anywhere = true
listen_token = { command = ["/bin/true"] }
[log]
level = "debug"
format = "json"
[changes]
keep = "7d"
max_rows = 5000
[deletions]
max_share = "2%"
min_rows = 1
[snapshot]
every = "6h"
[hooks.mail]
on = ["page"]
command = ["/bin/true"]
repeat = "1d"
timeout = "5s"
[hooks.chat]
on = ["page"]
on_publish = ["recipes"]
post = "https://chat.example.com/"
headers = { X-Kind = "plain" }
after = "1m"
repeat = "1d"
timeout = "5s"
libraries = ["one"]
)";

bool is_inside_a_value(Section section)
{
    return section >= Section::identity;
}

}  // namespace

TEST_CASE("every key that is written has an origin, whatever its table")
{
    const ConfigFiles files(nothing_left_out);
    const auto configuration = load_good(files);
    const auto shown = show(configuration, ShowOrigin::yes);
    std::istringstream lines(shown);
    for (std::string line; std::getline(lines, line);) {
        INFO(line);
        const bool is_value = !line.empty() && !line.starts_with('[');
        CHECK((!is_value || line.find("  # " + files.path("shelfd.toml") + ":") != std::string::npos));
    }
    // These select what is shown, and are not shown themselves.
    constexpr std::array<std::string_view, 3> selections = {"resources", "default", "enabled"};
    for (const auto& key : known_keys()) {
        INFO(key.name);
        const bool is_shown = key.supported && !is_inside_a_value(key.section) &&
                              std::find(selections.begin(), selections.end(), key.name) == selections.end();
        CHECK((!is_shown || shown.find("\n" + std::string(key.name) + " = ") != std::string::npos));
    }
}

TEST_CASE("full, window and settle have the place of the nearest table that writes them; a default full has none")
{
    const ConfigFiles files(R"([service]
base_url = "https://api.example.com"
[defaults]
every = "1h"
full = { every = "3d" }
[resource.recipes]
path = "/recipes/"
incremental = { param = "since", field = "modified" }
[resource.sales]
path = "/sales/"
window = { from = "from", field = "day", step = "1d", since = "2023-01-01" }
settle = { every = "30d", back = "99d" }
[library.one]
client_id = "one"
client_secret = { command = ["/bin/true"] }
[library.one.resource.sales]
full = { every = "2d" }
)");
    const auto configuration = load_good(files);
    const auto& origins = configuration.origins;
    CHECK(origins.at("library.one.resource.recipes.full").line == 5);
    CHECK(origins.at("library.one.resource.sales.full").line == 17);
    CHECK(origins.at("library.one.resource.sales.window").line == 11);
    CHECK(origins.at("library.one.resource.sales.settle").line == 12);

    const ConfigFiles bare(R"([service]
base_url = "https://api.example.com"
[resource.recipes]
path = "/recipes/"
every = "1h"
incremental = { param = "since", field = "modified" }
[library.one]
client_id = "one"
client_secret = { command = ["/bin/true"] }
)");
    const auto by_default = load_good(bare);
    CHECK_FALSE(by_default.origins.contains("library.one.resource.recipes.full"));
    CHECK(show(by_default, ShowOrigin::yes).find("full = { every = \"1d\" }\n") != std::string::npos);
}
