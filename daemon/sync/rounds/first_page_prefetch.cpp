#include "sync/rounds/first_page_prefetch.hpp"

#include "sync/library/token_kind.hpp"
#include "sync/pass/pass_run.hpp"

#include <algorithm>
#include <utility>

namespace shelfd::sync {
namespace {

constexpr Duration max_wait = std::chrono::seconds(5);

}  // namespace

std::size_t max_ahead(const config::Library& library, const oauth::TokenStatus& set)
{
    return is_personal(library, set) ? 0 : library.service.in_flight - 1;
}

FirstPagePrefetch::FirstPagePrefetch(Clock& clock, std::size_t max_ahead, Make make)
    : clock_(clock), make_(std::move(make)), max_ahead_(max_ahead)
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
    if (!early_.empty()) {
        pass->wait_for([this] { return await_pages(); });
    }
    return pass;
}

// Waits for the first pages requested ahead, at most `max_wait`, so that a slow page delays nobody.
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
    ahead_ = is_short ? std::min(std::max<std::size_t>(1, 2 * ahead_), max_ahead_) : 0;
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
