#include "app/alerts/hook_call.hpp"

#include "app/alerts/hook_program.hpp"
#include "base/state/trouble.hpp"
#include "config/secrets/secret_source.hpp"
#include "control/hooks/notification.hpp"
#include "http/trouble_source.hpp"
#include "http/url.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <strings.h>
#include <utility>

namespace shelfd::app {
namespace {

using Kind = CallOutcome::Kind;

constexpr std::uint64_t max_answer = 64U << 10U;

// The secrets of a hook, fetched for each call.
struct Secrets {
    Secret url;
    std::vector<std::pair<std::string, Secret>> headers;
};

Result<Secrets> fetch_secrets(const config::Hook& hook, const std::string& directory)
{
    Secrets secrets;
    if (hook.post_secret) {
        SHELFD_TRY_ASSIGN(url, config::read_secret(*hook.post_secret, directory));
        secrets.url = std::move(url);
    }
    for (const auto& header : hook.headers) {
        if (header.secret) {
            SHELFD_TRY_ASSIGN(value, config::read_secret(*header.secret, directory));
            secrets.headers.emplace_back(header.name, std::move(value));
        }
    }
    return secrets;
}

// The rules of `post` hold for an address from a secret, too: a token must not be sent unencrypted.
Result<std::string> address_of(const config::Hook& hook, const Secrets& secrets)
{
    std::string url(hook.post_secret ? secrets.url.reveal() : std::string_view(hook.post));
    const auto parsed = http::parse_url(url);
    if (!parsed) {
        return Error(ErrorKind::config, "the secret of `post` is not an address: write https://… into it");
    }
    if (parsed->origin.scheme != "https" && !parsed->origin.is_loopback()) {
        return Error(ErrorKind::config, "the address of `post` must begin with https://");
    }
    return url;
}

http::Request request_of(const config::Hook& hook, std::string url, Secrets secrets, const std::string& body)
{
    http::Request request;
    request.method = http::Method::post;
    request.url = std::move(url);
    for (const auto& header : hook.headers) {
        if (!header.secret) {
            request.headers.push_back({header.name, header.value});
        }
    }
    const auto names_type = [](const auto& header) { return ::strcasecmp(header.name.c_str(), "content-type") == 0; };
    if (std::none_of(hook.headers.begin(), hook.headers.end(), names_type)) {
        request.headers.push_back({"Content-Type", "application/json"});
    }
    request.secret_headers = std::move(secrets.headers);
    request.body = Secret(std::string(body));
    request.route.ca_file = hook.ca_file;
    request.connection = http::Connection::one_shot;
    request.timeouts = {std::min<Duration>(hook.timeout, std::chrono::seconds(10)), hook.timeout, hook.timeout};
    request.max_body = max_answer;
    return request;
}

// What is advised about a connection names keys of a service; "" = it suits a hook, too.
std::string_view advice_on_post(TroubleSource source)
{
    switch (source) {
    case TroubleSource::host_name: return "check `post` and this machine's name servers (getent hosts NAME)";
    case TroubleSource::other_host: return "check the host in `post`";
    default: return "";
    }
}

std::string describe(const Error& error)
{
    auto text = error.text();
    const auto source = http::source_of(error);
    const auto usual = advice_on(source);
    if (const auto advice = advice_on_post(source); !advice.empty() && text.ends_with(usual)) {
        text.replace(text.size() - usual.size(), usual.size(), advice);
    }
    return text;
}

CallOutcome judge(const Result<http::Response>& answer, Instant now)
{
    if (!answer) {
        // This includes an answer that is too large: its status is not known.
        return {Kind::failed, describe(answer.error())};
    }
    const int status = answer->status;
    if (status >= 200 && status < 300) {
        return {Kind::accepted};
    }
    const auto wait = http::retry_after(*answer, now);
    if (status >= 500 || status == 408 || status == 425 || status == 429) {
        return {Kind::failed, fmt::format("it answered {}", status), wait};
    }
    if (status >= 300 && status < 400) {
        return {Kind::refused,
                fmt::format("it answers with a redirection ({}), which is not followed: correct `post`", status)};
    }
    return {Kind::refused, fmt::format("it refuses the call ({})", status)};  // its text may repeat a secret
}

asio::awaitable<CallOutcome> post(HookServices services, std::shared_ptr<const config::Hook> hook, std::string body)
{
    auto fetch = [&hook, &services] { return fetch_secrets(*hook, services.credentials_directory); };
    auto secrets = co_await services.lane.run(fetch);
    if (!secrets) {
        co_return CallOutcome{Kind::failed, secrets.error().text()};
    }
    auto url = address_of(*hook, *secrets);
    if (!url) {
        co_return CallOutcome{Kind::failed, url.error().text()};
    }
    auto request = request_of(*hook, std::move(*url), std::move(*secrets), body);
    const auto answer = co_await services.client.send(std::move(request));
    co_return judge(answer, services.clock.now());
}

asio::awaitable<CallOutcome> run(HookServices services, std::shared_ptr<const config::Hook> hook, std::string body)
{
    auto environment = control::notification_environment(body);
    if (!environment) {
        co_return CallOutcome{Kind::refused, environment.error().text()};
    }
    HookProgram program{hook->command, std::move(*environment), std::move(body), hook->timeout};
    auto running = run_hook_program(services.clock, services.lane, std::move(program));
    const auto outcome = co_await std::move(running);
    if (outcome) {
        co_return CallOutcome{Kind::accepted};
    }
    co_return CallOutcome{Kind::failed, fmt::format("{} {}", hook->command.front(), outcome.error().text())};
}

}  // namespace

asio::awaitable<CallOutcome> call_hook(HookServices services, std::shared_ptr<const config::Hook> hook,
                                       std::string body)
{
    const bool is_program = !hook->command.empty();
    auto calling = is_program ? run(std::move(services), std::move(hook), std::move(body))
                              : post(std::move(services), std::move(hook), std::move(body));
    co_return co_await std::move(calling);
}

std::string target_of(const config::Hook& hook)
{
    if (!hook.command.empty()) {
        return hook.command.front();
    }
    const auto parsed = hook.post_secret ? Result<http::Url>(Error(ErrorKind::usage, "")) : http::parse_url(hook.post);
    return parsed ? parsed->origin.host : "an address by reference";
}

}  // namespace shelfd::app
