#include "mirror/file/schema_upgrade.hpp"

#include "mirror/file/schema.hpp"

#include <fmt/format.h>

namespace shelfd::mirror {

Result<void> add_missing_columns(storage::Database& database)
{
    struct Added {
        std::string_view table;
        std::string_view column;
    };
    constexpr Added columns[] = {
        {"_resources", "envelope TEXT"},
        {"_resources", "ordering TEXT"},
        {"_resources", "filter TEXT"},
        {"_resources", "looked_at DATETIME"},
        {"_resources", "key_set TEXT"},
        {"_resources", "exclude TEXT"},
        {"_resources", "changes_from DATETIME"},
        {"_resources", "detail_of TEXT"},
        {"_runs", "reasons TEXT"},
        {"_resources", "axis TEXT"},
        {"_resources", "begins_at DATETIME"},
        {"_resources", "place_form TEXT"},
        {"_resources", "round_at DATETIME"},
        {"_resources", "filter_tried_at DATETIME"},
        {"_resources", "source TEXT"},
        {"_resources", "filter_source TEXT"},
        {"_slices", "asked_at DATETIME"},
        {"_slices", "whole_at DATETIME"},
        {"_slices", "changes_from DATETIME"},
        {"_slices", "why TEXT"},
        {"_slices", "orphan_as_of DATETIME"},
        {"_resources", "canary TEXT"},
        {"_resources", "canary_tried_at DATETIME"},
        {"_resources", "departed INTEGER"},
        {"_slices", "proof_number INTEGER"},
        {"_resources", "further TEXT"},
        {"_resources", "whole_rows INTEGER"},
        {"_resources", "further_tried_at DATETIME"},
        {"_slices", "trouble TEXT"},
        {"_runs", "asked_by TEXT"},
        {"_resources", "filled_from TEXT"},
        {"_resources", "cause TEXT"},
        {"_resources", "suspect_key TEXT"},
        {"_resources", "suspect_date TEXT"},
        {"_resources", "compared_at DATETIME"},
        {"_slices", "compared_at DATETIME"},
        {"_resources", "unproven TEXT"},
    };
    for (const auto& [table, column] : columns) {
        const auto name = column.substr(0, column.find(' '));
        const auto look = fmt::format("SELECT 1 FROM pragma_table_info('{}') WHERE name = ?", table);
        SHELFD_TRY_ASSIGN(there, read_value(database, look, name));
        if (!there) {
            SHELFD_TRY(database.execute(fmt::format("ALTER TABLE {} ADD COLUMN {}", table, column)));
        }
    }
    return {};
}

Result<void> forget_earlier_chains(storage::Database& database)
{
    constexpr const char* forget[] = {
        R"sql(
            UPDATE _slices SET proven_as_of = NULL, changes_from = NULL, key_set = ''
            WHERE resource IN (SELECT resource FROM _proofs WHERE kind = 'chain' AND pages > 1)
        )sql",
        R"sql(
            UPDATE _resources SET proven_as_of = NULL, changes_from = NULL, key_set = '', candidates = 0,
                complete_from = NULL, complete_to = NULL, filled_from = NULL
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
