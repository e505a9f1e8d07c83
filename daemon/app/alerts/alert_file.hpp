// The file that keeps incidents, silences and undelivered calls over a restart and a crash.
#pragma once

#include "base/result.hpp"
#include "control/hooks/alert_record.hpp"

#include <string>

namespace shelfd::app {

// Calls block; one at a time.
class AlertFile {
public:
    // `directory` is made with mode 0700 where it is missing.
    explicit AlertFile(std::string directory);

    struct Loaded {
        control::AlertRecord record;
        std::string aside;  // where a damaged file was put, so that alerts begin anew; "" = none was damaged
        std::string why;    // what was wrong with it
    };
    // An empty record where there is no file. Errors: storage, permission, when it cannot be read or put aside.
    Result<Loaded> load(Instant now) const;
    // All of it or nothing, and durable: another file that takes the name of the last one. Errors: storage, permission.
    Result<void> save(const std::string& text) const;

    const std::string& path() const { return path_; }

private:
    std::string directory_;
    std::string path_;
};

}  // namespace shelfd::app
