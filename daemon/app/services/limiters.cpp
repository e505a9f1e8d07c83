#include "app/services/limiters.hpp"

#include "storage/filesystem.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <sys/stat.h>
#include <unistd.h>

namespace shelfd::app {

void Limiters::configure(const config::Libraries& libraries)
{
    named_groups_.clear();
    for (const auto& library : libraries) {
        if (library->limit_group() != library->name) {
            named_groups_.insert(library->limit_group());
        }
    }
}

Result<void> Limiters::rename(const std::string& from, const std::string& to)
{
    const auto known = groups_.find(from);
    const auto group = known == groups_.end() ? from : known->second;
    groups_.erase(from);
    groups_.erase(to);
    if (group != from || is_used(from) || is_used(to)) {
        groups_[to] = group;
        return {};
    }
    if (!directory_.empty() && std::rename(log_of(from).c_str(), log_of(to).c_str()) != 0 && errno != ENOENT) {
        return storage::errno_error("cannot rename " + log_of(from), errno);
    }
    if (auto limiter = by_group_.extract(from)) {
        if (auto other = by_group_.extract(to)) {
            retired_.push_back(std::move(other.mapped()));
        }
        limiter.key() = to;
        by_group_.insert(std::move(limiter));
    }
    groups_[to] = to;
    return {};
}

Result<budget::Limiter*> Limiters::of(const config::Library& library)
{
    const auto& group = library.limit_group();
    const auto before = group_before(library);
    SHELFD_TRY_ASSIGN(limiter, of_group(group, library));
    groups_[library.name] = group;
    if (before != group) {
        const auto known = by_group_.find(before);
        auto left =
            known != by_group_.end() ? Result<budget::Limiter*>(known->second.get()) : of_group(before, library);
        SHELFD_TRY_ASSIGN(former, std::move(left));
        limiter->take_over(*former);
        if (!is_used(before)) {
            retire(before);
        }
    }
    return limiter;
}

void Limiters::forget(const std::string& library)
{
    const auto known = groups_.find(library);
    const bool has_own = known != groups_.end() && known->second == library;
    groups_.erase(library);
    if (has_own && !is_used(library)) {
        retire(library);
    }
}

// After a start it is known only if the library left a log of its own.
std::string Limiters::group_before(const config::Library& library) const
{
    if (const auto known = groups_.find(library.name); known != groups_.end()) {
        return by_group_.contains(known->second) || has_log(known->second) ? known->second : library.limit_group();
    }
    return is_used(library.name) || !has_log(library.name) ? library.limit_group() : library.name;
}

bool Limiters::is_used(const std::string& group) const
{
    return named_groups_.contains(group) ||
           std::any_of(groups_.begin(), groups_.end(), [&group](const auto& one) { return one.second == group; });
}

std::string Limiters::log_of(const std::string& group) const
{
    return directory_ + "/" + group;
}

bool Limiters::has_log(const std::string& group) const
{
    return !directory_.empty() && ::access(log_of(group).c_str(), F_OK) == 0;
}

void Limiters::retire(const std::string& group)
{
    if (auto limiter = by_group_.extract(group)) {
        retired_.push_back(std::move(limiter.mapped()));
    }
    if (!directory_.empty()) {
        ::unlink(log_of(group).c_str());
    }
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
        options.log_path = log_of(group);
    }
    auto opened = budget::Limiter::open(options, *clock_, boot_id_);
    if (!opened) {
        return std::move(opened.error()).in("request log of " + group);
    }
    return by_group_.emplace(group, std::move(*opened)).first->second.get();
}

}  // namespace shelfd::app
