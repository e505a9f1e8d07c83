// Makes the status of the whole daemon from its parts.
#pragma once

#include "app/configuration/effective_configuration.hpp"
#include "app/library/library_set.hpp"
#include "app/services/daemon_services.hpp"
#include "control/model/status.hpp"

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace shelfd::app {

// Loop only. All references must outlive this object.
class DaemonReport {
public:
    DaemonReport(const DaemonServices& services, const EffectiveConfiguration& configuration, LibrarySet& libraries,
                 Instant started);
    DaemonReport(const DaemonReport&) = delete;
    DaemonReport& operator=(const DaemonReport&) = delete;
    ~DaemonReport() { libraries_.restarts().report_with({}); }

    // Notices of a part that come and go.
    void add_notices(std::function<std::vector<control::Notice>()> of_part) { parts_.push_back(std::move(of_part)); }
    // Of libraries without a token set: the former name under which it is probably kept. Their only advice is then to
    // rename, before anybody asks an owner.
    void ask_former_names(std::function<std::map<std::string, std::string>()> former) { former_ = std::move(former); }
    control::Status status() const;

private:
    void advise_renames(std::vector<control::LibraryStatus>& libraries) const;
    void report_libraries(control::Status& status) const;
    control::LibraryStatus report(const LibraryUnit& unit) const;
    void date(std::vector<control::Cause>& causes, Instant now) const;

    const DaemonServices& services_;
    const EffectiveConfiguration& configuration_;
    LibrarySet& libraries_;
    const Instant started_;
    std::vector<std::function<std::vector<control::Notice>()>> parts_;
    std::function<std::map<std::string, std::string>()> former_;
    // By key of the cause, for causes that do not know since when they last.
    mutable std::map<std::string, Instant> first_seen_;
};

}  // namespace shelfd::app
