#include "sync/rounds/first_page_prefetch.hpp"

#include "sync/library/token_kind.hpp"
#include "sync/pass/pass_run.hpp"

#include <algorithm>
#include <utility>

namespace shelfd::sync {
namespace {

// A personal token follows its user from one library to another at any moment: nothing is asked for outside of a pass,
// which asks whose it is before and behind that.
std::size_t max_ahead(const LibraryContext& context)
{
    return is_personal(context) ? 0 : context.library.service.in_flight - 1;
}

constexpr Duration max_wait = std::chrono::seconds(5);

}  // namespace

FirstPagePrefetch::FirstPagePrefetch(const LibraryContext& context, Make make)
    : clock_(context.clock), make_(std::move(make)), most_(max_ahead(context))
{
}

FirstPagePrefetch::~FirstPagePrefetch() = default;

std::unique_ptr<PassRun> FirstPagePrefetch::take(const std::function<bool(std::size_t place)>& may)
{
    std::unique_ptr<PassRun> pass;
    if (early_.empty()) {
        pass = make_(next_);
    } else {
        pass = std::move(early_.front());
        early_.pop_front();
    }
    ++next_;
    while (early_.size() < ahead_ && may(next_ + early_.size())) {
        early_.push_back(make_(next_ + early_.size()));
        early_.back()->ask_early();
    }
    pass->wait_for([this] { return await_pages(); });
    return pass;
}

// The passes that are under way ahead of their turn; a page that hangs holds up nobody.
asio::awaitable<void> FirstPagePrefetch::await_pages()
{
    const auto latest = clock_.boot_now() + max_wait;
    for (const auto& pass : early_) {
        co_await pass->await_early(latest);
    }
}

void FirstPagePrefetch::ended(const PassReport& pass)
{
    const bool is_short = pass.trouble == Trouble::none && pass.pages <= 1;
    ahead_ = is_short ? std::min(std::max<std::size_t>(1, 2 * ahead_), most_) : 0;
}

asio::awaitable<budget::Tally> FirstPagePrefetch::close()
{
    budget::Tally sent;
    for (const auto& pass : early_) {
        sent.add(co_await pass->abandon());
    }
    early_.clear();
    co_return sent;
}

}  // namespace shelfd::sync
