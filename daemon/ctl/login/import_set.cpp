#include "ctl/login/import_set.hpp"

#include "ctl/daemon/answer.hpp"
#include "ctl/login/known_library.hpp"

#include <boost/json/object.hpp>
#include <fmt/core.h>

namespace shelfd::ctl {
namespace {

std::string_view sealing_word(Sealing sealing)
{
    switch (sealing) {
    case Sealing::seal: return "seal";
    case Sealing::no_seal: return "no_seal";
    case Sealing::access_only: return "access_only";
    }
    std::abort();
}

}  // namespace

Result<Secret> read_pasted_set(const Context& context)
{
    return context.read_input(fmt::format("Paste the token set of {} (JSON, or access_token=… and refresh_token=… "
                                          "lines), then an empty line; it is not shown:\n",
                                          context.command.library),
                              "no token set was given: paste it, or redirect it: < token.json");
}

void tell_of_kept_set(const Context& context, const std::string& verb)
{
    context.terminal.complain(
        fmt::format("interrupted; no token set was taken: that of {0}, if it has one, is as it was "
                    "(shelfctl auth status {0}); to try again: shelfctl auth {1} {0}",
                    context.command.library, verb));
}

Result<DaemonClient::Answer> hand_over_set(const Context& context, Secret pasted)
{
    const auto path =
        fmt::format("/v1/auth/import?library={}&sealing={}{}", context.command.library,
                    sealing_word(context.command.auth.sealing), context.command.force ? "&force=true" : "");
    return client_of(context).post(path, std::move(pasted));
}

ExitCode import_set(const Context& context, boost::json::object& answer)
{
    auto pasted = read_pasted_set(context);
    if (!pasted) {
        const auto known = check_known(context);
        return fail(context, known ? pasted.error() : known.error());
    }
    return read_answer(context, hand_over_set(context, std::move(*pasted)), answer);
}

}  // namespace shelfd::ctl
