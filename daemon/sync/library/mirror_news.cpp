#include "sync/library/mirror_news.hpp"

#include <optional>
#include <string>

namespace shelfd::sync {

asio::awaitable<void> log_mirror_news(LibraryContext& context)
{
    if (!context.mirror.has_news()) {
        co_return;
    }
    std::optional<std::string> notice;
    bool rebuilt = false;
    auto& repairs = context.state.repairs;
    auto take = [&context, &notice, &rebuilt] {
        notice = context.mirror.take_notice();
        rebuilt = context.mirror.take_rebuilt();
        return context.mirror.repairs();
    };
    repairs = co_await context.lane.run(take);
    if (notice) {
        context.log.warning(*notice, {{"library", context.library.name}});
    }
    if (rebuilt) {
        context.owner.refill("");
    }
}

}  // namespace shelfd::sync
