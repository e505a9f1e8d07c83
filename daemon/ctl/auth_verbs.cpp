#include "ctl/report.hpp"
#include "ctl/verbs.hpp"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <fmt/core.h>

namespace shelfd::ctl {
namespace {

namespace json = boost::json;

std::string_view sealing_word(Sealing sealing)
{
    switch (sealing) {
    case Sealing::seal: return "seal";
    case Sealing::no_seal: return "no_seal";
    case Sealing::access_only: return "access_only";
    }
    std::abort();
}

// A POST that names the library and has nothing to tell but that it worked.
ExitCode act(const Context& context, const std::string& path, const std::string& done)
{
    const json::object body{{"library", context.command.library}};
    const auto answer = context.client().post(path, Secret(json::serialize(body)));
    if (!answer) {
        return fail_without_daemon(context, answer.error());
    }
    if (const auto checked = answer->check(); !checked) {
        return fail(context, checked.error());
    }
    context.terminal.print(done);
    return ExitCode::done;
}

}  // namespace

ExitCode run_auth_import(const Context& context)
{
    const auto& library = context.command.library;
    if (const auto named = check_library_name(library); !named) {
        return fail(context, named.error());
    }
    auto pasted =
        context.read_input(fmt::format("Paste the token set of {} (JSON, or access_token=… and refresh_token=… "
                                       "lines), then an empty line; it is not shown:\n",
                                       library));
    if (!pasted) {
        return fail(context, pasted.error());
    }
    const auto path =
        fmt::format("/v1/auth/import?library={}&sealing={}", library, sealing_word(context.command.sealing));
    return print_report(context, context.client().post(path, std::move(*pasted)));
}

ExitCode run_auth_token(const Context& context)
{
    const json::object body{{"library", context.command.library}};
    const auto answer = context.client().post("/v1/auth/token", Secret(json::serialize(body)));
    if (!answer) {
        return fail_without_daemon(context, answer.error());
    }
    if (const auto checked = answer->check(); !checked) {
        return fail(context, checked.error());
    }
    context.terminal.print(answer->body + "\n");
    return ExitCode::done;
}

ExitCode run_auth_adopt(const Context& context)
{
    return act(context, "/v1/auth/adopt",
               fmt::format("{}: this store is the one that counts now; see: shelfctl auth status {}\n",
                           context.command.library, context.command.library));
}

ExitCode run_auth_forget(const Context& context)
{
    return act(
        context, "/v1/auth/forget",
        fmt::format("{}: its token set is not used any more; the mirror stays. Another one: shelfctl auth import "
                    "{}\n",
                    context.command.library, context.command.library));
}

}  // namespace shelfd::ctl
