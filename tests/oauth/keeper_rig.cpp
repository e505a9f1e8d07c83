#include "keeper_rig.hpp"

#include <algorithm>
#include <array>
#include <ctime>
#include <utility>

#include <fmt/format.h>

namespace shelfd::oauth {
namespace {

std::string field_of(const std::string& form, const std::string& name)
{
    const auto at = ("&" + form).find("&" + name + "=");
    if (at == std::string::npos) {
        return "";
    }
    const auto value = form.substr(at + name.size() + 1);
    return value.substr(0, value.find('&'));
}

http::Answer unauthorized(const std::string& why)
{
    return http::Answer::of(
        401, R"({"detail":"Authentication credentials were not provided."})",
        {{"WWW-Authenticate",
          R"(Bearer realm="api",error="invalid_token",error_description="The access token )" + why + "\""}});
}

}  // namespace

void TokenService::issue()
{
    ++issued_;
    current_.access = fmt::format("access-{:04}-abcdefghijklmnop", issued_);
    current_.refresh = fmt::format("refresh-{:04}-abcdefghijklmnop", issued_);
    current_.expires = clock_.boot_now() + std::chrono::seconds(lifetime);
    secrets.push_back(current_.access);
    secrets.push_back(current_.refresh);
    dead_ = false;
}

void TokenService::rotate()
{
    spent_[current_.refresh] = clock_.boot_now();
    last_spent_ = current_.refresh;
    if (!kills_old_access) {
        old_access_.push_back(current_.access);
    }
    const auto refresh = current_.refresh;
    is_revoked_ = false;
    issue();
    if (!rotates) {
        current_.refresh = refresh;
        spent_.erase(refresh);
    }
    ++rotations;
}

std::string TokenService::response_to(const Set& set) const
{
    return fmt::format(
        R"({{"access_token": "{}", "expires_in": {}, "token_type": "Bearer", "scope": "accounts library")"
        R"({}}})",
        set.access, lifetime, rotates || repeats_refresh ? fmt::format(R"(, "refresh_token": "{}")", set.refresh) : "");
}

std::string TokenService::new_code(const std::string& verifier)
{
    const auto code = fmt::format("code-{:04}-abcdefghijklmnop", codes_.size() + 1);
    codes_[code] = verifier;
    secrets.push_back(code);
    return code;
}

http::Answer TokenService::redeem(const std::string& form)
{
    const auto found = codes_.find(field_of(form, "code"));
    if (found == codes_.end() || found->second != field_of(form, "code_verifier")) {
        return http::Answer::of(400, R"({"error": "invalid_grant"})");
    }
    codes_.erase(found);
    old_access_.push_back(current_.access);
    issue();
    return http::Answer::ok(response());
}

http::Answer TokenService::exchange(const std::string& body)
{
    if (wrong_client) {
        return http::Answer::of(401, R"({"error": "invalid_client"})",
                                {{"WWW-Authenticate", "Bearer error=\"invalid_client\""}});
    }
    if (body.find("grant_type=authorization_code") != std::string::npos) {
        return redeem(body);
    }
    const auto token = field_of(body, "refresh_token");
    if (token == current_.refresh && !dead_) {
        rotate();
        return http::Answer::ok(response());
    }
    const auto spent = spent_.find(token);
    if (spent != spent_.end()) {
        const auto within_grace = token == last_spent_ && clock_.boot_now() - spent->second < grace;
        if (within_grace && !dead_) {
            return http::Answer::ok(response());
        }
        ++reuses;
        dead_ = dead_ || revokes_family;
    }
    return http::Answer::of(400, R"({"error": "invalid_grant"})");
}

http::Answer TokenService::canary(const std::string& bearer, bool is_open) const
{
    const auto is_old = std::find(old_access_.begin(), old_access_.end(), bearer) != old_access_.end();
    if (is_open || is_old || (bearer == current_.access && !dead_ && clock_.boot_now() < current_.expires)) {
        const auto other = library_of.find(bearer);
        return http::Answer::ok(
            fmt::format(R"({{"id":{},"name":"Antwerp"}})", other == library_of.end() ? library_id : other->second));
    }
    return unauthorized(bearer == current_.access && !dead_ && !is_revoked_ ? "has expired." : "is invalid.");
}

// Its own clock, which nobody sets.
std::string TokenService::http_date() const
{
    const auto seconds =
        began_.seconds() + std::chrono::duration_cast<std::chrono::seconds>(clock_.boot_now() - BootTime()).count();
    const std::time_t time = seconds;
    std::tm parts{};
    gmtime_r(&time, &parts);
    std::array<char, 64> text{};
    std::strftime(text.data(), text.size(), "%a, %d %b %Y %H:%M:%S GMT", &parts);
    return text.data();
}

http::Answer TokenService::answer(const http::SeenRequest& request)
{
    if (request.url.find("/oauth/introspect/") != std::string::npos) {
        return introspection ? http::Answer::ok(*introspection) : http::Answer::of(404, "<html>");
    }
    if (request.url.find("/oauth/token/") == std::string::npos) {
        const auto is_private = !private_path.empty() && request.url.ends_with(private_path);
        auto said = canary_fault ? *canary_fault : canary(request.bearer, canary_is_open && !is_private);
        if (said.response) {
            said.response->headers.push_back({"Date", http_date()});
        }
        return said;
    }
    ++posts;
    if (faults.empty()) {
        return exchange(request.body);
    }
    auto fault = std::move(faults.front());
    faults.erase(faults.begin());
    if (fault.acts) {
        auto real = exchange(request.body);
        if (!fault.answer.response && !fault.answer.error && !fault.answer.silent) {
            return std::move(real).after(fault.answer.wait).in_pieces_of(fault.answer.piece_size);
        }
        // A cut answer holds the beginning of the real one.
        if (fault.answer.response && fault.answer.error && real.response) {
            const auto length = fault.answer.response->body.size();
            fault.answer.response->body = real.response->body.substr(0, length);
        }
    }
    return std::move(fault.answer);
}

KeeperRig::KeeperRig()
{
    client.handle([this](const http::SeenRequest& request) {
        return is_dead_ ? http::Answer::failed(ErrorKind::network, Delivery::not_sent) : service.answer(request);
    });
    settings.library = "antwerp";
    settings.endpoint.base_url = "https://api.example.com";
    settings.endpoint.client_id = "client";
    settings.endpoint.timeouts.idle = std::chrono::seconds(120);
    settings.endpoint.timeouts.total = std::chrono::seconds(180);
    settings.client_secret = [] { return Result<Secret>(Secret("client secret & more")); };
    settings.canary.url = "https://api.example.com/api/v2/accounts/libraries/current/";
    settings.canary.identity_field = "id";
    settings.canary.library_id = "42";
    settings.boot_id[0] = std::byte{1};
    settings.machine_id = "0123456789abcdef";
}

KeeperRig::~KeeperRig()
{
    kill();
}

TokenKeeper::Services KeeperRig::services()
{
    Log log([this](const LogRecord& record) {
        std::string line(record.message);
        for (const auto& field : record.fields) {
            line += fmt::format(" {}={}", field.key, field.value);
        }
        log_lines.push_back(line);
    });
    auto take_turn = [this](Haste haste) { return gate.enter(haste); };
    return {clock, client, Lane(), Lane(), log, [] { return 0.5; }, loop.get_executor(), {}, take_turn};
}

Store KeeperRig::store()
{
    Store store;
    store.places = places;
    const auto opener = [this](std::size_t file) {
        return [this, file]() -> Result<std::unique_ptr<storage::JournalFile>> {
            return is_dead_ ? Result(disk.open_abandoned(file)) : disk.open(file);
        };
    };
    store.a = opener(0);
    store.b = opener(1);
    if (has_refuge) {
        store.refuge.make = opener(2);
        store.refuge.find = [this, open = opener(2)]() -> Result<std::unique_ptr<storage::JournalFile>> {
            const auto& bytes = disk.content(2);
            if (std::all_of(bytes.begin(), bytes.end(), [](std::byte byte) { return byte == std::byte{0}; })) {
                return Error(ErrorKind::not_found, "never used");
            }
            return open();
        };
    }
    return real_store ? std::move(*std::exchange(real_store, std::nullopt)) : std::move(store);
}

Result<void> KeeperRig::try_start()
{
    is_dead_ = false;
    keeper_ = run(TokenKeeper::open(settings, services(), store()));
    keeper_->record_mirror_generation(mirror_generation);
    group_ = std::make_unique<TaskGroup>(loop.get_executor());
    group_->spawn(keeper_->run());
    clock.settle();
    return {};
}

TokenKeeper& KeeperRig::start()
{
    if (auto started = try_start(); !started) {
        throw std::runtime_error(started.error().text());
    }
    return *keeper_;
}

void KeeperRig::stop()
{
    if (group_) {
        group_->cancel();
        run(group_->join());
        group_.reset();
        if (!is_dead_) {
            run(keeper_->repair_journals_at_exit());
        }
        keeper_.reset();
    }
}

void KeeperRig::die()
{
    is_dead_ = true;
    disk.abandon_files();
}

void KeeperRig::kill()
{
    die();
    stop();
}

void KeeperRig::give_set()
{
    const auto given = import(service.response(), ImportMode::leave_alone);
    if (!given) {
        throw std::runtime_error(given.error().text());
    }
}

std::string KeeperRig::access_text()
{
    const auto token = access();
    return token ? std::string(token->token->reveal()) : "error: " + token.error().text();
}

Result<ImportOutcome> KeeperRig::import(const std::string& paste, ImportMode mode, Destroying destroying)
{
    auto set = parse_paste(paste);
    if (!set) {
        return set.error();
    }
    return run(keeper_->import(std::move(*set), mode, destroying));
}

bool KeeperRig::log_has(const std::string& text) const
{
    return std::any_of(log_lines.begin(), log_lines.end(),
                       [&](const std::string& line) { return line.find(text) != std::string::npos; });
}

}  // namespace shelfd::oauth
