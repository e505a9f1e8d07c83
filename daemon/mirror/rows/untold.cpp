#include "mirror/rows/untold.hpp"

#include "storage/query.hpp"

namespace shelfd::mirror {

Result<void> record_untold(storage::Database& database, const std::string& resource)
{
    return storage::run(database, R"sql(
        INSERT OR REPLACE INTO _untold (resource, seq, load)
        SELECT ?1, newest.seq, 1 + coalesce((SELECT max(load) FROM _untold u WHERE u.seq = newest.seq), 0)
        FROM (SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = '_changes'), 0) AS seq) AS newest
    )sql",
                        resource);
}

}  // namespace shelfd::mirror
