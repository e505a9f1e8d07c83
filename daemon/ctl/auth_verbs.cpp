#include "ctl/json_reader.hpp"
#include "ctl/verbs.hpp"

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
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

Result<std::string> sentence_of(std::string_view body)
{
    boost::system::error_code broken;
    const auto document = json::parse({body.data(), body.size()}, broken);
    const auto* object = broken ? nullptr : document.if_object();
    if (object == nullptr) {
        return Error(ErrorKind::protocol, "the answer is not one of shelfd's; which program has that socket?");
    }
    return JsonReader(*object).text("text");
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

// The name goes into the query of a URL as it is.
bool is_name(std::string_view text)
{
    return !text.empty() && text.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") == std::string_view::npos;
}

}  // namespace

ExitCode run_auth_import(const Context& context)
{
    const auto& library = context.command.library;
    if (!is_name(library)) {
        return fail(context,
                    Error(ErrorKind::usage, fmt::format("\"{}\" is no name of a library: small letters, digits "
                                                        "and _",
                                                        library)));
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
    const auto answer = context.client().post(path, std::move(*pasted));
    if (!answer) {
        return fail_without_daemon(context, answer.error());
    }
    if (const auto checked = answer->check(); !checked) {
        return fail(context, checked.error());
    }
    const auto sentence = sentence_of(answer->body);
    if (!sentence) {
        return fail(context, sentence.error());
    }
    context.terminal.print(*sentence + "\n");
    return ExitCode::done;
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
