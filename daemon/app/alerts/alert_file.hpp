// The file that keeps incidents, silences and undelivered calls across restarts and crashes.
#pragma once

#include "base/result.hpp"
#include "control/hooks/alert_record.hpp"

#include <string>

namespace shelfd::app {

// Calls block; one at a time.
class AlertFile {
public:
    // `directory` is created with mode 0700 if it is missing; "" = no file is kept, which is an error of each call.
    explicit AlertFile(std::string directory);

    struct Loaded {
        control::AlertRecord record;
        std::string aside;  // where a damaged file was moved; "" = the file was not damaged
        std::string why;    // what was wrong with it
    };
    // An empty record if there is no file. Errors: storage, permission, if it cannot be read or moved.
    Result<Loaded> load(Instant now);
    // Atomic and durable: writes a new file and renames it. One that `load` could not read is moved first: calls wait
    // in it. Returns where to; "" = there was none. Errors: storage, permission.
    Result<std::string> save(const std::string& text);

    const std::string& path() const { return path_; }
    bool has_directory() const { return !directory_.empty(); }

private:
    std::string directory_;
    std::string path_;
    std::string unread_;  // where a file goes that could not be read; "" = there is none
};

}  // namespace shelfd::app
