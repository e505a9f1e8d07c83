#include "ctl/mirror/mirror_format.hpp"

#include "base/instant.hpp"

namespace shelfd::ctl {

std::string identifier(std::string_view name)
{
    std::string out = "\"";
    for (const char c : name) {
        out.append(c == '"' ? 2 : 1, c);
    }
    return out += '"';
}

std::string short_time(std::string_view text)
{
    const auto at = Instant::from_rfc3339(text);
    return at ? at->to_short_text() : std::string(text);
}

}  // namespace shelfd::ctl
