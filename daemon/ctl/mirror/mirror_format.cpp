#include "ctl/mirror/mirror_format.hpp"

#include "base/instant.hpp"
#include "base/words/names.hpp"
#include "storage/query.hpp"

#include <fmt/format.h>

namespace shelfd::ctl {

Error no_table(const std::string& table, const std::vector<std::string>& known)
{
    return Error(ErrorKind::not_found,
                 fmt::format("the mirror has no table {} (known: {})", table, list_nearest_first(table, known)));
}

Error with_list(const Error& error, const std::string& library)
{
    return error.kind() == ErrorKind::not_found
               ? Error(ErrorKind::not_found, fmt::format("{}; all of them: shelfctl schema {}", error.text(), library))
               : error;
}

std::string short_time(std::string_view text)
{
    const auto at = Instant::from_rfc3339(text);
    return at ? at->to_short_text() : std::string(text);
}

Result<std::string> column_or_null(storage::Database& mirror, const std::string& table, const std::string& column)
{
    SHELFD_TRY_ASSIGN(
        found, storage::read_number(mirror, "SELECT count(*) FROM pragma_table_info(?) WHERE name = ?", table, column));
    return found != 0 ? column : "NULL";
}

}  // namespace shelfd::ctl
