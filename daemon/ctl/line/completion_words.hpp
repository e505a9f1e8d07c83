// The words of the grammar that completion offers.
#pragma once

#include "ctl/line/command_line.hpp"

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace shelfd::ctl {

// Without --help, which is offered with the options of every verb.
std::vector<OptionInfo> own_options(const VerbInfo& verb);
std::vector<std::string> option_names(const VerbInfo& verb);
// The options of every verb.
const VerbInfo& common(const std::vector<VerbInfo>& verbs);

// "auth" for "auth import"; "" for a verb of one word.
std::string group_of(const VerbInfo& verb);
std::string last_word(const VerbInfo& verb);
std::set<std::string> groups(const std::vector<VerbInfo>& verbs);
// The words that may follow `group`; "" = the first word.
std::vector<std::string> words_after(const std::vector<VerbInfo>& verbs, const std::string& group);

// The known values of the verb's argument, separated by blanks.
std::string values_of(const VerbInfo& verb, const std::vector<VerbInfo>& verbs);
// Options with that kind of value; "" = with any: the word after them is not a verb.
std::vector<std::string> valued_options(const std::vector<VerbInfo>& verbs, std::string_view value);
// Options whose value is a file.
std::vector<std::string> file_options(const std::vector<VerbInfo>& verbs);
// "'explain:1'" for a verb whose second argument is `argument`, such as "LIB" or "RESOURCE": their names are known to
// the daemon and the mirrors only.
std::vector<std::string> places_of(const std::vector<VerbInfo>& verbs, std::string_view argument);

}  // namespace shelfd::ctl
