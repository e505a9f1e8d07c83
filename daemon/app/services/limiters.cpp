#include "app/services/limiters.hpp"

#include "storage/filesystem.hpp"

#include <cerrno>
#include <cstdio>
#include <sys/stat.h>
#include <unistd.h>

namespace shelfd::app {

Result<budget::Limiter*> Limiters::of(const config::Library& library)
{
    const auto& group = library.limit_group();
    const auto before = groups_.find(library.name);
    const bool moved = before != groups_.end() && before->second != group;
    SHELFD_TRY(take_log_of_former_name(library));
    auto limiter = of_group(group, library);
    if (const auto left = moved ? by_group_.find(before->second) : by_group_.end();
        limiter && left != by_group_.end()) {
        (*limiter)->take_over(*left->second);
    }
    if (limiter) {
        groups_[library.name] = group;
    }
    return limiter;
}

// A log that no limiter of this process has open is renamed; otherwise the requests are counted again.
Result<void> Limiters::take_log_of_former_name(const config::Library& library)
{
    const auto& name = library.name;
    const auto& former = library.formerly;
    const bool has_own = library.limit_group() == name;
    if (former.empty() || !has_own) {
        return {};
    }
    const auto log = directory_ + "/" + former;  // in no directory, there is none
    const auto known = by_group_.find(former);
    if (known != by_group_.end() && groups_.erase(former) > 0) {
        SHELFD_TRY_ASSIGN(limiter, of_group(name, library));
        limiter->take_over(*known->second);
        ::unlink(log.c_str());
    } else if (!directory_.empty() && known == by_group_.end() && !by_group_.contains(name) &&
               std::rename(log.c_str(), (directory_ + "/" + name).c_str()) != 0 && errno != ENOENT) {
        return storage::errno_error("cannot rename " + log, errno);
    }
    return {};
}

Result<budget::Limiter*> Limiters::of_group(const std::string& group, const config::Library& library)
{
    const auto& service = library.service;
    const auto& shared = library.shared_limit;
    budget::LimiterOptions options;
    options.per_minute = shared ? shared->requests_per_minute : service.requests_per_minute;
    options.leave = shared ? shared->leave : service.leave;
    options.in_flight = shared ? shared->in_flight : service.in_flight;
    if (const auto found = by_group_.find(group); found != by_group_.end()) {
        found->second->reconfigure(options);
        return found->second.get();
    }
    if (!directory_.empty()) {
        if (mkdir(directory_.c_str(), 0700) != 0 && errno != EEXIST) {
            return storage::errno_error("cannot create " + directory_, errno);
        }
        options.log_path = directory_ + "/" + group;
    }
    auto opened = budget::Limiter::open(options, *clock_, boot_id_);
    if (!opened) {
        return std::move(opened.error()).in("request log of " + group);
    }
    return by_group_.emplace(group, std::move(*opened)).first->second.get();
}

}  // namespace shelfd::app
