// The first page, asked for before the pass begins.
#include "sync/pass/pass_run.hpp"

namespace shelfd::sync {

void PassRun::ask_early()
{
    if (plan_.fault.empty()) {
        asked_early_ = true;
        report_.started = context_.clock.now();
        fetcher_.fetch_ahead({plan_.first_query});
    }
}

asio::awaitable<budget::Tally> PassRun::abandon()
{
    co_await fetcher_.close();
    co_return fetcher_.sent();
}

}  // namespace shelfd::sync
