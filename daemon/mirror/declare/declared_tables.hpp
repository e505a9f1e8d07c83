// The tables that the configuration declares for one mirror, and their creation in its file.
#pragma once

#include "base/result.hpp"
#include "mirror/file/open_passes.hpp"
#include "mirror/values/specs.hpp"
#include "runtime/async/clock.hpp"
#include "storage/sqlite.hpp"

#include <span>
#include <string>
#include <vector>

namespace shelfd::mirror {

// `clock` and `passes` must outlive this.
class DeclaredTables {
public:
    DeclaredTables(const Clock& clock, const OpenPasses& passes) : clock_(clock), passes_(passes) {}

    // Sets the declared tables, and adds the table of details for each that has them. Errors: usage, for a name that
    // cannot be a table.
    Result<void> set(std::vector<ResourceSpec> resources);
    std::span<const ResourceSpec> specs() const { return specs_; }
    // The declaration of a table; defaults if it is not declared.
    ResourceSpec spec_of(const std::string& resource) const;

    // Creates what is missing in the file in one transaction; retires other tables. Returns for people which rows had
    // to be removed; "" = none.
    Result<std::string> make(storage::Database& database) const;

private:
    const Clock& clock_;
    const OpenPasses& passes_;
    std::vector<ResourceSpec> specs_;
};

}  // namespace shelfd::mirror
