#include "sync/library/run_id.hpp"

#include <fmt/core.h>

#include <cstdint>

namespace shelfd::sync {

std::string make_run_id(Instant now, double random)
{
    auto text = now.to_short_text();
    std::erase_if(text, [](char c) { return c == '-' || c == ':' || c == 'Z'; });
    return fmt::format("{}-{:08x}", text, static_cast<std::uint32_t>(random * 4'294'967'296.0));
}

}  // namespace shelfd::sync
