#include "control/api/requests.hpp"

#include "base/state/feed_position.hpp"
#include "control/api/request_fields.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace shelfd::control {
namespace {

constexpr std::string_view letters_of_names = "abcdefghijklmnopqrstuvwxyz0123456789_-";
constexpr std::string_view in_query = "library=";

}  // namespace

Result<std::string> read_library(Call& call)
{
    SHELFD_TRY_ASSIGN(fields, RequestFields::parse(call.body.reveal()));
    auto library = fields.required_text("library");
    SHELFD_TRY(fields.finish());
    return library;
}

Result<LibraryRequest> read_library_request(Call& call)
{
    SHELFD_TRY_ASSIGN(library, read_library(call));
    return LibraryRequest{std::move(library)};
}

Result<SyncRequest> read_sync(Call& call)
{
    SHELFD_TRY_ASSIGN(fields, RequestFields::parse(call.body.reveal()));
    SyncRequest request;
    const bool all = fields.flag("all");
    request.library = all ? fields.text("library") : fields.required_text("library");
    request.resource = fields.text("resource");
    request.extent = fields.flag("full") ? Extent::full : Extent::ordinary;
    request.from = fields.text("from");
    request.to = fields.text("to");
    request.waiting = fields.flag("background") ? Waiting::background : Waiting::until_done;
    request.if_older = fields.seconds("if_older_seconds");
    request.dry_run = fields.flag("dry_run");
    request.timeout = fields.seconds("timeout_seconds");
    SHELFD_TRY(fields.finish());
    if (all && (!request.library.empty() || !request.resource.empty())) {
        return Error(ErrorKind::usage, "\"all\" goes with neither \"library\" nor \"resource\"");
    }
    if (request.from.empty() != request.to.empty()) {
        return Error(ErrorKind::usage, "\"from\" and \"to\" must be given together");
    }
    if (!request.from.empty() && request.resource.empty()) {
        return Error(ErrorKind::usage, "a window needs a ledger: name the resource");
    }
    return request;
}

Result<WaitRequest> read_wait(Call& call)
{
    SHELFD_TRY_ASSIGN(fields, RequestFields::parse(call.body.reveal()));
    WaitRequest request;
    request.library = fields.text("library");
    request.resource = fields.text("resource");
    request.fresh = fields.seconds("fresh_seconds");
    const auto as_of = fields.text("as_of");
    request.as_of = Instant::from_rfc3339(as_of);
    request.timeout = fields.seconds("timeout_seconds").value_or(request.timeout);
    SHELFD_TRY(fields.finish());
    if (!as_of.empty() && (!request.as_of || request.fresh)) {
        return Error(ErrorKind::usage, "\"as_of\" must be an instant, without \"fresh_seconds\"");
    }
    return request;
}

// "before=true", "verb=library+pause&library=antwerp".
Result<ReloadRequest> read_reload(const Call& call)
{
    const auto& letters = letters_of_names;
    ReloadRequest request;
    std::string_view rest = call.query;
    while (!rest.empty()) {
        const auto item = rest.substr(0, rest.find('&'));
        rest.remove_prefix(std::min(rest.size(), item.size() + 1));
        const auto name = item.substr(0, item.find('='));
        const auto value = item.substr(std::min(item.size(), name.size() + 1));
        if (name == "verb" && value.find_first_not_of(std::string(letters) + "+") == std::string_view::npos) {
            request.verb = value;
            std::replace(request.verb.begin(), request.verb.end(), '+', ' ');
        } else if (name == "library" && value.find_first_not_of(letters) == std::string_view::npos) {
            request.library = value;
        } else if (item == "before=true") {
            request.before = true;
        } else if (item == "dry_run=true") {
            request.dry_run = true;
        } else {
            return Error(ErrorKind::usage, fmt::format("\"{}\" is not a parameter of a reload", name));
        }
    }
    return request;
}

Result<RemovalRequest> read_removal(Call& call)
{
    SHELFD_TRY_ASSIGN(fields, RequestFields::parse(call.body.reveal()));
    RemovalRequest request;
    request.library = fields.required_text("library");
    request.without_revocation = fields.flag("without_revocation");
    SHELFD_TRY(fields.finish());
    return request;
}

Result<RetypeRequest> read_retype(Call& call)
{
    SHELFD_TRY_ASSIGN(fields, RequestFields::parse(call.body.reveal()));
    RetypeRequest request;
    request.library = fields.required_text("library");
    request.resource = fields.required_text("resource");
    request.column = fields.required_text("column");
    SHELFD_TRY(fields.finish());
    return request;
}

Result<HeldRequest> read_held(Call& call)
{
    SHELFD_TRY_ASSIGN(fields, RequestFields::parse(call.body.reveal()));
    HeldRequest request;
    request.library = fields.required_text("library");
    request.resource = fields.required_text("resource");
    SHELFD_TRY(fields.finish());
    return request;
}

Result<DecideRequest> read_decide(Call& call)
{
    SHELFD_TRY_ASSIGN(fields, RequestFields::parse(call.body.reveal()));
    DecideRequest request;
    request.library = fields.required_text("library");
    request.resource = fields.required_text("resource");
    request.keys = fields.texts("keys");
    const auto fate = fields.required_text("fate");
    SHELFD_TRY(fields.finish());
    if (fate != "accept" && fate != "keep") {
        return Error(ErrorKind::usage, "\"fate\" must be accept or keep");
    }
    request.fate = fate == "accept" ? Fate::accept : Fate::keep;
    return request;
}

namespace {

Result<AcknowledgeRequest> read_consumer(const Call& call, bool with_position)
{
    SHELFD_TRY_ASSIGN(fields, RequestFields::parse(call.body.reveal()));
    AcknowledgeRequest request;
    request.library = fields.required_text("library");
    request.consumer = fields.required_text("consumer");
    request.position = with_position ? fields.required_text("position") : std::string();
    SHELFD_TRY(fields.finish());
    if (!is_consumer_name(request.consumer)) {
        return Error(ErrorKind::usage,
                     "\"consumer\" must be a name: a-z, 0-9, _ and -, at most 41 characters, a letter or digit first");
    }
    return request;
}

}  // namespace

Result<AcknowledgeRequest> read_acknowledge(Call& call)
{
    return read_consumer(call, true);
}

Result<AcknowledgeRequest> read_forget_consumer(Call& call)
{
    return read_consumer(call, false);
}

// "library=antwerp&sealing=no_seal": the parameters are in the query, because the body is the pasted set itself, of
// which no parser may keep a copy.
Result<ImportRequest> read_import(Call& call)
{
    ImportRequest request;
    std::string_view rest = call.query;
    while (!rest.empty()) {
        const auto item = rest.substr(0, rest.find('&'));
        rest.remove_prefix(std::min(rest.size(), item.size() + 1));
        if (item.starts_with("library=")) {
            request.library = item.substr(8);
        } else if (item == "sealing=no_seal") {
            request.sealing = Sealing::no_seal;
        } else if (item == "sealing=access_only") {
            request.sealing = Sealing::access_only;
        } else if (item == "force=true") {
            request.force = true;
        } else if (item != "sealing=seal") {
            return Error(ErrorKind::usage, fmt::format("unknown member \"{}\"", item.substr(0, item.find('='))));
        }
    }
    if (call.body.empty()) {
        return Error(ErrorKind::usage, "no token set was given: give it on standard input");
    }
    request.pasted = std::move(call.body);
    return request;
}

// The body is lines of name=value: no parser may keep a copy of a login's code, for a minute as good as a token.
Result<CodeRequest> read_code(Call& call)
{
    CodeRequest request;
    if (!call.query.starts_with("library=")) {
        return Error(ErrorKind::usage, "\"library\" is missing");
    }
    request.library = call.query.substr(8);
    auto rest = call.body.reveal();
    while (!rest.empty()) {
        const auto line = rest.substr(0, rest.find('\n'));
        rest.remove_prefix(std::min(rest.size(), line.size() + 1));
        const auto equals = std::min(line.find('='), line.size());
        const auto name = line.substr(0, equals);
        const auto value = line.substr(std::min(equals + 1, line.size()));
        if (name == "code") {
            request.code = Secret(std::string(value));
        } else if (name == "code_verifier") {
            request.verifier = Secret(std::string(value));
        } else if (name == "redirect_uri") {
            request.redirect_uri = value;
        } else {
            return Error(ErrorKind::usage,
                         "the body may contain only the lines code=, code_verifier= and redirect_uri=");
        }
    }
    if (request.code.empty() || request.verifier.empty() || request.redirect_uri.empty()) {
        return Error(ErrorKind::usage, "one of code, code_verifier and redirect_uri is missing");
    }
    return request;
}

Result<MoveOutRequest> read_move_out(Call& call)
{
    SHELFD_TRY_ASSIGN(fields, RequestFields::parse(call.body.reveal()));
    MoveOutRequest request{fields.required_text("library"), fields.text("to")};
    SHELFD_TRY(fields.finish());
    return request;
}

Result<MoveInRequest> read_move_in(Call& call)
{
    constexpr std::string_view name = "library=";
    if (!call.query.starts_with(name) || call.query.size() == name.size()) {
        return Error(ErrorKind::usage, "\"library\" is missing");
    }
    return MoveInRequest{call.query.substr(name.size()), std::move(call.body)};
}

Result<GetRequest> read_get(Call& call)
{
    SHELFD_TRY_ASSIGN(fields, RequestFields::parse(call.body.reveal()));
    GetRequest request;
    request.library = fields.required_text("library");
    request.path = fields.required_text("path");
    call.verb = name_act(call).verb;  // a verb that asks by itself is not the verb `get`
    SHELFD_TRY(fields.finish());
    return request;
}

Result<VerifyRequest> read_verify(Call& call)
{
    SHELFD_TRY_ASSIGN(fields, RequestFields::parse(call.body.reveal()));
    VerifyRequest request;
    request.library = fields.required_text("library");
    request.resource = fields.required_text("resource");
    request.keys = fields.texts("keys");
    request.sample = fields.count("sample");
    SHELFD_TRY(fields.finish());
    if (request.keys.empty() == (request.sample == 0)) {
        return Error(ErrorKind::usage, "give either \"keys\" or \"sample\"");
    }
    return request;
}

Result<ProbeRequest> read_probe(Call& call)
{
    SHELFD_TRY_ASSIGN(fields, RequestFields::parse(call.body.reveal()));
    ProbeRequest request;
    request.library = fields.required_text("library");
    request.paths = fields.texts("paths");
    const auto extent = fields.text("extent");
    SHELFD_TRY(fields.finish());
    if (extent == "survey" || extent == "thorough") {
        request.extent = extent == "survey" ? ProbeRequest::Extent::survey : ProbeRequest::Extent::thorough;
    } else if (!extent.empty() && extent != "lists") {
        return Error(ErrorKind::usage, R"("extent" must be "lists", "survey" or "thorough")");
    }
    if (request.extent != ProbeRequest::Extent::lists && !request.paths.empty()) {
        return Error(ErrorKind::usage, R"("paths" and "extent" exclude each other)");
    }
    return request;
}

std::string verb_of(std::string_view path)
{
    constexpr std::string_view version = "/v1/";
    path.remove_prefix(path.starts_with(version) ? version.size() : 1);
    std::string verb(path);
    std::replace(verb.begin(), verb.end(), '/', ' ');
    return verb;
}

NamedAct name_act(const Call& call)
{
    constexpr std::size_t longest = 64;
    NamedAct act{call.verb, ""};
    if (const auto reload = read_reload(call); reload) {  // its parameters, and `library` of other requests
        act = {reload->verb.empty() ? call.verb : reload->verb, reload->library};
    } else if (call.query.starts_with(in_query)) {
        act.library = call.query.substr(in_query.size(), call.query.find('&') - in_query.size());
    }
    if (call.query.empty() && !call.path.starts_with("/v1/auth/import") && !call.path.starts_with("/v1/auth/code") &&
        !call.path.starts_with("/v1/auth/move-in")) {
        if (auto fields = RequestFields::parse(call.body.reveal())) {
            act.library = fields->text("library");
        }
    }
    const bool may_be_one = act.library.size() <= longest && act.verb.size() <= longest &&
                            act.library.find_first_not_of(letters_of_names) == std::string::npos;
    return may_be_one ? act : NamedAct{call.verb, ""};
}

Result<HookRequest> read_hook(Call& call)
{
    SHELFD_TRY_ASSIGN(fields, RequestFields::parse(call.body.reveal()));
    HookRequest request;
    request.hook = fields.required_text("hook");
    SHELFD_TRY(fields.finish());
    return request;
}

Result<SilenceRequest> read_silence(Call& call)
{
    SHELFD_TRY_ASSIGN(fields, RequestFields::parse(call.body.reveal()));
    SilenceRequest request;
    request.library = fields.text("library");
    request.length = fields.seconds("seconds").value_or(Duration(0));
    SHELFD_TRY(fields.finish());
    return request;
}

}  // namespace shelfd::control
