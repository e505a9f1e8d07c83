#include "runtime/worker_pool.hpp"

namespace shelfd {

WorkerPool::WorkerPool(std::size_t threads)
{
    if (threads > 0) {
        threads_.emplace(threads);
    }
}

Lane WorkerPool::lane()
{
    return threads_ ? Lane(asio::make_strand(threads_->get_executor())) : Lane();
}

void WorkerPool::join()
{
    if (threads_) {
        threads_->join();
    }
}

}  // namespace shelfd
