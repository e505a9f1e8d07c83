// What the keeper of a library's token set is told, and what it may call.
#include "app/library/library_unit.hpp"

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

// Longer than any gateway's: giving up first would only leave us in doubt.
constexpr auto exchange_idle_timeout = std::chrono::seconds(120);
constexpr auto exchange_total_timeout = std::chrono::seconds(180);
// A canary that takes longer tells nothing in time.
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

asio::awaitable<Result<void>> LibraryUnit::open_keeper()
{
    const oauth::Directories directories{parts_.storage.tokens, parts_.storage.tokens_copy, parts_.refuge};
    const auto safety = parts_.storage.allow_unsafe ? storage::Safety::waived : storage::Safety::required;
    auto opening = oauth::TokenKeeper::open(keeper_settings(), keeper_services(),
                                            oauth::store_of(directories, library_.name, safety));
    keeper_ = co_await std::move(opening);
    co_return co_await compare_generations();
}

oauth::CanarySpec LibraryUnit::canary_spec() const
{
    const auto& service = library_.service;
    if (!service.identity) {
        // The first list, until it is known which one refuses wrong tokens. A list by parent has no address.
        const auto& all = library_.resources;
        return canary_of(*std::find_if(all.begin(), all.end(), [](const auto& one) { return !one.parent; }));
    }
    oauth::CanarySpec spec;
    spec.library_id = library_.library_id;
    spec.headers = headers_of(service);
    spec.url = service.base_url + sync::with_fixed_params(library_, service.identity->path);
    spec.identity_field = service.identity->field;
    spec.setting = "identity.path";
    return spec;
}

// In its cheapest form.
oauth::CanarySpec LibraryUnit::canary_of(const config::Resource& list) const
{
    oauth::CanarySpec spec;
    spec.library_id = library_.library_id;
    spec.headers = headers_of(library_.service);
    spec.url = library_.service.base_url + list.path + "?" + sync::glimpse_query(library_, list, {});
    spec.setting = fmt::format("[resource.{}]", list.name);
    return spec;
}

oauth::TokenKeeper::Settings LibraryUnit::keeper_settings() const
{
    const auto& service = library_.service;
    const auto& application = library_.application;
    const http::Route route{service.proxy, service.ca_file, ""};
    oauth::TokenKeeper::Settings settings;
    settings.library = library_.name;
    settings.endpoint.base_url = service.base_url;
    settings.endpoint.client_id = application.client_id;
    settings.endpoint.auth =
        application.client_auth == config::ClientAuth::basic ? oauth::ClientAuth::basic : oauth::ClientAuth::body;
    settings.endpoint.introspection_path = service.introspection_path;
    settings.endpoint.route = route;
    settings.endpoint.timeouts = {service.connect_timeout, exchange_idle_timeout, exchange_total_timeout};
    settings.client_secret = [reference = *application.client_secret, directory = parts_.credentials_directory] {
        return config::read_secret(reference, directory);
    };
    settings.canary = canary_spec();
    settings.canary_timeouts = {service.connect_timeout, service.idle_timeout, canary_total_timeout};
    settings.machine_id = parts_.machine_id;
    settings.boot_id = id_bytes(parts_.boot_id);
    settings.other_holder = [this](const std::string& fingerprint) {
        return parts_.other_holder(library_.name, fingerprint);
    };
    return settings;
}

oauth::TokenKeeper::Services LibraryUnit::keeper_services()
{
    using Permit = oauth::TokenKeeper::Permit;
    auto permit_canary = [this](oauth::Haste haste) -> asio::awaitable<Permit> {
        const auto purpose = haste == oauth::Haste::in_doubt ? budget::Purpose::token : budget::Purpose::interactive;
        auto permit = co_await limiter_.acquire(purpose);
        co_return std::make_shared<budget::Permit>(std::move(permit));
    };
    auto canary_ended = [this](const Permit& permit, const Result<http::Response>& outcome) {
        auto& held = *std::static_pointer_cast<budget::Permit>(permit);
        const auto requests = sync::requests_behind(outcome);
        if (requests == 0) {
            held.give_back();
            return;
        }
        if (context_) {
            context_->state.ledger.of("").count(budget::Reason::canary, requests);
        }
        limiter_.observe(held, sync::limiter_facts(outcome, parts_.clock.now()));
    };
    auto& gate = parts_.exchange_gate_for(library_.service.base_url);
    auto permit_exchange = [&gate](oauth::Haste haste) { return gate.enter(haste); };
    return {parts_.clock,
            parts_.client,
            parts_.token_workers.lane(),
            parts_.secret_workers.lane(),
            parts_.log,
            parts_.random,
            parts_.executor,
            std::move(permit_canary),
            std::move(permit_exchange),
            std::move(canary_ended)};
}

void LibraryUnit::token_set_changed()
{
    identity_->forget();
    context_->state.logged_of_token_set.clear();
    for (const auto& worker : workers_) {
        worker->wake_if_blocked();
    }
    for (const auto& worker : detail_workers_) {
        worker->wake_if_blocked();
    }
}

}  // namespace shelfd::app
