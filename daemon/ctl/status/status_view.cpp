#include "ctl/status/status_view.hpp"

#include "ctl/daemon/json_reader.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <fmt/core.h>

#include <algorithm>
#include <array>

namespace shelfd::ctl {
namespace {

namespace json = boost::json;

// The view of each object in an array; other elements are skipped.
template <typename View>
std::vector<View> each(const json::array* array, View (*view)(const json::object&))
{
    std::vector<View> views;
    if (array != nullptr) {
        for (const auto& value : *array) {
            if (const auto* object = value.if_object()) {
                views.push_back(view(*object));
            }
        }
    }
    return views;
}

RunningView running_view(const json::object& object)
{
    const JsonReader in(object);
    return {
        in.text("phase"),          in.count("page"), in.count("pages"), in.count("rows"), in.number("rows_per_second"),
        in.seconds("eta_seconds"), in.text("note"),  in.count("list"),  in.count("lists")};
}

RunView run_view(const json::object& object)
{
    const JsonReader in(object);
    return {in.instant("started").value_or(Instant()),
            in.instant("finished").value_or(Instant()),
            in.text("result"),
            in.text("error"),
            in.count("requests"),
            in.count("rows"),
            in.count("added"),
            in.count("changed"),
            in.count("deleted")};
}

TokenView token_view(const json::object& object)
{
    const JsonReader in(object);
    TokenView token;
    token.state = in.text("state");
    token.needs_person = in.flag("needs_person");
    token.access_usable = in.flag("access_usable");
    token.generation = in.count("generation");
    token.since = in.instant("since");
    token.expires_at = in.instant("expires_at");
    token.last_refresh = in.instant("last_refresh");
    token.next_refresh = in.instant("next_refresh");
    token.deadline = in.instant("deadline");
    token.reason = in.text("reason");
    token.do_this = in.text("do_this");
    token.next = in.text("next");
    token.kind = in.text("kind");
    if (const auto* facts = in.object("facts")) {
        for (const auto& fact : *facts) {
            const std::string name(fact.key().data(), fact.key().size());
            token.facts.emplace_back(name, JsonReader(*facts).text(name.c_str()));
        }
    }
    return token;
}

ResourceView resource_view(const json::object& object)
{
    const JsonReader in(object);
    ResourceView resource;
    resource.name = in.text("name");
    resource.state = in.text("state");
    resource.why = in.text("why");
    resource.do_this = in.text("do_this");
    resource.since = in.instant("since");
    resource.rows = in.count("rows");
    resource.as_of = in.instant("as_of");
    resource.proven_as_of = in.instant("proven_as_of");
    resource.complete_from = in.instant("complete_from");
    resource.complete_to = in.instant("complete_to");
    resource.late_at = in.instant("late_at");
    resource.next_due = in.instant("next_due");
    if (const auto* running = in.object("running")) {
        resource.running = running_view(*running);
    }
    if (const auto* run = in.object("last_run")) {
        resource.last_run = run_view(*run);
    }
    if (const auto* detail = in.object("detail")) {
        const JsonReader told(*detail);
        resource.detail = {told.number("share"), told.count("pending"), told.count("gone")};
    }
    return resource;
}

RepairView repair_view(const json::object& object)
{
    const JsonReader in(object);
    return {in.instant("at"), in.text("found"), in.text("done")};
}

LibraryView library_view(const json::object& object)
{
    const JsonReader in(object);
    LibraryView library;
    library.name = in.text("name");
    library.state = in.text("state");
    if (const auto* bug = in.object("bug")) {
        const JsonReader told(*bug);
        library.bug = {told.text("what"), told.instant("since"), told.count("times"), told.instant("again_at"),
                       told.text("do_this")};
    }
    library.origin = in.text("origin");
    library.library_id = in.text("library_id");
    library.identity_verified = in.flag("identity_verified");
    library.identity_trouble = in.text("identity_trouble");
    library.repairs = each(in.array("repairs"), repair_view);
    library.mirror = in.text("mirror");
    library.wal_bytes = in.count("wal_bytes");
    library.wal_pinned_since = in.instant("wal_pinned_since");
    if (const auto* token = in.object("token")) {
        library.token = token_view(*token);
    }
    if (const auto* snapshot = in.object("snapshot")) {
        const JsonReader told(*snapshot);
        library.snapshot = {told.instant("made_at"), told.text("trouble"), told.instant("since")};
    }
    library.resources = each(in.array("resources"), resource_view);
    return library;
}

NoticeView notice_view(const json::object& object)
{
    const JsonReader in(object);
    return {in.text("text"), in.text("do_this"), in.instant("since")};
}

Result<json::object> parse_object(std::string_view text)
{
    boost::system::error_code broken;
    auto document = json::parse({text.data(), text.size()}, broken);
    if (broken || !document.is_object()) {
        return Error(ErrorKind::protocol, "the answer is no status of shelfd; which program has that socket?");
    }
    return std::move(document.get_object());
}

}  // namespace

Result<StatusView> read_status(std::string_view text)
{
    SHELFD_TRY_ASSIGN(document, parse_object(text));
    const JsonReader in(document);
    if (in.count("format_version") != 1) {
        return Error(ErrorKind::protocol, fmt::format("the daemon is version {} and speaks another format; use the "
                                                      "shelfctl that came with it",
                                                      in.text("version")));
    }
    StatusView status;
    status.version = in.text("version");
    status.now = in.instant("now").value_or(Instant());
    status.headline = in.text("headline");
    status.pid = in.count("pid");
    status.notices = each(in.array("notices"), notice_view);
    if (const auto* absent = in.array("absent")) {
        for (const auto& name : *absent) {
            status.absent.emplace_back(name.is_string() ? std::string(name.get_string()) : "");
        }
    }
    status.libraries = each(in.array("libraries"), library_view);
    return status;
}

RunningView read_running(std::string_view text)
{
    const auto object = parse_object(text);
    return object ? running_view(*object) : RunningView();
}

RunView read_run(std::string_view text)
{
    const auto object = parse_object(text);
    return object ? run_view(*object) : RunView();
}

Result<std::string> add_notices(std::string_view text, const std::vector<NoticeView>& notices)
{
    SHELFD_TRY_ASSIGN(document, parse_object(text));
    auto& all = (document)["notices"];
    if (!all.is_array()) {
        all = json::array();
    }
    for (const auto& notice : notices) {
        all.get_array().push_back(json::object{{"text", notice.text}, {"do_this", notice.do_this}, {"since", nullptr}});
    }
    return json::serialize(document);
}

Result<std::string> limit_to_library(std::string_view text, const std::string& library)
{
    SHELFD_TRY_ASSIGN(document, parse_object(text));
    json::array kept;
    if (const auto* libraries = JsonReader(document).array("libraries")) {
        for (const auto& value : *libraries) {
            if (value.is_object() && JsonReader(value.get_object()).text("name") == library) {
                kept.push_back(value);
            }
        }
    }
    (document)["libraries"] = std::move(kept);
    document.erase("absent");
    document.erase("headline");
    document.erase("exit_code");
    return json::serialize(document);
}

int exit_code_of(const StatusView& status)
{
    constexpr std::array<std::string_view, 4> somebody = {"wrong_library", "needs_person", "forbidden", "held"};
    int code = status.absent.empty() ? 0 : 2;
    for (const auto& library : status.libraries) {
        code = std::max(code, library.token.needs_person || library.bug ? 2 : 0);
        for (const auto& resource : library.resources) {
            if (std::find(somebody.begin(), somebody.end(), resource.state) != somebody.end()) {
                code = 2;
            } else if (resource.state == "late" || resource.state == "filling") {
                code = std::max(code, 1);
            }
        }
    }
    return code;
}

}  // namespace shelfd::ctl
