#include "ctl/setup/init_plan.hpp"

#include "base/words/shell_word.hpp"
#include "config/bind/resource_names.hpp"
#include "config/tree/toml_text.hpp"
#include "ctl/library/confirmed_set.hpp"
#include "ctl/library/own_comments.hpp"
#include "ctl/start/block.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace shelfd::ctl {

using config::array_of;
using config::quote;

namespace {

// The groups of the package are the system's: nobody without root can create them.
std::string group_lines(const InstallationPlaces& places, const std::string& group)
{
    return places.of_system ? ""
                            : fmt::format("# Groups that may read the status, and do everything; \"\" = only you and "
                                          "root.\nreaders = {0}\nadmins = {0}\n",
                                          quote(group));
}

std::string application_table(const InitPlan& plan, const InstallationPlaces& places)
{
    const auto& name = plan.application.name;
    return plan.application.is_there
               ? ""
               : fmt::format("# Libraries share it: application = {} in each. shelfctl library add takes the only one "
                             "there is.\n"
                             "[application.{}]\n{}\n",
                             quote(name), name, application_lines(plan, places.secret_file(name)));
}

}  // namespace

std::string main_file(const InitPlan& plan, const InstallationPlaces& places,
                      const std::optional<IdentityPage>& identity, const std::string& group,
                      const std::string& proposed)
{
    const auto user =
        identity && !identity->user_field.empty() ? fmt::format(", user_field = {}", quote(identity->user_field)) : "";
    const auto page =
        identity
            ? fmt::format("identity = {{ path = {}, field = {}{} }}\n{}", quote(identity->path), quote(identity->field),
                          user, user.empty() ? "" : "# Libraries of one user share one limit by themselves.\n")
        : proposed.empty()
            ? std::string("# identity = { path = \"…\", field = \"id\" }  # a page that names a token's library\n")
            : fmt::format("# identity = {{ path = {}, field = \"id\" }}  # names whose token it is; if that is the "
                          "library, remove the first #\n",
                          quote(proposed));
    return fmt::format("# Written by shelfctl init. Every key, with its default: shelfd.toml(5).\n"
                       "# Files in conf.d/ are read after this one: libraries and lists are there.\n"
                       "# After a change: shelfctl config check, shelfctl reload\n"
                       "\n"
                       "[service]\n"
                       "base_url = {}\n"
                       "rate_limit = \"100/min\"  # of the service; answers that name a lower limit narrow it\n"
                       "# With identity, a token of another library stops all publishing at once.\n"
                       "{}"
                       "\n"
                       "{}"
                       "[storage]\n"
                       "mirrors = {}  # can be filled again from the service\n"
                       "tokens = {}  # never copy or restore; shelfctl auth move-out moves a set\n"
                       "{}"
                       "\n"
                       "[control]\n"
                       "socket = {}\n"
                       "{}",
                       quote(plan.base_url), page, application_table(plan, places), quote(places.mirrors),
                       quote(places.tokens),
                       plan.allow_unsafe ? "allow_unsafe = true  # a copied token store is not recognised there\n" : "",
                       quote(places.socket), group_lines(places, group));
}

std::string application_lines(const InitPlan& plan, const std::string& secret_file)
{
    const auto scopes =
        plan.scopes.empty()
            ? std::string("# scopes = [\"library\"]  # what the token set may read; needed for shelfctl auth login\n")
            : fmt::format("scopes = {}  # what the token set may read\n", array_of(plan.scopes));
    return fmt::format("client_id = {}\n"
                       "client_secret = {{ file = {} }}\n"
                       "{}",
                       quote(plan.client_id), quote(secret_file), scopes);
}

std::string library_file(const InitPlan& plan, const InstallationPlaces& places, Paused paused, const std::string& id)
{
    const auto expected =
        id.empty() ? "" : fmt::format("library_id = {}  # a token set of another library is refused\n", toml_of_id(id));
    return fmt::format("{}\n[library.{}]\napplication = {}\n{}{}", comment_about_library(places.mirrors, plan.library),
                       plan.library, quote(plan.application.name), expected,
                       paused == Paused::yes
                           ? fmt::format("paused = true  # once conf.d/lists.toml has a list: shelfctl "
                                         "library resume {}\n",
                                         plan.library)
                           : "");
}

std::vector<FoundLists::Readable> unexplored_lists(const std::vector<std::string>& paths,
                                                   const std::vector<FoundLists::Unreadable>& unreadable)
{
    std::vector<FoundLists::Readable> lists;
    config::ResourceNames taken;
    for (const auto& path : paths) {
        const auto is_it = [&path](const FoundLists::Unreadable& list) { return list.path == path; };
        if (std::none_of(unreadable.begin(), unreadable.end(), is_it)) {
            const auto name = config::free_resource_name(path, taken);
            lists.push_back({path, fmt::format("[resource.{}]\npath = {}\nevery = \"1h\"  # not explored yet: "
                                               "shelfctl probe LIB {}\n",
                                               name, quote(path), shell_word(path))});
        }
    }
    return lists;
}

std::string lists_file(const std::vector<std::string>& blocks, const std::vector<FoundLists::Unreadable>& unreadable)
{
    std::string text = "# Lists to mirror, a table each, for all libraries. Found by shelfctl init; to find others:\n"
                       "# shelfctl probe LIB. What they cost in requests: shelfctl plan\n";
    if (blocks.empty()) {
        text += "# None is known yet. Replace this one by what shelfctl probe LIB PATH prints, then: shelfctl library "
                "resume LIB\n"
                "\n[resource.first]\npath = \"/\"\nevery = \"1d\"\n";
    }
    for (const auto& block : blocks) {
        text += "\n" + without_details(block);
    }
    for (const auto& list : unreadable) {
        text +=
            fmt::format("\n# Could not be read: {0}. To look again: shelfctl probe LIB {0}\n", shell_word(list.path));
    }
    return text;
}

}  // namespace shelfd::ctl
