#include "app/library/keeper_settings.hpp"

#include "app/host/machine_id.hpp"
#include "config/secrets/secret_source.hpp"
#include "sync/library/service_request.hpp"
#include "sync/plan/pass_plan.hpp"
#include "sync/service/item_address.hpp"
#include "sync/service/page_answer.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace shelfd::app {
namespace {

// Longer than the timeout of any gateway: ending first would only make the exchange ambiguous.
constexpr auto exchange_idle_timeout = std::chrono::seconds(120);
constexpr auto exchange_total_timeout = std::chrono::seconds(180);
// A canary that takes longer is of no use.
constexpr auto canary_total_timeout = std::chrono::seconds(60);

std::vector<http::Header> headers_of(const config::Service& service)
{
    std::vector<http::Header> headers;
    for (const auto& [name, value] : service.headers) {
        headers.push_back({name, value});
    }
    return headers;
}

}  // namespace

oauth::CanarySpec canary_spec(const config::Library& library)
{
    const auto& service = library.service;
    if (!service.identity) {
        // The first list, until it is known which one refuses wrong tokens. A list by parent has no fixed address.
        const auto& all = library.resources;
        return canary_of(library, *std::find_if(all.begin(), all.end(), [](const auto& one) { return !one.parent; }));
    }
    oauth::CanarySpec spec;
    spec.library_id = library.library_id;
    spec.headers = headers_of(service);
    spec.url = service.base_url + sync::with_fixed_params(library, service.identity->path);
    spec.identity_field = service.identity->field;
    spec.user_field = service.identity->user_field;
    spec.setting = "identity.path";
    return spec;
}

// Requests the list in its cheapest form.
oauth::CanarySpec canary_of(const config::Library& library, const config::Resource& list)
{
    oauth::CanarySpec spec;
    spec.library_id = library.library_id;
    spec.headers = headers_of(library.service);
    spec.url = library.service.base_url + list.path + "?" + sync::glimpse_query(library, list, {});
    spec.setting = fmt::format("[resource.{}]", list.name);
    return spec;
}

oauth::TokenKeeper::Settings keeper_settings(const config::Library& library, const DaemonServices& services)
{
    const auto& service = library.service;
    const auto& application = library.application;
    const http::Route route{service.proxy, service.ca_file, ""};
    oauth::TokenKeeper::Settings settings;
    settings.library = library.name;
    settings.endpoint.base_url = service.base_url;
    settings.endpoint.client_id = application.client_id;
    settings.endpoint.auth =
        application.client_auth == config::ClientAuth::basic ? oauth::ClientAuth::basic : oauth::ClientAuth::body;
    settings.endpoint.introspection_path = service.introspection_path;
    settings.endpoint.revocation_path = service.revocation_path;
    settings.endpoint.route = route;
    settings.endpoint.timeouts = {service.connect_timeout, exchange_idle_timeout, exchange_total_timeout};
    settings.client_secret = [reference = *application.client_secret, directory = services.host.credentials_directory] {
        return config::read_secret(reference, directory);
    };
    settings.canary = canary_spec(library);
    settings.canary_timeouts = {service.connect_timeout, service.idle_timeout, canary_total_timeout};
    settings.machine_id = services.host.machine_id;
    settings.boot_id = id_bytes(services.host.boot_id);
    settings.other_holder = [&services, name = library.name](const std::string& fingerprint) {
        return services.other_holder(name, fingerprint);
    };
    return settings;
}

oauth::Store store_of(const config::Library& library, const DaemonServices& services)
{
    const auto& storage = services.storage;
    const oauth::Directories directories{storage.tokens, storage.tokens_copy, services.host.refuge};
    return oauth::store_of(directories, library.name,
                           storage.allow_unsafe ? storage::Safety::waived : storage::Safety::required);
}

oauth::TokenKeeper::Services keeper_services(const config::Library& library, DaemonServices& services,
                                             budget::Limiter& limiter, CountCanary count)
{
    using Permit = oauth::TokenKeeper::Permit;
    auto permit_canary = [&limiter](oauth::Haste haste) -> asio::awaitable<Permit> {
        const auto purpose = haste == oauth::Haste::in_doubt ? budget::Purpose::token : budget::Purpose::interactive;
        auto permit = co_await limiter.acquire(purpose);
        co_return std::make_shared<budget::Permit>(std::move(permit));
    };
    auto canary_ended = [&limiter, &clock = services.clock,
                         count = std::move(count)](const Permit& permit, const Result<http::Response>& outcome) {
        auto& held = *std::static_pointer_cast<budget::Permit>(permit);
        const auto requests = sync::requests_behind(outcome);
        if (requests == 0) {
            held.give_back();
            return;
        }
        count(requests);
        limiter.observe(held, sync::limiter_facts(outcome, clock.now()));
    };
    auto& gate = services.exchange_gate_for(library.service.base_url);
    auto permit_exchange = [&gate](oauth::Haste haste) { return gate.enter(haste); };
    return {services.clock,
            services.client,
            services.workers.tokens.lane(),
            services.workers.secrets.lane(),
            services.log,
            services.random,
            services.executor,
            std::move(permit_canary),
            std::move(permit_exchange),
            std::move(canary_ended)};
}

}  // namespace shelfd::app
