// The views that show how fresh each table is, and the same for one table.
#pragma once

#include <fmt/core.h>

#include <string>
#include <string_view>

namespace shelfd::mirror {

// How each table stands, in two parts: the rows of `_resources` that count may be limited between them. Computed at
// each query, so that a table cannot look fresh if the daemon is dead.
inline constexpr std::string_view standing_columns = R"sql(
SELECT resource,
    CASE
        WHEN retired THEN 'retired'
        WHEN blocked = 'paused' THEN blocked
        WHEN blocked = 'wrong_library' THEN blocked
        WHEN blocked = 'needs_person' THEN blocked
        WHEN blocked = 'forbidden' THEN blocked
        WHEN held > 0 THEN 'held'
        WHEN as_of IS NULL OR has_former THEN 'filling'
        WHEN lacks_windows THEN 'filling'
        WHEN late_s < now_s OR proven_late_s < now_s THEN 'late'
        ELSE 'fresh'
    END AS state,
    as_of,
    now_s - as_of_s AS age_seconds,
    strftime('%Y-%m-%dT%H:%M:%S.000000Z', late_s, 'unixepoch') AS late_at,
    proven_as_of, complete_from, complete_to, rows, detail_share, detail_pending, detail_oldest, held,
    coalesce(why, CASE WHEN held > 0 THEN held || CASE held WHEN 1 THEN ' row is' ELSE ' rows are' END
        || ' missing from the list but not deleted: perhaps a permission was reduced, a filter hides them, or the '
        || 'token shows only a part: shelfctl held '
        || (SELECT value FROM _meta WHERE key = 'library') || ' ' || resource END, error,
        -- Whether a row was moved or deleted shows only in the other windows.
        CASE WHEN departed > 0 AND NOT retired THEN departed || CASE departed WHEN 1
            THEN ' row is no longer in the window in which it was' ELSE
            ' rows are no longer in the windows in which they were' END
            || ', moved to another one or deleted: kept until every window was walked again with spare requests, which '
            || 'shows where a row is now; one found nowhere is then deleted' END,
        CASE WHEN begins_at IS NOT NULL AND candidates > 0 AND NOT retired THEN candidates || CASE candidates WHEN 1
            THEN ' row is missing from its window' ELSE ' rows are missing from their windows' END
            || ', moved to another one or deleted: kept until another walk shows that' END,
        CASE WHEN as_of IS NOT NULL AND NOT retired AND lacks_windows THEN
            (SELECT CASE WHEN count(*) > 0 THEN count(*) || CASE count(*) WHEN 1 THEN ' window was' ELSE
                ' windows were' END || ' walked but not proven complete, the newest ' || max(s.name) END
            FROM _slices s WHERE s.resource = r.resource AND s.as_of IS NOT NULL AND s.proven_as_of IS NULL) END
    ) AS trouble,
    CASE WHEN as_of IS NULL AND round_at IS NOT NULL THEN (SELECT count(s.asked_at) FROM _slices s
        WHERE s.resource = r.resource) END AS lists_walked,
    coalesce(
        CASE WHEN retired THEN NULL
            WHEN has_former THEN candidates || CASE candidates WHEN 1 THEN ' row is' ELSE ' rows are' END
                || ' of the former list, or of both: rows that the new list lacks are deleted with the first pass '
                || 'that is proven complete'
            WHEN late_s < now_s AND detail_of IS NOT NULL THEN 'the oldest details are of ' || detail_oldest
                || ': the limit does not leave enough requests to fetch all of them in time'
            WHEN late_s < now_s THEN 'no pass was published since ' || as_of
            WHEN proven_late_s < now_s AND proven_as_of IS NULL THEN 'no pass has proven it complete yet'
            WHEN proven_late_s < now_s THEN 'no pass has proven it complete since ' || proven_as_of END,
        (SELECT CASE WHEN count(*) > 0 THEN count(*) || CASE count(*) WHEN 1 THEN ' row' ELSE ' rows' END
            || ' missing from the list, kept as a person decided: no longer updated, and tested only for being '
            || 'deleted' END FROM _held h WHERE h.resource = r.resource AND h.kept)
    ) AS remark,
    -- SQLite makes numbers of them; the texts are in _exact.
    (SELECT d."column" FROM _drift d
        WHERE d.resource = r.resource AND d.found = 'text' AND d.expected IN ('boolean', 'integer', 'real', 'date', 'datetime')
        AND instr(r."key", '"' || d."column" || '"') = 0
        AND trim(d.sample, '"') <> '' AND trim(d.sample, '"') NOT GLOB '*[^0-9]*' ORDER BY d."column" LIMIT 1
    ) AS digits_column
FROM (
    SELECT *,
        -- Nothing goes missing where nothing was proven.
        as_of IS NOT NULL AND proven_as_of IS NULL AND axis IS NULL AND candidates > 0 AS has_former,
        -- Never complete so far, or not since a window that has begun long ago.
        begins_at IS NOT NULL AND (coalesce(filled_from, complete_from) IS NULL
            OR coalesce(filled_from, complete_from) > begins_at OR EXISTS (SELECT 1 FROM _slices s
                WHERE s.resource = _resources.resource AND s.as_of IS NOT NULL AND s.proven_as_of IS NULL
                    AND s.first >= CAST(strftime('%s', complete_to) AS INTEGER)
                    AND s.first + coalesce(late_after, 0) < CAST(strftime('%s', 'now') AS INTEGER))) AS lacks_windows,
        CAST(strftime('%s', 'now') AS INTEGER) AS now_s,
        CAST(strftime('%s', as_of) AS INTEGER) AS as_of_s,
        coalesce(CAST(strftime('%s', late_at) AS INTEGER),
                 CAST(strftime('%s', as_of) AS INTEGER) + late_after) AS late_s,
        CAST(strftime('%s', coalesce(proven_as_of, declared_at)) AS INTEGER) + proven_late_after AS proven_late_s
    FROM _resources)sql";
inline constexpr std::string_view standing_end = R"sql(
) AS r)sql";

// `why` of freshness: the first part of it that is not NULL.
inline constexpr std::string_view standing_why =
    R"sql(coalesce(trouble, lists_walked || ' of the lists were walked so far', remark,
        'the column ' || digits_column || ' shows texts of digits as numbers, without leading zeros, because its first '
        || 'values were not texts: shelfctl schema ' || (SELECT value FROM _meta WHERE key = 'library') || ' --retype '
        || resource || '.' || digits_column))sql";

inline std::string freshness_views()
{
    constexpr std::string_view freshness_columns = R"sql(
SELECT resource, state, as_of, age_seconds, late_at, proven_as_of, complete_from, complete_to, rows, detail_share,
    detail_pending, detail_oldest, held,
    )sql";
    return fmt::format("\nCREATE VIEW _standing AS{}{};\nCREATE VIEW freshness AS{}{} AS why\nFROM _standing\n",
                       standing_columns, standing_end, freshness_columns, standing_why);
}

// The same for the table that is bound to the first parameter. LIMIT keeps SQLite from copying each expression to every
// place that uses it, which takes more than half of the time of such a query (measured: 535 instead of 1532 us).
inline std::string standing_of_one()
{
    return fmt::format("SELECT *, {} AS why FROM ({} WHERE resource = ?1 LIMIT 1{} LIMIT 1)", standing_why,
                       standing_columns, standing_end);
}

}  // namespace shelfd::mirror
