// Which of its two renderers DRF picks for an Accept header.
#pragma once

#include <string_view>

namespace shelfd::sim {

enum class Rendering { json, html, none };

// By how specific a media type is, then JSON before HTML; weights (q=) count for nothing, as in DRF.
Rendering negotiate(std::string_view accept);

}  // namespace shelfd::sim
