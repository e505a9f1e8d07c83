// What a person answers at the first setup, and the configuration files that follow from it.
#pragma once

#include "base/result.hpp"
#include "base/secret.hpp"
#include "config/model/model.hpp"
#include "ctl/setup/application_choice.hpp"
#include "ctl/setup/user_places.hpp"
#include "ctl/start/found_lists.hpp"
#include "ctl/start/identity_page.hpp"

#include <optional>
#include <string>
#include <vector>

namespace shelfd::ctl {

enum class TokenWay {
    import_set,  // a token set that the owner of the library made
    login,       // with a browser
    later,
};

struct InitPlan {
    std::string base_url;
    std::string client_id;
    ApplicationChoice application;  // with this client ID
    Secret client_secret;
    std::vector<std::string> scopes;
    std::string library;
    TokenWay way = TokenWay::later;
    bool allow_unsafe = false;
    std::vector<std::string> paths;  // of lists; empty = those that are found
};

// The text of each file. `identity`: a page that names the library of a token, if one was found. `group`: of a user
// without root, whose members may use the daemon; "" = nobody else may. `proposed`: a page that may name it; "" = none
// was found.
std::string main_file(const InitPlan& plan, const InstallationPlaces& places,
                      const std::optional<IdentityPage>& identity, const std::string& group,
                      const std::string& proposed = "");
// Without lists it is paused. `id`: the library of the token set, if a page has named it; "" = not known.
enum class Paused { no, yes };
std::string library_file(const InitPlan& plan, const InstallationPlaces& places, Paused paused, const std::string& id);
// The keys of the application, whose secret is in `secret_file`.
std::string application_lines(const InitPlan& plan, const std::string& secret_file);
// `blocks`: as probe suggests them, one for each list. Details are commented out: each takes a request for each row.
// Without blocks, a list that a person must replace. What could not be read is named in comments.
std::string lists_file(const std::vector<std::string>& blocks, const std::vector<FoundLists::Unreadable>& unreadable);

// Blocks for lists of which only the path is known, without those that could not be read.
std::vector<FoundLists::Readable> unexplored_lists(const std::vector<std::string>& paths,
                                                   const std::vector<FoundLists::Unreadable>& unreadable);

}  // namespace shelfd::ctl
