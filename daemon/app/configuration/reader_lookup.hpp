// Who the `readers` of libraries are on this machine: accounts come and go while the daemon runs, and a name service
// may not answer when it starts.
#pragma once

#include "base/accounts/accounts.hpp"
#include "config/model/model.hpp"
#include "control/model/status.hpp"

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace shelfd::app {

using FindAccount = std::function<Result<std::optional<Account>>(const std::string&)>;
// What the name service said about each name.
using AccountAnswers = std::map<std::string, Result<std::optional<Account>>>;

// All that the libraries name, and `admins` if any of them has readers.
std::set<std::string> reader_names(const config::Libraries& libraries, const std::string& admins);
bool has_unknown_reader(const config::Libraries& libraries);
// Blocks: asks for each name once.
AccountAnswers ask_for_accounts(const std::set<std::string>& names, const FindAccount& find);

// The libraries with their readers and admins as answered; without an answer a reader stays who he was. Libraries for
// which nothing changed are the same objects.
config::Libraries with_accounts(const config::Libraries& libraries, const std::string& admins,
                                const AccountAnswers& answers);

// For a configuration that was read again: a reader who was known in the library before, and for whom the name service
// does not answer now, stays who he was. Blocks if there is one to ask for.
void keep_unanswered(std::vector<config::Library>& next, const config::Libraries& present, const FindAccount& find);
// Whether the library had that reader before, under this or its former name.
bool had_reader(const config::Libraries& present, const config::Library& library, const std::string& reader);

// One notice for each name that is not known. `answers`: the newest ones about these names.
std::vector<control::Notice> describe_unknown_readers(const config::Libraries& libraries,
                                                      const AccountAnswers& answers);

}  // namespace shelfd::app
