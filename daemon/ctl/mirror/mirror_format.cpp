#include "ctl/mirror/mirror_format.hpp"

#include "base/instant.hpp"
#include "base/words/names.hpp"

#include <fmt/format.h>

namespace shelfd::ctl {

Error no_table(const std::string& table, const std::vector<std::string>& known)
{
    return Error(ErrorKind::not_found,
                 fmt::format("the mirror has no table {} (there is: {})", table, list_nearest_first(table, known)));
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

}  // namespace shelfd::ctl
