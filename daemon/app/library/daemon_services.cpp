#include "app/library/daemon_services.hpp"

#include "storage/filesystem.hpp"

#include <cerrno>
#include <sys/stat.h>

namespace shelfd::app {

Result<budget::Limiter*> DaemonServices::limiter_for(const config::Library& library)
{
    const auto& service = library.service;
    const auto& group = service.limit_group.empty() ? library.name : service.limit_group;
    const auto before = groups.find(library.name);
    const bool moved = before != groups.end() && before->second != group;
    auto limiter = limiter_of(group, service);
    if (const auto left = moved ? limiters.find(before->second) : limiters.end(); limiter && left != limiters.end()) {
        (*limiter)->take_over(*left->second);
    }
    if (limiter) {
        groups[library.name] = group;
    }
    return limiter;
}

Result<budget::Limiter*> DaemonServices::limiter_of(const std::string& group, const config::Service& service)
{
    if (const auto found = limiters.find(group); found != limiters.end()) {
        found->second->reconfigure(service.requests_per_minute, service.in_flight);
        return found->second.get();
    }
    const auto directory = storage.mirrors + "/.requests";
    if (mkdir(directory.c_str(), 0700) != 0 && errno != EEXIST) {
        return storage::errno_error("cannot make " + directory, errno);
    }
    budget::LimiterOptions options;
    options.per_minute = service.requests_per_minute;
    options.in_flight = service.in_flight;
    options.log_path = directory + "/" + group;
    auto opened = budget::Limiter::open(options, clock, boot_id);
    if (!opened) {
        return std::move(opened.error()).in("request log of " + group);
    }
    return limiters.emplace(group, std::move(*opened)).first->second.get();
}

oauth::ExchangeGate& DaemonServices::exchange_gate_for(const std::string& origin)
{
    auto& gate = exchange_gates[origin];
    if (!gate) {
        gate = std::make_unique<oauth::ExchangeGate>(clock);
    }
    return *gate;
}

}  // namespace shelfd::app
