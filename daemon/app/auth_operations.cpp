#include "app/auth_operations.hpp"

namespace shelfd::app {
namespace {

oauth::ImportMode import_mode(control::Sealing sealing)
{
    switch (sealing) {
    case control::Sealing::seal: return oauth::ImportMode::seal;
    case control::Sealing::no_seal: return oauth::ImportMode::leave_alone;
    case control::Sealing::access_only: return oauth::ImportMode::access_only;
    }
    std::abort();
}

control::ImportReport report_of(oauth::ImportOutcome imported)
{
    control::ImportReport report;
    report.library_id = std::move(imported.library_id);
    report.sealed = imported.sealed;
    report.expires_at = imported.expires;
    report.text = std::move(imported.text);
    return report;
}

asio::awaitable<Result<control::ImportReport>> import_set(LibraryUnit::Use unit, control::ImportRequest request)
{
    auto set = oauth::parse_paste(request.pasted.reveal());
    if (!set) {
        co_return set.error();
    }
    const auto destroying = request.force ? oauth::Destroying::wanted : oauth::Destroying::refused;
    auto importing = unit->keeper().import(std::move(*set), import_mode(request.sealing), destroying);
    auto imported = co_await std::move(importing);
    if (!imported) {
        co_return imported.error();
    }
    unit->token_set_changed();
    co_return report_of(std::move(*imported));
}

asio::awaitable<Result<control::ImportReport>> redeem_code(LibraryUnit::Use unit, control::CodeRequest request)
{
    oauth::CodeGrant grant{std::move(request.code), std::move(request.verifier), std::move(request.redirect_uri)};
    auto redeeming = unit->keeper().redeem(std::move(grant));
    auto redeemed = co_await std::move(redeeming);
    if (!redeemed) {
        co_return redeemed.error();
    }
    unit->token_set_changed();
    co_return report_of(std::move(*redeemed));
}

asio::awaitable<Result<control::ImportReport>> move_in(LibraryUnit::Use unit, Secret document)
{
    auto moved = oauth::read_moved_set(document.reveal());
    if (!moved) {
        co_return moved.error();
    }
    auto moving = unit->keeper().move_in(std::move(*moved));
    auto outcome = co_await std::move(moving);
    if (!outcome) {
        co_return outcome.error();
    }
    unit->token_set_changed();
    co_return report_of(std::move(*outcome));
}

control::LoginPlace login_place(const config::Library& library)
{
    return {library.service.auth_url + "/oauth/authorize/", library.application.client_id,
            library.application.redirect_uri, library.wanted_scopes(), library.service.identity.has_value()};
}

Result<control::RevealedToken> reveal_token(LibraryUnit& unit)
{
    auto token = unit.keeper().reveal();
    if (!token) {
        return token.error();
    }
    control::RevealedToken revealed;
    revealed.access_token = token->token->clone();
    revealed.expires_at = unit.keeper().status().expires;
    return revealed;
}

}  // namespace

void add_auth_operations(control::Operations& operations, LibrarySet& libraries)
{
    operations.import_set = [&](control::ImportRequest request) -> asio::awaitable<Result<control::ImportReport>> {
        auto unit = use_library(libraries, request.library);
        if (!unit) {
            co_return unit.error();
        }
        co_return co_await import_set(std::move(*unit), std::move(request));
    };
    operations.login_place = [&](const std::string& library) -> Result<control::LoginPlace> {
        const auto unit = use_library(libraries, library);
        return unit ? Result(login_place((*unit)->library())) : unit.error();
    };
    operations.redeem_code = [&](control::CodeRequest request) -> asio::awaitable<Result<control::ImportReport>> {
        auto unit = use_library(libraries, request.library);
        if (!unit) {
            co_return unit.error();
        }
        co_return co_await redeem_code(std::move(*unit), std::move(request));
    };
    operations.move_out = [&](std::string library, std::string where) -> asio::awaitable<Result<Secret>> {
        const auto unit = use_library(libraries, library);
        if (!unit) {
            co_return unit.error();
        }
        auto moving = (*unit)->keeper().move_out(std::move(where));
        co_return co_await std::move(moving);
    };
    operations.move_in = [&](std::string library, Secret document) -> asio::awaitable<Result<control::ImportReport>> {
        auto unit = use_library(libraries, library);
        if (!unit) {
            co_return unit.error();
        }
        co_return co_await move_in(std::move(*unit), std::move(document));
    };
    operations.adopt = [&](std::string library) -> asio::awaitable<Result<void>> {
        const auto unit = use_library(libraries, library);
        if (!unit) {
            co_return unit.error();
        }
        co_return co_await (*unit)->keeper().adopt();
    };
    operations.forget = [&](std::string library) -> asio::awaitable<Result<void>> {
        const auto unit = use_library(libraries, library);
        if (!unit) {
            co_return unit.error();
        }
        co_return co_await (*unit)->keeper().forget();
    };
    operations.reveal_token = [&](std::string library) -> asio::awaitable<Result<control::RevealedToken>> {
        const auto unit = use_library(libraries, library);
        if (!unit) {
            co_return unit.error();
        }
        co_return reveal_token(**unit);
    };
}

}  // namespace shelfd::app
