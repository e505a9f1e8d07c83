#include "sync/library/refuser.hpp"

namespace shelfd::sync {

std::optional<oauth::CanarySpec> refuser_of(LibraryContext& context, std::string target, std::uint64_t generation,
                                            std::optional<Instant> accepted_at)
{
    const auto token = context.keeper.status();
    const bool was_accepted = accepted_at && token.last_refresh && *accepted_at > *token.last_refresh;
    if (!was_accepted || token.generation != generation) {
        return std::nullopt;
    }
    oauth::CanarySpec spec;
    spec.url = context.library.service.base_url + target;
    for (const auto& [name, value] : context.library.service.headers) {
        spec.headers.push_back({name, value});
    }
    return spec;
}

asio::awaitable<std::optional<oauth::CanarySpec>> refuser_of(LibraryContext& context, const std::string& resource,
                                                             std::string target, std::uint64_t generation)
{
    auto look = [&context, &resource] { return context.mirror.summary(resource); };
    const auto found = co_await context.lane.run(look);
    std::optional<Instant> accepted_at;
    if (found && *found && (*found)->as_of) {
        accepted_at = (*found)->last_started ? (*found)->last_started : (*found)->as_of;
    }
    co_return refuser_of(context, std::move(target), generation, accepted_at);
}

}  // namespace shelfd::sync
