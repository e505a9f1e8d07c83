// What this program would do with the mirrors and token journals that are there: `shelfd --check-state`.
#pragma once

#include "base/state/exit_code.hpp"
#include "config/model/model.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace shelfd::app {

enum class Outlook {
    as_it_is,    // used without a change
    changed,     // changed when the daemon opens it; the version that wrote it can use it afterwards
    created,     // there is none yet
    refused,     // left unchanged and not used: a person must act
    forbidden,   // this user may not read it
    unreadable,  // it cannot be read, or the file is damaged
};

std::string to_text(Outlook outlook);

struct StateOfFile {
    std::string library;
    std::string kind;  // mirror, journal.a, journal.b
    std::string path;
    Outlook outlook = Outlook::as_it_is;
    std::string version;           // of the file, "" if unknown
    std::uint64_t generation = 0;  // of the token set in a journal; 0 = none
    std::string text;              // a sentence for people
};

// One for each file of each library, in the order of the configuration. Opens them read-only, changes and creates
// nothing, and needs no daemon; one may be running.
std::vector<StateOfFile> check_state(const config::Configuration& configuration);

// 0 if all files are or will be usable, 2 if one is refused, 74 or 77 if one cannot be read.
ExitCode exit_code_of(const std::vector<StateOfFile>& files);

std::string state_as_text(const std::vector<StateOfFile>& files);
std::string state_as_json(const std::vector<StateOfFile>& files);

}  // namespace shelfd::app
