// Gives back what an idle library holds: the mirror's file handle with its cache, and the length of its WAL.
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

// Until the mirror rests: when no pass or turn of details runs and none is due within a minute (a second, where many
// mirrors are open), it is checkpointed and let go of; the next call opens it again. To be begun again after every use
// of the mirror; of a thousand idle libraries none waits here. `context` and the workers outlive it.
asio::awaitable<void> rest_when_idle(LibraryContext& context, const Workers& workers, const DetailWorkers& details);

}  // namespace shelfd::sync
