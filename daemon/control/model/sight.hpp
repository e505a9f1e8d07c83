// What of the daemon's status one user sees: everything, or the libraries of which that user is a reader.
#pragma once

#include "base/accounts/accounts.hpp"
#include "control/model/alerts.hpp"
#include "control/model/status.hpp"

#include <optional>
#include <set>
#include <string>
#include <vector>

namespace shelfd::control {

// `readers` of a library in the configuration.
struct LibraryReaders {
    std::string library;
    std::vector<Account> readers;
};

class Sight {
public:
    static Sight of_everything() { return Sight(std::nullopt); }
    static Sight of_libraries(std::set<std::string> libraries) { return Sight(std::move(libraries)); }

    bool is_everything() const { return !libraries_; }
    bool includes(const std::string& library) const { return !libraries_ || libraries_->contains(library); }

    // Without other libraries, their problems and names, and without what concerns the daemon as a whole.
    Status limit(Status status) const;
    AlertReport limit(AlertReport alerts) const;

private:
    explicit Sight(std::optional<std::set<std::string>> libraries) : libraries_(std::move(libraries)) {}
    void limit(std::vector<IncidentStatus>& incidents) const;

    std::optional<std::set<std::string>> libraries_;  // empty = all
};

}  // namespace shelfd::control
