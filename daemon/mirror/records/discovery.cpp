#include "mirror/records/discovery.hpp"

#include "mirror/json/instants.hpp"
#include "storage/query.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace shelfd::mirror {
namespace {

// Unknown values have no word.
template <typename Value, std::size_t count>
using Words = std::array<std::pair<Value, const char*>, count>;

constexpr auto support_words = std::to_array<std::pair<ParameterSupport, const char*>>({
    {ParameterSupport::obeyed, "obeyed"},
    {ParameterSupport::ignored, "ignored"},
    {ParameterSupport::refused, "refused"},
    {ParameterSupport::incomplete, "incomplete"},
    {ParameterSupport::undated, "undated"},
});

constexpr auto further_words = std::to_array<std::pair<Further, const char*>>({
    {Further::page, "page"},
    {Further::page_from_0, "page_from_0"},
    {Further::offset, "offset"},
    {Further::page_size, "page_size"},
    {Further::none, "none"},
    {Further::cut, "cut"},
});

constexpr auto place_words = std::to_array<std::pair<PlaceForm, const char*>>({
    {PlaceForm::days, "days"},
    {PlaceForm::instants, "instants"},
});

// Words of the column `canary`.
constexpr std::string_view fit = "fit";
constexpr std::string_view unfit = "unfit";

template <typename Value, std::size_t count>
std::optional<Value> value_of(const Words<Value, count>& words, std::string_view word)
{
    const auto* found = std::find_if(words.begin(), words.end(), [&](const auto& one) { return one.second == word; });
    return found == words.end() ? std::nullopt : std::optional(found->first);
}

template <typename Value, std::size_t count>
std::optional<std::string> word_of(const Words<Value, count>& words, Value value)
{
    const auto* found = std::find_if(words.begin(), words.end(), [&](const auto& one) { return one.first == value; });
    return found == words.end() ? std::nullopt : std::optional(std::string(found->second));
}

}  // namespace

Result<Discovery> load_discovery(storage::Database& database, const std::string& resource)
{
    SHELFD_TRY_ASSIGN(row, database.prepare(R"sql(
        SELECT envelope, ordering, filter, looked_at, changes_from, key_set, rows, place_form,
            filter_tried_at, further, whole_rows, further_tried_at, suspect_key, suspect_date,
            unproven
        FROM _resources WHERE resource = ?
    )sql"));
    row.bind(1, std::string_view(resource));
    SHELFD_TRY_ASSIGN(found, row.step());
    Discovery discovery;
    if (found) {
        discovery.envelope = envelope_from(row.text(0));
        discovery.ordering = value_of(support_words, row.text(1)).value_or(ParameterSupport::unknown);
        discovery.filter = value_of(support_words, row.text(2)).value_or(ParameterSupport::unknown);
        discovery.looked_at = instant_in(row, 3);
        discovery.changes_from = instant_in(row, 4);
        discovery.key_set = row.text(5);
        discovery.rows = static_cast<std::uint64_t>(row.integer(6));
        discovery.place_form = value_of(place_words, row.text(7)).value_or(PlaceForm::unknown);
        discovery.filter_tried_at = instant_in(row, 8);
        discovery.further = value_of(further_words, row.text(9)).value_or(Further::unknown);
        discovery.whole_rows = static_cast<std::uint64_t>(row.integer(10));
        discovery.further_tried_at = instant_in(row, 11);
        discovery.suspect_key = row.text(12);
        discovery.suspect_date = row.text(13);
        discovery.unproven = row.text(14);
    }
    return discovery;
}

Result<void> save_discovery(storage::Database& database, const std::string& resource, const Discovery& discovery)
{
    constexpr std::string_view sql = R"sql(
        UPDATE _resources SET envelope = ?2, ordering = ?3, filter = ?4, looked_at = ?5, place_form = ?6,
            filter_tried_at = ?7, further = ?8, whole_rows = ?9, further_tried_at = ?10,
            suspect_key = nullif(?11, ''), suspect_date = nullif(?12, ''),
            unproven = nullif(?13, '')
        WHERE resource = ?1 AND (envelope IS NOT ?2 OR ordering IS NOT ?3 OR filter IS NOT ?4 OR looked_at IS NOT ?5
            OR place_form IS NOT ?6 OR filter_tried_at IS NOT ?7 OR further IS NOT ?8
            OR coalesce(whole_rows, 0) <> ?9 OR further_tried_at IS NOT ?10
            OR coalesce(suspect_key, '') <> ?11 OR coalesce(suspect_date, '') <> ?12
            OR coalesce(unproven, '') <> ?13)
    )sql";
    const auto envelope = discovery.envelope ? word_of(envelope_words, *discovery.envelope) : std::nullopt;
    return storage::run(database, sql, resource, envelope, word_of(support_words, discovery.ordering),
                        word_of(support_words, discovery.filter), text_of(discovery.looked_at),
                        word_of(place_words, discovery.place_form), text_of(discovery.filter_tried_at),
                        word_of(further_words, discovery.further), discovery.whole_rows,
                        text_of(discovery.further_tried_at), discovery.suspect_key, discovery.suspect_date,
                        discovery.unproven);
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
