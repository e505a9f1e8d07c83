#include "app/services/limiters.hpp"

#include "storage/filesystem.hpp"

#include <cerrno>
#include <sys/stat.h>

namespace shelfd::app {

Result<budget::Limiter*> Limiters::of(const config::Library& library)
{
    const auto& service = library.service;
    const auto& group = service.limit_group.empty() ? library.name : service.limit_group;
    const auto before = groups_.find(library.name);
    const bool moved = before != groups_.end() && before->second != group;
    auto limiter = of_group(group, service);
    if (const auto left = moved ? by_group_.find(before->second) : by_group_.end();
        limiter && left != by_group_.end()) {
        (*limiter)->take_over(*left->second);
    }
    if (limiter) {
        groups_[library.name] = group;
    }
    return limiter;
}

Result<budget::Limiter*> Limiters::of_group(const std::string& group, const config::Service& service)
{
    if (const auto found = by_group_.find(group); found != by_group_.end()) {
        found->second->reconfigure(service.requests_per_minute, service.in_flight);
        return found->second.get();
    }
    if (mkdir(directory_.c_str(), 0700) != 0 && errno != EEXIST) {
        return storage::errno_error("cannot create " + directory_, errno);
    }
    budget::LimiterOptions options;
    options.per_minute = service.requests_per_minute;
    options.in_flight = service.in_flight;
    options.log_path = directory_ + "/" + group;
    auto opened = budget::Limiter::open(options, *clock_, boot_id_);
    if (!opened) {
        return std::move(opened.error()).in("request log of " + group);
    }
    return by_group_.emplace(group, std::move(*opened)).first->second.get();
}

}  // namespace shelfd::app
