#include "control/recording_operations.hpp"

#include "control/api/lookup.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace shelfd::control {

void Journal::note(std::string text)
{
    const std::lock_guard lock(mutex_);
    entries_.push_back(std::move(text));
}

std::vector<std::string> Journal::all() const
{
    const std::lock_guard lock(mutex_);
    return entries_;
}

bool Journal::contains(const std::string& part) const
{
    const auto entries = all();
    return std::any_of(entries.begin(), entries.end(),
                       [&](const auto& entry) { return entry.find(part) != std::string::npos; });
}

bool RecordingOperations::knows(const std::string& library, const std::string& resource) const
{
    return check_names(status(), library, resource).has_value();
}

asio::awaitable<Result<void>> RecordingOperations::sync(SyncRequest request, ProgressSink progress)
{
    if (instead_of_sync) {
        co_return co_await instead_of_sync(std::move(request), std::move(progress));
    }
    asked_.note("sync " + request.library + " " + request.resource + (request.extent == Extent::full ? " full" : "") +
                (request.from.empty() ? "" : " " + request.from + ".." + request.to) +
                (request.waiting == Waiting::background ? " background" : "") +
                (request.if_older ? " older " + std::to_string(request.if_older->count() / 1'000'000) : "") +
                (request.dry_run ? " dry" : ""));
    ProgressEvent event;
    event.library = request.library;
    event.resource = "recipes";
    event.running = Running{};
    event.running->page = 1;
    progress(event);
    event.ended = RunReport{};
    progress(event);
    if (request.dry_run) {
        ProgressEvent told;
        told.planned = PlannedPass{"full", "because", "/r/", false, true, std::nullopt};
        progress(told);
        ProgressEvent young;
        young.young_as_of = Instant();
        progress(young);
    }
    co_return Result<void>();
}

asio::awaitable<Result<ReloadReport>> RecordingOperations::reload(ReloadRequest request)
{
    acted = request.actor;
    if (instead_of_reload) {
        co_return co_await instead_of_reload();
    }
    asked_.note("reload");
    ReloadReport report;
    report.changes.push_back("library ghent added");
    co_return report;
}

asio::awaitable<Result<ReloadReport>> RecordingOperations::rehearse_reload()
{
    asked_.note("rehearse reload");
    ReloadReport report;
    report.warnings.push_back("ghent is no longer configured");
    co_return report;
}

asio::awaitable<Result<RemovalReport>> RecordingOperations::remove_library(RemovalRequest request)
{
    asked_.note("remove " + request.library + (request.without_revocation ? " without revocation" : ""));
    RemovalReport report;
    report.library = request.library;
    report.removed.push_back({"token set", "/t/antwerp", 262144});
    report.why_not_revoked = "--no-revoke was given";
    co_return report;
}

asio::awaitable<Result<ImportReport>> RecordingOperations::import_set(ImportRequest request)
{
    asked_.note("import " + request.library + " " + std::to_string(request.pasted.reveal().size()) + " bytes" +
                (request.sealing == Sealing::access_only ? " access_only" : "") + (request.force ? " force" : ""));
    acted = request.actor;
    ImportReport report;
    report.library_id = "42";
    report.text = "antwerp: the set answers as 42";
    co_return report;
}

asio::awaitable<Result<SnapshotReport>> RecordingOperations::snapshot(LibraryRequest request)
{
    asked_.note("snapshot " + request.library);
    acted = request.actor;
    co_return SnapshotReport{"/m/antwerp/antwerp.snapshot.db", 2, 32768};
}

asio::awaitable<Result<void>> RecordingOperations::acknowledge(AcknowledgeRequest request)
{
    asked_.note(fmt::format("acknowledge {} {} {} by {}{}", request.library, request.consumer, request.position,
                            request.asked_by, request.by_admin ? ", an admin" : ""));
    co_return Result<void>();
}

asio::awaitable<Result<void>> RecordingOperations::forget_consumer(AcknowledgeRequest request)
{
    asked_.note(fmt::format("forget consumer {} {} by {}{}", request.library, request.consumer, request.asked_by,
                            request.by_admin ? ", an admin" : ""));
    co_return Result<void>();
}

asio::awaitable<Result<RetypeReport>> RecordingOperations::retype(RetypeRequest request)
{
    asked_.note("retype " + request.library + " " + request.resource + " " + request.column);
    co_return RetypeReport{"integer", "text", 3};
}

asio::awaitable<Result<HeldReport>> RecordingOperations::held(HeldRequest request)
{
    asked_.note("held " + request.library + " " + request.resource);
    HeldReport report;
    report.rows.push_back({"\"a\"", Instant(), true, "because"});
    report.waiting = 2;
    report.kept = 1;
    co_return report;
}

asio::awaitable<Result<DecideReport>> RecordingOperations::decide(DecideRequest request)
{
    std::string keys;
    for (const auto& key : request.keys) {
        keys += " " + key;
    }
    asked_.note("decide " + request.library + " " + request.resource +
                (request.fate == Fate::accept ? " accept" : " keep") + keys);
    decided_by = request.asked_by;
    co_return DecideReport{3, 1};
}

asio::awaitable<Result<GetReport>> RecordingOperations::get(GetRequest request)
{
    asked_.note("get " + request.library + " " + request.path);
    co_return GetReport{404, "text/html", "<p>no", std::nullopt, {{"Retry-After", "7"}}};
}

asio::awaitable<Result<void>> RecordingOperations::verify(VerifyRequest request, VerifySink sink)
{
    std::string rows = request.sample > 0 ? " sample " + std::to_string(request.sample) : "";
    for (const auto& key : request.keys) {
        rows += " " + key;
    }
    asked_.note("verify " + request.library + " " + request.resource + rows);
    VerifiedRow row;
    row.key = "7";
    row.address = "/r/7/";
    row.verdict = "differs";
    row.differences.push_back({"\"a\"", "1", ""});
    sink(row);
    co_return Result<void>();
}

asio::awaitable<Result<void>> RecordingOperations::probe(ProbeRequest request, ProbeSink sink)
{
    asked_.note("probe " + request.library + " " + (request.paths.empty() ? "" : request.paths.front()));
    if (request.extent != ProbeRequest::Extent::lists) {
        sink(ProbePlan{"to find the lists", 20});
        sink(FoundIdentity{"/me/", "id", "user.id", true});
        sink(FoundList{"/r/", "OpenAPI 3.0.2 at /openapi.json", "R", "list", "", "", "counted", 3, 3, false, 16});
    }
    ProbedList list;
    list.path = "/r/";
    list.readable = true;
    list.lines = {"key: id"};
    list.toml = "[resource.r]\n";
    list.envelope = "counted";
    list.count = 3;
    list.key = "id";
    list.refuses_wrong_token = true;
    list.personal = {"email"};
    list.texts = {{"price", "decimals", "CAST(price AS REAL)"}};
    list.window_field = "date";
    list.requests = 6;
    sink(list);
    co_return Result<void>();
}

asio::awaitable<Result<LoginPlace>> RecordingOperations::login_place(std::string library)
{
    asked_.note("login " + library);
    co_return LoginPlace{
        "https://app.example.com/oauth/authorize/", "client", "http://127.0.0.1:1/", {"library"}, true};
}

asio::awaitable<Result<ImportReport>> RecordingOperations::redeem_code(CodeRequest request)
{
    asked_.note("code " + request.library + " " + request.redirect_uri);
    ImportReport report;
    report.text = "antwerp: the set answers as 42";
    co_return report;
}

asio::awaitable<Result<Secret>> RecordingOperations::move_out(MoveOutRequest request)
{
    asked_.note("move out " + request.library + " " + request.where);
    co_return Result<Secret>(Secret("the-set-of-antwerp"));
}

asio::awaitable<Result<ImportReport>> RecordingOperations::move_in(MoveInRequest request)
{
    asked_.note("move in " + request.library + " " + std::to_string(request.document.reveal().size()) + " bytes");
    ImportReport report;
    report.text = "antwerp: the set answers as 42";
    co_return report;
}

asio::awaitable<Result<void>> RecordingOperations::adopt(LibraryRequest request)
{
    asked_.note("adopt " + request.library);
    co_return Result<void>();
}

asio::awaitable<Result<void>> RecordingOperations::forget(LibraryRequest request)
{
    asked_.note("forget " + request.library);
    co_return Error(ErrorKind::needs_person, "there is no set to forget");
}

asio::awaitable<Result<RevealedToken>> RecordingOperations::reveal_token(LibraryRequest request)
{
    asked_.note("token " + request.library);
    RevealedToken token{Secret("access-token-of-antwerp"), std::nullopt};
    co_return Result<RevealedToken>(std::move(token));
}

AlertReport RecordingOperations::alerts() const
{
    AlertReport report;
    report.hooks = {{"mail", "/bin/mail", {"page"}, 2, sample_now, "exited with 1", std::nullopt}};
    report.incidents = {{"20240106-1",
                         "service",
                         "ticket",
                         "the service fails",
                         "it answered 502",
                         "",
                         "service",
                         sample_now,
                         std::nullopt,
                         {"antwerp"},
                         {"mail"},
                         {{"chat", sample_now}},
                         {"desk"}}};
    report.silences = {{"ghent", sample_now}};
    return report;
}

asio::awaitable<Result<void>> RecordingOperations::test_hook(HookRequest request)
{
    asked_.note("test " + request.hook);
    co_return request.hook == "mail" ? Result<void>() : Error(ErrorKind::not_found, "there is no hook " + request.hook);
}

asio::awaitable<Result<SilenceReport>> RecordingOperations::silence(SilenceRequest request)
{
    asked_.note("silence " + request.library + " " + std::to_string(request.length.count() / 1'000'000));
    co_return SilenceReport{request.length > Duration(0) ? std::optional(sample_now) : std::nullopt};
}

}  // namespace shelfd::control
