#include "sync/trouble/recorded_reason.hpp"

#include "sync/trouble/scope.hpp"

namespace shelfd::sync {

TroubleSource source_of_recorded(std::string_view why)
{
    if (why.starts_with(lacks_the_scope)) {
        return TroubleSource::scope;
    }
    // read_canary() names the key at the end of its sentences.
    return why.find(": check identity.") != std::string_view::npos ? TroubleSource::identity : TroubleSource::service;
}

}  // namespace shelfd::sync
