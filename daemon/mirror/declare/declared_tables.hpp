// The tables that the configuration declares for one mirror, and how they come to be in its file.
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

// `clock` and `passes` must outlive it.
class DeclaredTables {
public:
    DeclaredTables(const Clock& clock, const OpenPasses& passes) : clock_(clock), passes_(passes) {}

    // From now on these are declared, and beside each that has details, the table of them. Errors: usage, for a name
    // that cannot be a table.
    Result<void> set(std::vector<ResourceSpec> resources);
    std::span<const ResourceSpec> specs() const { return specs_; }
    // As declared; for a table that is not declared, the defaults.
    ResourceSpec spec_of(const std::string& resource) const;

    // Makes what is missing in the file, in one transaction; other tables are retired. Returns which rows had to go,
    // for people; "" where none had to.
    Result<std::string> make(storage::Database& database) const;

private:
    const Clock& clock_;
    const OpenPasses& passes_;
    std::vector<ResourceSpec> specs_;
};

}  // namespace shelfd::mirror
