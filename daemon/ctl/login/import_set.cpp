#include "ctl/login/import_set.hpp"

#include "ctl/daemon/answer.hpp"

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

ExitCode import_set(const Context& context, boost::json::object& answer)
{
    const auto& library = context.command.library;
    auto pasted =
        context.read_input(fmt::format("Paste the token set of {} (JSON, or access_token=… and refresh_token=… "
                                       "lines), then an empty line; it is not shown:\n",
                                       library));
    if (!pasted) {
        return fail(context, pasted.error());
    }
    const auto path =
        fmt::format("/v1/auth/import?library={}&sealing={}{}", library, sealing_word(context.command.auth.sealing),
                    context.command.force ? "&force=true" : "");
    return read_answer(context, client_of(context).post(path, std::move(*pasted)), answer);
}

}  // namespace shelfd::ctl
