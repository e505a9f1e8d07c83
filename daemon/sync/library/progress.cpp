#include "sync/library/progress.hpp"

#include <cstdlib>

namespace shelfd::sync {

const char* to_string(Phase phase)
{
    switch (phase) {
    case Phase::identity: return "identity";
    case Phase::pages: return "pages";
    case Phase::closing: return "closing";
    case Phase::witnesses: return "witnesses";
    case Phase::publishing: return "publishing";
    case Phase::waiting: return "waiting";
    case Phase::details: return "details";
    case Phase::queued: return "queued";
    }
    std::abort();
}

}  // namespace shelfd::sync
