// The story as JSON, made by SQLite itself: no value is converted on the way.
#include "ctl/mirror/story.hpp"

#include "ctl/mirror/mirror_format.hpp"
#include "storage/query.hpp"

#include <string_view>

namespace shelfd::ctl {
namespace {

constexpr std::string_view of_the_table = R"sql(
    SELECT json_object('library', ?2, 'resource', f.resource, 'state', f.state, 'rows', f.rows, 'as_of', f.as_of,
        'proven_as_of', f.proven_as_of, 
        'late_at', CASE WHEN f.state <> 'retired' THEN f.late_at END,
        'next_due', CASE WHEN f.state <> 'retired' THEN r.next_due END, 'why', f.why, 'since', r.since,
        'candidates', r.candidates, 'held', r.held, 'lists', json(?3),
        'now', CASE WHEN f.state <> 'retired' AND julianday(r.next_due) <= julianday('now') THEN nullif(?5, '') END,
        'waits_for', CASE WHEN f.state <> 'retired' AND julianday(r.next_due) > julianday('now') THEN nullif(?6, '') END,
        'proof', json((SELECT json_object('kind', kind, 'text', text, 'run_id', run_id, 'as_of', as_of) FROM _proofs
            WHERE rowid = (SELECT max(rowid) FROM _proofs WHERE resource = ?1 AND complete))),
        'runs', json((SELECT json_group_array(json(run)) FROM (SELECT json_object('run_id', run_id, 'mode', mode,
            'result', result, 'started_at', started_at, 'finished_at', finished_at, 'requests', requests, 'rows', rows,
            'added', added, 'changed', changed, 'deleted', deleted, 'asked_by', ASKER, 'error', error) AS run
            FROM _runs WHERE resource = ?1 ORDER BY rowid DESC LIMIT 5))),
        'drift', json((SELECT json_group_array(json(one)) FROM (SELECT json_object('column', "column", 'expected',
            expected, 'found', found, 'items', items, 'last_seen', last_seen, 'item_key', item_key, 'sample', sample)
            AS one FROM _drift WHERE resource = ?1 ORDER BY "column", found))),
        'item', json(?4))
    FROM freshness f JOIN _resources r ON r.resource = f.resource WHERE f.resource = ?1
)sql";

constexpr std::string_view of_the_lists = R"sql(
    SELECT json_object('member', ?2, 'count', count(*), 'oldest_as_of', min(as_of), 'not_walked',
        count(*) - count(asked_at), 'refused', json((SELECT json_group_array(json(one)) FROM (SELECT
            json_object('name', name, 'why', why, 'as_of', as_of, 'rows', rows) AS one FROM _slices
            WHERE resource = ?1 AND why IS NOT NULL ORDER BY rows DESC, first LIMIT 5))))
    FROM _slices WHERE resource = ?1
)sql";

constexpr std::string_view of_the_list = R"sql(
    SELECT json_object('member', ?3, 'name', name, 'as_of', as_of, 'proven_as_of', proven_as_of, 'why', why)
    FROM _slices WHERE resource = ?1
        AND name = json_quote(json_extract(?2, CASE json_type(?2) WHEN 'array' THEN '$[0]' ELSE '$' END))
)sql";

constexpr std::string_view of_the_item = R"sql(
    SELECT json_object('key', json(?2), 'present', json(CASE WHEN ?3 THEN 'true' ELSE 'false' END),
        'passes_without', ?4, 'list', json(?5),
        'held', json((SELECT json_object('since', since, 'kept', json(CASE WHEN kept THEN 'true' ELSE 'false' END),
            'why', why) FROM _held WHERE resource = ?1 AND item_key = ?2)),
        'changes', json((SELECT json_group_array(json(one)) FROM (SELECT json_object('seq', seq, 'seen_at', seen_at,
            'op', op, 'run_id', run_id, 'before', json(before), 'after', json(after)) AS one FROM _changes
            WHERE resource = ?1 AND item_key = ?2 ORDER BY seq DESC LIMIT 5))))
)sql";

// The first field of the first row; empty = no row.
template <typename... Values>
Result<std::optional<std::string>> one_text(storage::Database& database, std::string_view sql, const Values&... values)
{
    std::optional<std::string> text;
    SHELFD_TRY(storage::each_row(
        database, sql, [&text](const storage::Statement& row) { text = std::string(row.text(0)); }, values...));
    return text;
}

}  // namespace

Result<std::optional<std::string>> ResourceStory::item_json(const std::string& typed)
{
    SHELFD_TRY_ASSIGN(key, key_of(typed));
    SHELFD_TRY_ASSIGN(found, has_row(key));
    SHELFD_TRY_ASSIGN(missed, passes_without(key));
    SHELFD_TRY_ASSIGN(member, parent_member());
    std::optional<std::string> list;
    if (!member.empty()) {
        SHELFD_TRY_ASSIGN(known, one_text(database_, of_the_list, resource_, key, member));
        list = std::move(known);
    }
    return one_text(database_, of_the_item, resource_, key, found, missed, list);
}

Result<std::string> ResourceStory::as_json(const std::string& key)
{
    SHELFD_TRY(check_resource());
    SHELFD_TRY_ASSIGN(member, parent_member());
    std::optional<std::string> lists;
    if (!member.empty()) {
        SHELFD_TRY_ASSIGN(known, one_text(database_, of_the_lists, resource_, member));
        lists = std::move(known);
    }
    std::optional<std::string> item;
    if (!key.empty()) {
        SHELFD_TRY_ASSIGN(told, item_json(key));
        item = std::move(told);
    }
    SHELFD_TRY_ASSIGN(asker, column_or_null(database_, "_runs", "asked_by"));
    std::string sql(of_the_table);
    constexpr std::string_view place = "ASKER";
    sql.replace(sql.find(place), place.size(), asker);
    SHELFD_TRY_ASSIGN(story,
                      one_text(database_, sql, resource_, library_, lists, item, present_.text, present_.waits_for));
    return std::move(story).value_or("{}");
}

}  // namespace shelfd::ctl
