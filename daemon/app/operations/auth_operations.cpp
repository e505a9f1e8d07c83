#include "app/operations/auth_operations.hpp"

#include "app/operations/with_library.hpp"

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

asio::awaitable<Result<control::ImportReport>> import_set(LibraryUnit& unit, control::ImportRequest request)
{
    SHELFD_CO_TRY_ASSIGN(set, oauth::parse_paste(request.pasted.reveal()));
    const auto destroying = request.force ? oauth::Destroying::wanted : oauth::Destroying::refused;
    auto importing = unit.keeper().import(std::move(set), import_mode(request.sealing), destroying);
    SHELFD_CO_TRY_ASSIGN(imported, co_await std::move(importing));
    unit.token_set_changed();
    co_return report_of(std::move(imported));
}

asio::awaitable<Result<control::ImportReport>> redeem_code(LibraryUnit& unit, control::CodeRequest request)
{
    oauth::CodeGrant grant{std::move(request.code), std::move(request.verifier), std::move(request.redirect_uri)};
    auto redeeming = unit.keeper().redeem(std::move(grant));
    SHELFD_CO_TRY_ASSIGN(redeemed, co_await std::move(redeeming));
    unit.token_set_changed();
    co_return report_of(std::move(redeemed));
}

asio::awaitable<Result<control::ImportReport>> move_in(LibraryUnit& unit, Secret document)
{
    SHELFD_CO_TRY_ASSIGN(moved, oauth::read_moved_set(document.reveal()));
    auto moving = unit.keeper().move_in(std::move(moved));
    SHELFD_CO_TRY_ASSIGN(outcome, co_await std::move(moving));
    unit.token_set_changed();
    co_return report_of(std::move(outcome));
}

control::LoginPlace login_place(const config::Library& library)
{
    return {library.service.auth_url + "/oauth/authorize/", library.application.client_id,
            library.application.redirect_uri, library.wanted_scopes(), library.service.identity.has_value()};
}

asio::awaitable<Result<control::RevealedToken>> reveal_token(LibraryUnit& unit, std::string)
{
    SHELFD_CO_TRY_ASSIGN(token, unit.keeper().reveal());
    control::RevealedToken revealed;
    revealed.access_token = token.token->clone();
    revealed.expires_at = unit.keeper().status().expires;
    co_return revealed;
}

}  // namespace

void add_auth_operations(control::Operations& operations, LibrarySet& libraries)
{
    operations.import_set = [&](control::ImportRequest request) {
        return with_library(libraries, std::move(request), import_set);
    };
    operations.login_place = [&](const std::string& library) -> Result<control::LoginPlace> {
        SHELFD_TRY_ASSIGN(unit, use_library(libraries, library));
        return Result(login_place(unit->library()));
    };
    operations.redeem_code = [&](control::CodeRequest request) {
        return with_library(libraries, std::move(request), redeem_code);
    };
    operations.move_out = [&](std::string library, std::string where) {
        auto move_out = [where = std::move(where)](LibraryUnit& unit, const std::string&) mutable {
            return unit.keeper().move_out(std::move(where));
        };
        return with_library(libraries, std::move(library), std::move(move_out));
    };
    operations.move_in = [&](std::string library, Secret document) {
        auto take = [document = std::move(document)](LibraryUnit& unit, const std::string&) mutable {
            return move_in(unit, std::move(document));
        };
        return with_library(libraries, std::move(library), std::move(take));
    };
    operations.adopt = [&](std::string library) {
        auto adopt = [](LibraryUnit& unit, const std::string&) { return unit.keeper().adopt(); };
        return with_library(libraries, std::move(library), adopt);
    };
    operations.forget = [&](std::string library) {
        auto forget = [](LibraryUnit& unit, const std::string&) { return unit.keeper().forget(); };
        return with_library(libraries, std::move(library), forget);
    };
    operations.reveal_token = [&](std::string library) {
        return with_library(libraries, std::move(library), reveal_token);
    };
}

}  // namespace shelfd::app
