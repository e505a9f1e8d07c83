#include "mirror/file/earlier_proofs.hpp"

namespace shelfd::mirror {

Result<void> forget_earlier_chains(storage::Database& database)
{
    constexpr const char* forget[] = {
        R"sql(
            UPDATE _slices SET proven_as_of = NULL, changes_from = NULL, key_set = ''
            WHERE resource IN (SELECT resource FROM _proofs WHERE kind = 'chain' AND pages > 1)
        )sql",
        R"sql(
            UPDATE _resources SET proven_as_of = NULL, changes_from = NULL, key_set = '', candidates = 0,
                complete_from = NULL, complete_to = NULL
            WHERE resource IN (SELECT resource FROM _proofs WHERE kind = 'chain' AND pages > 1)
        )sql",
        R"sql(
            UPDATE _proofs SET complete = 0 WHERE kind = 'chain' AND pages > 1
        )sql",
    };
    for (const char* sql : forget) {
        SHELFD_TRY(database.execute(sql));
    }
    return {};
}

}  // namespace shelfd::mirror
