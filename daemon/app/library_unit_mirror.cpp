#include "app/library_unit.hpp"

namespace shelfd::app {

asio::awaitable<Result<mirror::RetypeOutcome>> LibraryUnit::retype(std::string resource, std::string column)
{
    auto work = [this, &resource, &column] { return mirror_->retype(resource, column); };
    co_return co_await lane_.run(work);
}

}  // namespace shelfd::app
