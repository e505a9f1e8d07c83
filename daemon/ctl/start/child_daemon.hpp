// shelfd as a child of shelfctl, for as long as one command takes.
#pragma once

#include "base/file_descriptor.hpp"
#include "base/result.hpp"
#include "ctl/line/environment.hpp"

#include <memory>
#include <optional>
#include <string>

#include <sys/types.h>

namespace shelfd::ctl {

// The shelfd that was installed or built with this shelfctl, else the one in PATH. Errors: not_found.
Result<std::string> find_daemon_program(const Environment& environment);

struct ProcessUser {
    std::string name;
    uid_t uid = 0;
    gid_t gid = 0;
};

// One at a time. While an EndingSignals exists, its signals end the daemon and not shelfctl, which notices that and
// tidies up. The kernel ends the daemon if shelfctl dies.
class ChildDaemon {
public:
    struct Start {
        std::string program;
        std::string config_file;
        std::string log_file;                  // replaced
        std::optional<ProcessUser> user = {};  // only root may name another one; empty = this one
    };

    // Errors: config if it cannot be executed, storage if the log cannot be written, stopped after an interruption.
    static Result<std::unique_ptr<ChildDaemon>> start(const Start& start, const Environment& environment);
    ChildDaemon(const ChildDaemon&) = delete;
    ChildDaemon& operator=(const ChildDaemon&) = delete;
    ~ChildDaemon();

    // Until the daemon accepts requests on `socket`. Errors: stopped, with its last log line, if it ended, or after an
    // interruption; not_found after half a minute.
    Result<void> await_ready(const std::string& socket);
    // SIGTERM, and waits for its end: the daemon completes a token exchange first, which may take minutes.
    void stop();

private:
    ChildDaemon(pid_t child, FileDescriptor watch, std::string log_file);
    bool has_ended();

    pid_t child_;
    FileDescriptor watch_;  // of the process; readable once it has ended
    std::string log_file_;
};

}  // namespace shelfd::ctl
