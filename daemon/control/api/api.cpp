#include "control/api/api.hpp"

#include "control/api/reply_json.hpp"
#include "control/api/requests.hpp"
#include "runtime/async/task_group.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace shelfd::control {
namespace {

const std::string& library_in(const std::string& library)
{
    return library;
}

template <typename Request>
std::string library_in(const Request& request)
{
    if constexpr (requires { request.library; }) {
        return request.library;
    } else {
        return "";
    }
}

template <typename Request>
std::string resource_in(const Request& request)
{
    if constexpr (requires { request.resource; }) {
        return request.resource;
    } else {
        return "";
    }
}

template <typename Report>
Reply reply_to(Result<Report> outcome)
{
    if (!outcome) {
        return error_reply(outcome.error());
    }
    if constexpr (std::is_void_v<Report>) {
        return ok_reply();
    } else {
        return report_reply(std::move(*outcome));
    }
}

void send(const LineSink& sink, const ProgressEvent& event)
{
    const bool is_result = event.ended || event.planned || event.young_as_of;
    sink(to_json(event), is_result ? Importance::kept : Importance::droppable);
}

void send(const LineSink& sink, const VerifiedRow& row)
{
    sink(verified_line(row), Importance::kept);
}

void send(const LineSink& sink, const ProbeEvent& event)
{
    sink(probe_line(event), Importance::kept);
}

std::string note_of_retype(const RetypeRequest& request)
{
    return fmt::format("retype of {}.{} requested", request.resource, request.column);
}

std::string note_of_forgetting(const AcknowledgeRequest& request)
{
    return fmt::format("consumer {} of the change feed to be forgotten", request.consumer);
}

std::string note_of_decision(const DecideRequest& request)
{
    return fmt::format("held rows of {} {}", request.resource,
                       request.fate == Fate::accept ? "accepted as deleted" : "kept");
}

// Without the query, which may hold what a person searched for.
std::string note_of_get(const GetRequest& request)
{
    return "requested from the service: " + request.path.substr(0, request.path.find('?'));
}

std::string note_of_verify(const VerifyRequest& request)
{
    return fmt::format("rows of {} compared with the service", request.resource);
}

auto says(const char* action)
{
    return [action](const auto&) { return std::string(action); };
}

constexpr auto not_logged = nullptr;

}  // namespace

struct Api::Route {
    std::string_view method;
    std::string_view path;
    Right right;
    Handler answer;
};

template <typename Request>
Result<Request> Api::accept(Call& call, Reader<Request> read, const Audit<Request>& audit) const
{
    SHELFD_TRY_ASSIGN(request, read(call));
    if constexpr (!requires { typename Request::any_name; }) {
        const auto known = check_names(call, library_in(request), resource_in(request));
        if (const auto library = library_in(request); !known && is_hidden(call, library)) {
            note_refusal(call, "refused: a library that this user may not read", library);
        }
        SHELFD_TRY(known);
    }
    sign(request, call);
    if (const auto action = audit ? audit(request) : ""; !action.empty()) {
        note(call, action, library_in(request));
    }
    return std::move(request);
}

template <typename Request, typename Report>
Api::Handler Api::action(Reader<Request> read, Audit<Request> audit, Reported<Request, Report> run)
{
    return [=](const Api& api, Call call) -> asio::awaitable<Reply> {
        auto request = api.accept(call, read, audit);
        if (!request) {
            co_return error_reply(request.error());
        }
        auto acting = (api.operations_.*run)(std::move(*request));
        co_return reply_to(co_await std::move(acting));
    };
}

template <typename Request, typename Item>
Api::Handler Api::stream(Reader<Request> read, Audit<Request> audit, Streamed<Request, Item> run)
{
    return [=](const Api& api, Call call) -> asio::awaitable<Reply> {
        auto request = api.accept(call, read, audit);
        if (!request) {
            co_return error_reply(request.error());
        }
        co_return stream_reply([&api, run, wanted = std::move(*request)](LineSink sink) {
            return api.carry_out(wanted, run, std::move(sink));
        });
    };
}

template <typename Request, typename Item>
asio::awaitable<void> Api::carry_out(Request request, Streamed<Request, Item> run, LineSink sink) const
{
    ItemSink<Item> each = [sink](const Item& item) { send(sink, item); };
    auto working = (operations_.*run)(std::move(request), std::move(each));
    const auto outcome = co_await std::move(working);
    sink(done_line(outcome), Importance::kept);
}

const Api::Route* Api::find_route(const Call& call)
{
    static const std::array<Route, 29> routes = {{
        {"GET", "/healthz", Right::look,
         [](const Api&, Call) -> asio::awaitable<Reply> { co_return text_reply("ok\n"); }},
        {"GET", "/v1/config", Right::act,
         [](const Api& api, Call) -> asio::awaitable<Reply> { co_return text_reply(api.operations_.configuration()); }},
        {"GET", "/v1/status", Right::look, &Api::get_status},
        {"GET", "/v1/metrics", Right::look, &Api::get_metrics},
        {"GET", "/metrics", Right::look, &Api::get_metrics},
        {"POST", "/v1/wait", Right::look, &Api::post_wait},
        {"POST", "/v1/sync", Right::act,
         stream(
             read_sync, [](const auto& sync) { return std::string(sync.dry_run ? "" : "sync requested"); },
             &Operations::sync)},
        {"POST", "/v1/reload", Right::act, &Api::post_reload},
        {"POST", "/v1/auth/import", Right::act,
         action(read_import, says("import of a token set requested"), &Operations::import_set)},
        {"POST", "/v1/auth/login", Right::act, action(read_library, says("login requested"), &Operations::login_place)},
        {"POST", "/v1/auth/code", Right::act,
         action(read_code, says("redemption of an authorization code requested"), &Operations::redeem_code)},
        {"POST", "/v1/auth/move-out", Right::act,
         action(read_move_out, says("move-out of the token set requested"), &Operations::move_out)},
        {"POST", "/v1/auth/move-in", Right::act,
         action(read_move_in, says("move-in of a token set requested"), &Operations::move_in)},
        {"POST", "/v1/auth/adopt", Right::act,
         action(read_library_request, says("adoption of the token store requested"), &Operations::adopt)},
        {"POST", "/v1/auth/forget", Right::act,
         action(read_library_request, says("deletion of the token set requested"), &Operations::forget)},
        {"POST", "/v1/auth/token", Right::act,
         action(read_library_request, says("access token requested"), &Operations::reveal_token)},
        {"POST", "/v1/library/forget", Right::act,
         action(read_removal, says("removal of the library requested"), &Operations::remove_library)},
        {"POST", "/v1/snapshot", Right::act,
         action(read_library_request, says("snapshot requested"), &Operations::snapshot)},
        {"POST", "/v1/retype", Right::act, action(read_retype, note_of_retype, &Operations::retype)},
        // Who may read the mirror may say how far: each name belongs to one user.
        {"POST", "/v1/changes/acknowledge", Right::look,
         action(read_acknowledge, not_logged, &Operations::acknowledge)},
        {"POST", "/v1/changes/forget", Right::look,
         action(read_forget_consumer, note_of_forgetting, &Operations::forget_consumer)},
        {"POST", "/v1/held", Right::look, action(read_held, not_logged, &Operations::held)},
        {"POST", "/v1/held/decide", Right::act, action(read_decide, note_of_decision, &Operations::decide)},
        {"POST", "/v1/get", Right::act, action(read_get, note_of_get, &Operations::get)},
        {"POST", "/v1/verify", Right::act, stream(read_verify, note_of_verify, &Operations::verify)},
        {"POST", "/v1/probe", Right::act, stream(read_probe, says("lists of the service probed"), &Operations::probe)},
        {"GET", "/v1/alerts", Right::look, &Api::get_alerts},
        {"POST", "/v1/hooks/test", Right::act, action(read_hook, says("test of a hook"), &Operations::test_hook)},
        {"POST", "/v1/silence", Right::act, &Api::post_silence},
    }};
    const Route* by_path = nullptr;
    for (const auto& route : routes) {
        if (route.path == call.path) {
            by_path = &route;
            if (route.method == call.method) {
                break;
            }
        }
    }
    return by_path;
}

asio::awaitable<Reply> Api::answer(Call call) const
{
    const auto has = right_of(call.peer);
    if (has == Right::none) {
        const auto uid = call.peer.uid;
        auto noting = note_stranger(std::move(call));
        co_await std::move(noting);
        co_return refusal_of(uid);
    }
    const auto* route = find_route(call);
    if (route == nullptr) {
        co_return error_reply(Error(ErrorKind::not_found, fmt::format("there is nothing at {}", call.path)));
    }
    if (route->method != call.method) {
        auto reply = error_reply(Error(ErrorKind::usage, fmt::format("{} accepts only {}", call.path, route->method)));
        reply.status = 405;
        reply.allow = route->method;
        co_return reply;
    }
    if (route->right == Right::act || route->method == "POST") {
        auto naming = name_of(call.peer.uid);
        call.user = co_await std::move(naming);
    }
    call.verb = verb_of(call.path);
    if (has < route->right) {
        const auto asked = name_act(call);
        call.verb = asked.verb;
        note_refusal(call, "refused an action", asked.library);
        co_return refusal(call.peer.uid, has);
    }
    call.sight = sight_of(call.peer);
    call.by_admin = has == Right::act;
    auto answering = route->answer(*this, std::move(call));
    std::exception_ptr thrown;
    try {
        co_return co_await std::move(answering);
    } catch (...) {
        thrown = std::current_exception();
    }
    co_return error_reply(bug(thrown));
}

Error Api::bug(const std::exception_ptr& thrown) const
{
    if (is_cancellation(thrown)) {
        std::rethrow_exception(thrown);
    }
    const auto what = describe_exception(thrown);
    log_.error(
        fmt::format("bug: a request to the control socket failed: {}; please send a bug report with this log", what));
    return Error(ErrorKind::protocol,
                 fmt::format("bug in shelfd: {}; please send a bug report with its log ({})", what, journal_));
}

void Api::note_refusal(const Call& call, std::string_view action, std::string_view library) const
{
    if (refusals_->admits(call.peer.uid, call.verb)) {
        note(call, action, library);
    }
}

void Api::note(const Call& call, std::string_view action, std::string_view library) const
{
    std::vector<LogField> fields = {
        {"user", call.user}, {"uid", std::to_string(call.peer.uid)}, {"pid", std::to_string(call.peer.pid)}};
    if (!call.verb.empty()) {
        fields.push_back({"verb", call.verb});
    }
    if (!library.empty()) {
        fields.insert(fields.begin(), {"library", std::string(library)});
    }
    log_.write(LogLevel::info, fmt::format("control: {}", action), fields);
}

asio::awaitable<Reply> Api::post_reload(Call call) const
{
    auto request = read_reload(call);
    if (!request) {
        co_return error_reply(request.error());
    }
    call.verb = request->verb.empty() ? call.verb : request->verb;
    if (!request->dry_run) {
        note(call, "reload requested", request->library);
    }
    auto before = request->before ? operations_.configuration() : std::string();
    sign(*request, call);
    auto reloading = request->dry_run ? operations_.rehearse_reload() : operations_.reload(std::move(*request));
    auto report = co_await std::move(reloading);
    if (report) {
        report->before = std::move(before);
    }
    co_return reply_to(std::move(report));
}

asio::awaitable<Reply> Api::post_silence(Call call) const
{
    auto request = read_silence(call);
    if (!request) {
        co_return error_reply(request.error());
    }
    note(call, "silence asked for", request->library);
    sign(*request, call);
    auto silencing = operations_.silence(std::move(*request));
    co_return reply_to(co_await std::move(silencing));
}

}  // namespace shelfd::control
