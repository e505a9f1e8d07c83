// The libraries that are stopped and opened again: until then they are listed with what was known of them.
#pragma once

#include "base/result.hpp"
#include "control/model/status.hpp"
#include "oauth/keeper/token_keeper.hpp"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace shelfd::app {

class LibraryUnit;

// For who wants something of a library that is being opened again. Error: busy.
Error restart_error(const std::string& library, const std::string& why);

// Loop only. While a unit stops, it is reported as usual: that may take minutes, until a refresh is answered. After
// `unit_ends` its last report is repeated, without passes under way; its tables become late as time goes on.
class Restarts {
public:
    using Report = std::function<control::LibraryStatus(const LibraryUnit&)>;

    // What describes a unit; without it nothing is listed.
    void report_with(Report report) { report_ = std::move(report); }
    // `restart.why` is what follows "is being opened again".
    void begin(std::shared_ptr<const LibraryUnit> unit, const std::string& library, control::RestartStatus restart);
    // From now on the unit of that library cannot be reported. No effect on a library that is not opened again.
    void unit_ends(const std::string& library, const oauth::TokenKeeper& keeper);
    // Call it when each library is open again, absent or no longer configured: forgets all of them.
    void end()
    {
        libraries_.clear();
        marks_.clear();
    }

    // Until `end` the refresh token of that keeper, if there is one, is known to belong to the library.
    void keep_mark(const std::string& library, const oauth::TokenKeeper* keeper);
    // The library other than `except` whose refresh token has that fingerprint; "" = none.
    std::string holder_of(const std::string& mark, const std::string& except) const;

    bool is_empty() const { return libraries_.empty(); }
    // Its restart_error; empty if that library is not opened again.
    std::optional<Error> error_of(const std::string& library) const;
    // The error of any of them; empty if there is none.
    std::optional<Error> any_error() const;
    std::vector<control::LibraryStatus> report(Instant now) const;

private:
    struct One {
        control::RestartStatus restart;
        std::shared_ptr<const LibraryUnit> unit;  // nullptr after its end
        std::optional<control::LibraryStatus> last = {};
    };

    Report report_;
    std::map<std::string, One> libraries_;
    std::map<std::string, std::string> marks_;  // fingerprints, by library
};

}  // namespace shelfd::app
