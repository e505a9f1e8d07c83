// Frees what an idle library holds: the mirror's file handle with its cache, and the space of its WAL.
#pragma once

#include "sync/details/detail_worker.hpp"
#include "sync/library/context.hpp"
#include "sync/worker/resource_worker.hpp"

#include <boost/asio/awaitable.hpp>

#include <memory>
#include <vector>

namespace shelfd::sync {

using Workers = std::vector<std::unique_ptr<ResourceWorker>>;
using DetailWorkers = std::vector<std::unique_ptr<DetailWorker>>;

// Returns when the mirror is closed. When no pass or turn of details runs and none is due within a minute (a second, if
// many mirrors are open), the mirror is checkpointed and closed; the next call opens it. Call again after each use of
// the mirror, so that idle libraries have no coroutine here. `context` and the workers must outlive the call.
asio::awaitable<void> rest_when_idle(LibraryContext& context, const Workers& workers, const DetailWorkers& details);

}  // namespace shelfd::sync
