#include "app/operations/auth_operations.hpp"

#include "base/pause.hpp"
#include "base/words/word_list.hpp"

namespace shelfd::app {
namespace {

// A new set is tested with a request before it is used. Fails with kind throttled.
Result<void> require_no_pause(const LibraryUnit& unit)
{
    const auto until = unit.limiter().status().paused_until;
    return until && *until - unit.now() > longest_silence
               ? Error(ErrorKind::throttled,
                       fmt::format("{}, so no set can be tested; nothing was changed, and no token "
                                   "was used: try again then",
                                   describe_pause(*until)))
               : Result<void>();
}

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
    report.scopes = words_in(imported.scope);
    report.text = std::move(imported.text);
    return report;
}

}  // namespace

asio::awaitable<Result<control::ImportReport>> import_set(LibraryUnit& unit, control::ImportRequest request)
{
    SHELFD_CO_TRY_ASSIGN(set, oauth::parse_paste(request.pasted.reveal()));
    SHELFD_CO_TRY(require_no_pause(unit));
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

asio::awaitable<Result<control::ImportReport>> move_in(LibraryUnit& unit, control::MoveInRequest request)
{
    SHELFD_CO_TRY_ASSIGN(moved, oauth::read_moved_set(request.document.reveal()));
    SHELFD_CO_TRY(require_no_pause(unit));
    auto moving = unit.keeper().move_in(std::move(moved));
    SHELFD_CO_TRY_ASSIGN(outcome, co_await std::move(moving));
    unit.token_set_changed();
    co_return report_of(std::move(outcome));
}

asio::awaitable<Result<control::LoginPlace>> login_place(LibraryUnit& unit, std::string)
{
    SHELFD_CO_TRY(require_no_pause(unit));
    const auto& library = unit.library();
    co_return control::LoginPlace{library.service.auth_url + "/oauth/authorize/", library.application.client_id,
                                  library.application.redirect_uri, library.wanted_scopes(),
                                  library.service.identity.has_value()};
}

asio::awaitable<Result<Secret>> move_out(LibraryUnit& unit, control::MoveOutRequest request)
{
    return unit.keeper().move_out(std::move(request.where));
}

asio::awaitable<Result<void>> adopt(LibraryUnit& unit, control::LibraryRequest)
{
    return unit.keeper().adopt();
}

asio::awaitable<Result<void>> forget(LibraryUnit& unit, control::LibraryRequest)
{
    return unit.keeper().forget();
}

asio::awaitable<Result<control::RevealedToken>> reveal_token(LibraryUnit& unit, control::LibraryRequest)
{
    SHELFD_CO_TRY_ASSIGN(token, unit.keeper().reveal());
    control::RevealedToken revealed;
    revealed.access_token = token.token->clone();
    revealed.expires_at = unit.keeper().status().expires;
    co_return revealed;
}

}  // namespace shelfd::app
