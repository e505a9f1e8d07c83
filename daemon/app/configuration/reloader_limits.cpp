// Which libraries share a request limit, because the service says that they are one user.
#include "app/configuration/reloader.hpp"

#include "app/configuration/shared_limits.hpp"
#include "base/state/limit_notice.hpp"

#include <fmt/core.h>

#include <utility>

namespace shelfd::app {
namespace {

// For libraries that could not be opened again with another limit.
constexpr Duration between_tries = std::chrono::minutes(1);

}  // namespace

// Before the first canary of this process: what the last one knew applies.
asio::awaitable<void> Reloader::join_known_limits()
{
    auto& users = *services_.users;
    auto load = [&users] { users.load(); };
    co_await services_.workers.mirrors.lane().run(load);
    saved_users_ = users.all();
    auto sharing = share_limits(configuration_.libraries(), users.all());
    log_sharing(sharing.libraries);
    configuration_.adopt_found(std::move(sharing.libraries));
    auto keeping = keep_users(std::move(sharing.users));
    co_await std::move(keeping);
}

void Reloader::log_sharing(const config::Libraries& next) const
{
    for (const auto& line : describe_sharing(configuration_.libraries(), next)) {
        log_.log.info(line);
    }
}

std::vector<control::Notice> Reloader::user_notices() const
{
    auto notices = describe_parted_limits(configuration_.libraries(), services_.users->all());
    for (const auto& unit : libraries_.units()) {
        if (const auto& fault = unit->keeper().user_fault(); !fault.empty()) {
            notices.push_back({fmt::format("{}: {}, so it {}", unit->library().name, fault, no_shared_limit),
                               "correct identity.user_field, or remove it, then: shelfctl reload", std::nullopt});
        }
    }
    return notices;
}

asio::awaitable<void> Reloader::keep_users(LibraryUsers::All shared)
{
    auto& users = *services_.users;
    users.settle(shared, configuration_.libraries());
    if (users.all() == saved_users_) {
        co_return;
    }
    auto work = [&users, all = users.all()] { return users.save(all); };
    auto all = users.all();
    if (const auto saved = co_await services_.workers.mirrors.lane().run(work); !saved) {
        log_.log.warning("cannot record which libraries are one user of the service, so after a restart they share a "
                         "request limit only once their canaries have answered: " +
                         saved.error().text());
    }
    saved_users_ = std::move(all);  // also after a failure, which is logged once for each change
}

// A person waits for the rest of a removal, so a failure is only logged.
asio::awaitable<void> Reloader::forget_user(std::string library)
{
    services_.users->forget(library);
    auto keeping = keep_users(services_.users->all());
    co_await std::move(keeping);
}

asio::awaitable<void> Reloader::keep_limits()
{
    auto& users = *services_.users;
    auto& clock = services_.clock;
    for (std::uint64_t seen = 0;;) {
        if (owes_limits_) {
            co_await clock.wait_until(clock.boot_now() + between_tries, users.news());
        } else if (users.changes() == seen) {
            co_await users.news().wait();
        }
        seen = users.changes();
        auto work = in_turn([this] { return renew_limits(); });
        [[maybe_unused]] const auto done = co_await std::move(work);  // refused only when the daemon stops
    }
}

// A library takes its limiter when it is opened, and all its requests have ended then: none is counted twice or never.
asio::awaitable<void> Reloader::renew_limits()
{
    auto sharing = share_limits(configuration_.libraries(), services_.users->all());
    if (sharing.libraries != configuration_.libraries()) {
        const auto changed = co_await libraries_.replace(sharing.libraries);
        owes_limits_ = !changed;
        if (!changed) {
            log_.log.warning("the limits of libraries have changed, and cannot apply yet: " + changed.error().text());
            co_return;
        }
        log_sharing(sharing.libraries);
        configuration_.adopt_found(std::move(sharing.libraries));
    }
    auto keeping = keep_users(std::move(sharing.users));
    co_await std::move(keeping);
    services_.changed();
}

}  // namespace shelfd::app
