#include "mirror/rows/untold.hpp"

namespace shelfd::mirror {

Result<void> record_untold(storage::Database& database, const std::string& resource)
{
    SHELFD_TRY_ASSIGN(note, database.prepare(R"sql(
        INSERT OR REPLACE INTO _untold (resource, seq, load)
        SELECT ?1, newest.seq, 1 + coalesce((SELECT max(load) FROM _untold u WHERE u.seq = newest.seq), 0)
        FROM (SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = '_changes'), 0) AS seq) AS newest
    )sql"));
    note.bind(1, std::string_view(resource));
    return note.run();
}

}  // namespace shelfd::mirror
