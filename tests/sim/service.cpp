#include "sim/service.hpp"

#include "sim/api_endpoint.hpp"
#include "sim/base64.hpp"
#include "sim/control_endpoint.hpp"
#include "sim/oauth_endpoints.hpp"
#include "sim/pages.hpp"

#include <chrono>
#include <cstdio>
#include <cstdlib>

namespace shelfd::sim {

namespace {

// The library that a client id names, right secret or not.
const Library* claimed_library(World& world, const Request& request)
{
    const auto header = request.header("Authorization").value_or("");
    if (same_word(std::string_view(header).substr(0, 6), "basic ")) {
        const auto pair = decode_base64(std::string_view(header).substr(6)).value_or("");
        if (const auto* library = world.library_of_client(decode_percent(pair.substr(0, pair.find(':'))))) {
            return library;
        }
    }
    return world.library_of_client(find(form_of(request), "client_id").value_or(""));
}

void identify(AuditKey& key, World& world, const Request& request)
{
    const auto token = bearer_token(request);
    const auto bearer = token ? world.tokens.look_up(*token, world.now()) : Bearer();
    if (bearer.set != nullptr) {
        key.library = world.library_at(bearer.set->library).name;
        key.generation = bearer.generation;
    } else if (const auto* library = claimed_library(world, request)) {
        key.library = library->name;
    }
}

}  // namespace

// On the system's clock, because the thread sanitizer knows no other timed lock.
std::unique_lock<WorldMutex> Service::lock()
{
    std::unique_lock held(mutex_, std::chrono::system_clock::now() + std::chrono::seconds(10));
    if (!held) {
        std::fputs("shelfsim: a test holds the world while it waits for an answer\n", stderr);
        std::abort();
    }
    return held;
}

Service::Visit Service::request_arrived(const Request& request)
{
    const auto lock = this->lock();
    Visit visit;
    visit.key.method = request.method;
    visit.key.path = request.path();
    visit.audited = !visit.key.path.starts_with(control_root);
    if (!visit.audited) {
        return visit;
    }
    identify(visit.key, world_, request);
    world_.audit.request_begins();
    if (visit.key.method == "POST" && visit.key.path == "/oauth/token/") {
        ++world_.audit.report.token_posts;
    }
    visit.fault = world_.faults.next_for(request, visit.key.library);
    return visit;
}

Reply Service::answer(const Request& request)
{
    const auto lock = this->lock();
    const auto path = request.path();
    if (path.starts_with(control_root)) {
        return control_answer(world_, request);
    }
    if (path.starts_with(api_root)) {
        return api_answer(world_, request);
    }
    return oauth_answer(world_, request);
}

void Service::request_done(const Visit& visit, int status, std::uint64_t bytes_sent)
{
    if (!visit.audited) {
        return;
    }
    const auto lock = this->lock();
    auto key = visit.key;
    key.status = status;
    world_.audit.request_ends(key, bytes_sent);
}

void Service::connection_accepted()
{
    const auto lock = this->lock();
    ++world_.audit.report.connections;
}

Instant Service::now()
{
    const auto lock = this->lock();
    return world_.now();
}

}  // namespace shelfd::sim
