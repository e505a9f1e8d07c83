#include "sync/trouble/error_source.hpp"

#include "http/trouble_source.hpp"

#include <cerrno>

namespace shelfd::sync {

TroubleSource source_of(const Error& error)
{
    // See TokenKeeper::reject.
    if (error.kind() == ErrorKind::needs_person && error.status == 401) {
        return TroubleSource::refusal;
    }
    return error.system_errno == ENOSPC ? TroubleSource::space : http::source_of(error);
}

}  // namespace shelfd::sync
