#include "ctl/library/set_identity.hpp"

#include "base/text.hpp"
#include "base/words/member_text.hpp"
#include "config/tree/toml_text.hpp"
#include "ctl/context/ending_signals.hpp"
#include "ctl/context/interruption.hpp"
#include "ctl/daemon/client.hpp"
#include "ctl/daemon/json_reader.hpp"

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>

namespace shelfd::ctl {
namespace {

namespace json = boost::json;

constexpr std::chrono::seconds pause{1};
constexpr int max_pauses = 60;

// A library that joins the request limit of its user is opened again at that moment, which takes seconds; so does one
// whose configuration has changed. Ctrl-C ends the wait.
Result<DaemonClient::Answer> ask_until_open(const Context& context, const std::string& body)
{
    Interruption interruption;
    // In log and `_runs` stands what the person typed.
    const auto* target =
        context.command.verb == Verb::library_resume ? "/v1/get?verb=library+resume" : "/v1/get?verb=library+add";
    for (int pauses = 0;; ++pauses) {
        SHELFD_TRY_ASSIGN(answer, client_of(context).post(target, Secret(std::string(body))));
        const auto checked = answer.check();
        if (checked) {
            return std::move(answer);
        }
        if (checked.error().kind() != ErrorKind::busy || pauses == max_pauses ||
            !interruption.wait(context.clock, pause)) {
            return checked.error();
        }
    }
}

}  // namespace

std::string find_user_field(std::string_view body)
{
    boost::system::error_code broken;
    const auto document = json::parse({body.data(), body.size()}, broken);
    return broken ? "" : user_member(document);
}

Result<SetIdentity> read_identity(std::string_view body, const std::string& field)
{
    boost::system::error_code broken;
    const auto document = json::parse({body.data(), body.size()}, broken);
    SetIdentity found;
    found.id = broken ? "" : identity_text(document, field);
    if (found.id.empty()) {
        return Error(
            ErrorKind::protocol,
            fmt::format("the service's answer about the library has no usable member {}: check identity.field", field));
    }
    for (const auto* name : {"name", "title", "label"}) {
        found.name = found.name.empty() ? identity_text(document, member_beside(field, name)) : found.name;
    }
    found.user_field = user_member(document);
    return found;
}

Result<SetIdentity> ask_identity(const Context& context, const config::Library& library)
{
    if (!library.service.identity) {
        return SetIdentity();
    }
    const json::object body{{"library", library.name}, {"path", library.service.identity->path}};
    SHELFD_TRY_ASSIGN(answer, ask_until_open(context, json::serialize(body)));
    const std::string_view all = answer.body;
    const auto line = all.substr(0, all.find('\n'));
    boost::system::error_code broken;
    const auto head = json::parse({line.data(), line.size()}, broken);
    const auto status = broken || !head.is_object() ? 0 : JsonReader(head.get_object()).count("status");
    if (status != 200) {
        return Error(ErrorKind::protocol,
                     fmt::format("the service answered {} when it was asked whose the set is", status));
    }
    return read_identity(all.substr(std::min(line.size() + 1, all.size())), library.service.identity->field);
}

bool agrees(const Context& context, const SetIdentity& found)
{
    if (context.command.life.agreed) {
        return true;
    }
    if (!context.terminal.can_ask()) {
        return false;
    }
    const auto who = found.name.empty() ? found.id : fmt::format("{} '{}'", found.id, found.name);
    const EndingSignals caught;
    for (;;) {
        const auto typed = context.read_line(
            fmt::format("The service says that this token set belongs to library {}. Is that right? (yes or no): ",
                        who),
            std::nullopt);
        const auto word = typed ? lower(trimmed(typed->reveal())) : "no";
        if (word == "y" || word == "yes") {
            return true;
        }
        if (word == "n" || word == "no") {
            return false;
        }
        context.terminal.complain("type yes or no");
    }
}

std::string user_note(const config::Service& service, const SetIdentity& found)
{
    const bool is_news = service.identity && service.identity->user_field.empty() && !found.user_field.empty();
    return is_news ? fmt::format("; its page also names the user: with identity = {{ path = {}, field = {}, user_field "
                                 "= {} }}, libraries of one user share one request limit by themselves",
                                 config::quote(service.identity->path), config::quote(service.identity->field),
                                 config::quote(found.user_field))
                   : "";
}

}  // namespace shelfd::ctl
