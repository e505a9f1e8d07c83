#include "sync/early_passes.hpp"

#include "sync/pass_run.hpp"

#include <algorithm>
#include <utility>

namespace shelfd::sync {
namespace {

// A personal token follows its user from one library to another at any moment: nothing is asked for outside of a pass,
// which asks whose it is before and behind that.
std::size_t most_ahead(const config::Library& library)
{
    const bool personal = library.application.token_kind == config::TokenKind::personal;
    return personal ? 0 : library.service.in_flight - 1;
}

}  // namespace

EarlyPasses::EarlyPasses(const LibraryContext& context, Make make)
    : make_(std::move(make)), most_(most_ahead(context.library))
{
}

EarlyPasses::~EarlyPasses() = default;

std::unique_ptr<PassRun> EarlyPasses::take(const std::function<bool(std::size_t place)>& may)
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
    return pass;
}

void EarlyPasses::ended(const PassReport& pass)
{
    const bool is_short = pass.trouble == Trouble::none && pass.pages <= 1;
    ahead_ = is_short ? std::min(std::max<std::size_t>(1, 2 * ahead_), most_) : 0;
}

asio::awaitable<budget::Tally> EarlyPasses::close()
{
    budget::Tally sent;
    for (const auto& pass : early_) {
        sent.add(co_await pass->abandon());
    }
    early_.clear();
    co_return sent;
}

}  // namespace shelfd::sync
