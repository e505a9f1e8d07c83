#include "mirror/records/discovery.hpp"

#include "mirror/json/instants.hpp"
#include "storage/query.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace shelfd::mirror {
namespace {

constexpr auto obedience_words = std::to_array<std::pair<ParameterSupport, std::string_view>>({
    {ParameterSupport::obeyed, "obeyed"},
    {ParameterSupport::ignored, "ignored"},
    {ParameterSupport::refused, "refused"},
    {ParameterSupport::incomplete, "incomplete"},
});

// The column `canary`.
constexpr std::string_view fit = "fit";
constexpr std::string_view unfit = "unfit";

ParameterSupport obedience_of(std::string_view word)
{
    const auto* found = std::find_if(obedience_words.begin(), obedience_words.end(),
                                     [word](const auto& one) { return one.second == word; });
    return found == obedience_words.end() ? ParameterSupport::unknown : found->first;
}

std::optional<std::string> word_of(ParameterSupport obedience)
{
    const auto* found = std::find_if(obedience_words.begin(), obedience_words.end(),
                                     [obedience](const auto& one) { return one.first == obedience; });
    return found == obedience_words.end() ? std::nullopt : std::optional(std::string(found->second));
}

}  // namespace

Result<Discovery> load_discovery(storage::Database& database, const std::string& resource)
{
    SHELFD_TRY_ASSIGN(row, database.prepare(R"sql(
        SELECT envelope, ordering, filter, looked_at, changes_from, key_set, rows, place_form,
            filter_tried_at, further, whole_rows, further_tried_at
        FROM _resources WHERE resource = ?
    )sql"));
    row.bind(1, std::string_view(resource));
    SHELFD_TRY_ASSIGN(found, row.step());
    Discovery discovery;
    if (found) {
        discovery.envelope = row.text(0);
        discovery.ordering = obedience_of(row.text(1));
        discovery.filter = obedience_of(row.text(2));
        discovery.looked_at = instant_in(row, 3);
        discovery.changes_from = instant_in(row, 4);
        discovery.key_set = row.text(5);
        discovery.rows = static_cast<std::uint64_t>(row.integer(6));
        discovery.place_form = row.text(7);
        discovery.filter_tried_at = instant_in(row, 8);
        discovery.further = row.text(9);
        discovery.whole_rows = static_cast<std::uint64_t>(row.integer(10));
        discovery.further_tried_at = instant_in(row, 11);
    }
    return discovery;
}

Result<void> save_discovery(storage::Database& database, const std::string& resource, const Discovery& discovery)
{
    constexpr std::string_view sql = R"sql(
        UPDATE _resources SET envelope = ?2, ordering = ?3, filter = ?4, looked_at = ?5, place_form = ?6,
            filter_tried_at = ?7, further = ?8, whole_rows = ?9, further_tried_at = ?10
        WHERE resource = ?1 AND (envelope IS NOT ?2 OR ordering IS NOT ?3 OR filter IS NOT ?4 OR looked_at IS NOT ?5
            OR place_form IS NOT ?6 OR filter_tried_at IS NOT ?7 OR further IS NOT ?8
            OR coalesce(whole_rows, 0) <> ?9 OR further_tried_at IS NOT ?10)
    )sql";
    const auto word = [](const std::string& text) { return text.empty() ? std::nullopt : std::optional(text); };
    return storage::run(database, sql, resource, word(discovery.envelope), word_of(discovery.ordering),
                        word_of(discovery.filter), text_of(discovery.looked_at), word(discovery.place_form),
                        text_of(discovery.filter_tried_at), word(discovery.further), discovery.whole_rows,
                        text_of(discovery.further_tried_at));
}

Result<std::vector<CanaryFitness>> load_canaries(storage::Database& database)
{
    constexpr const char* sql = "SELECT resource, canary, canary_tried_at FROM _resources WHERE canary IS NOT NULL";
    std::vector<CanaryFitness> canaries;
    SHELFD_TRY(storage::each_row(database, sql, [&](const storage::Statement& row) {
        if (const auto tried_at = instant_in(row, 2)) {
            canaries.push_back({std::string(row.text(0)), row.text(1) == fit, *tried_at});
        }
    }));
    return canaries;
}

Result<void> save_canary(storage::Database& database, const CanaryFitness& fitness)
{
    return storage::run(database, "UPDATE _resources SET canary = ?2, canary_tried_at = ?3 WHERE resource = ?1",
                        fitness.resource, fitness.tells ? fit : unfit, fitness.tried_at.to_text());
}

}  // namespace shelfd::mirror
