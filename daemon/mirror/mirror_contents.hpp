// What an open mirror holds: its file, its tables, and the passes over them; each is documented where it is defined.
#pragma once

#include "mirror/declare/declared_tables.hpp"
#include "mirror/file/mirror_file.hpp"
#include "mirror/file/open_passes.hpp"
#include "mirror/mirror.hpp"
#include "mirror/publish/table_checks.hpp"
#include "mirror/records/resource.hpp"

#include <fmt/format.h>

#include <string>
#include <utility>

namespace shelfd::mirror {

struct Mirror::Contents {
    explicit Contents(MirrorOptions given) : options(std::move(given)) {}

    // Returns the facts of a table whose rows are to be changed outside of a pass. Errors: busy, not_found.
    Result<ResourceFacts> facts_to_change(storage::Database& database, const std::string& resource) const
    {
        if (passes.contains(resource)) {
            return Error(ErrorKind::busy,
                         fmt::format("a pass over {} is running; try again when it has ended", resource));
        }
        SHELFD_TRY_ASSIGN(facts, load_facts(database, resource));
        return facts ? Result(std::move(*facts))
                     : Error(ErrorKind::not_found, fmt::format("the mirror has no table {}", resource));
    }

    MirrorOptions options;
    OpenPasses passes;
    DeclaredTables tables{options.clock, passes};
    MirrorFile file{options, passes, [this](storage::Database& database) { return tables.make(database); }};
    TableChecks checks{options.clock, passes};
};

}  // namespace shelfd::mirror
