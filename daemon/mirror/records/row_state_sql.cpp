#include "mirror/records/row_state_sql.hpp"

#include <fmt/format.h>

namespace shelfd::mirror {

std::string key_list(std::size_t size, std::string_view each, std::string_view between)
{
    std::string out;
    for (std::size_t part = 1; part <= size; ++part) {
        out += fmt::format("{}{}", part == 1 ? "" : between, fmt::format(fmt::runtime(each), part));
    }
    return out;
}

std::string key_is(const ResourceFacts& facts)
{
    return fmt::format("({}) = ({})", key_list(facts.key.size(), "k{}"), key_list(facts.key.size(), "?{}"));
}

Result<void> index_states(storage::Database& database, const ResourceFacts& facts)
{
    return database.execute(fmt::format("CREATE INDEX IF NOT EXISTS {0} ON {2} (place); "
                                        "CREATE INDEX IF NOT EXISTS {1} ON {2} (missed) WHERE missed <> 0",
                                        identifier("_place_" + facts.name), identifier("_missed_" + facts.name),
                                        states_of(facts)));
}

}  // namespace shelfd::mirror
