// Somebody else's program that looks at a mirror again and again: the sqlite3 shell, a script, another user's.
#pragma once

#include "support/process.hpp"
#include "support/temp_directory.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace shelfd {

// A user and a group that no /etc/passwd knows: the kernel does not ask for names.
constexpr unsigned readers_group = 64'123;
inline const std::vector<std::string> as_reader = {"/usr/bin/setpriv", "--reuid=64124", "--regid=64124",
                                                   "--groups=64123"};
// As tmpfiles makes it: what is made below `mirrors` inherits that group. For root only.
void give_to_readers(const std::string& mirrors, unsigned group = readers_group);

class ForeignReader {
public:
    // `command` is for sh(1), prints one line a look, and is run again and again; `under` goes before the shell.
    // `verdict` gets each line and returns "" when all is well.
    ForeignReader(std::string name, const std::string& command, const std::vector<std::string>& under,
                  std::function<std::string(const std::string& line)> verdict);

    void stop();
    // The first line that is not well; "" as long as there is none.
    std::string complaint() const;
    std::uint64_t looks() const;
    const std::string& name() const { return name_; }

private:
    std::vector<std::string> lines() const;

    std::string name_;
    std::function<std::string(const std::string&)> verdict_;
    TempDirectory files_;
    std::unique_ptr<Process> process_;
};

// The shell command with which that tool asks the mirror; "" where the tool is not installed.
std::string sqlite_shell_look(const std::string& mirror, const std::string& query);
std::string python_look(const std::string& mirror, const std::string& query);

}  // namespace shelfd
