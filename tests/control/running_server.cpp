#include "control/running_server.hpp"

#include "control/api/lookup.hpp"

#include "control/sample_status.hpp"
#include "runtime/async/task_group.hpp"

#include <boost/asio/post.hpp>

#include <algorithm>
#include <stdexcept>

#include <sys/stat.h>

namespace shelfd::control {

struct RunningServer::Life {
    explicit Life(const asio::any_io_executor& executor) : tasks(executor) {}
    TaskGroup tasks;
};

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

Operations RunningServer::recording_operations()
{
    Operations operations;
    operations.status = [] { return fresh_status(); };
    operations.knows = [](const std::string& library, const std::string& resource) {
        return check_names(fresh_status(), library, resource).has_value();
    };
    operations.changed = [this]() -> asio::awaitable<void> { return clock_.sleep_for(std::chrono::hours(1)); };
    operations.sync = [this](SyncRequest request, ProgressSink progress) -> asio::awaitable<Result<void>> {
        asked.note("sync " + request.library + " " + request.resource +
                   (request.extent == Extent::full ? " full" : "") +
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
    };
    operations.reload = [this]() -> asio::awaitable<Result<ReloadReport>> {
        asked.note("reload");
        ReloadReport report;
        report.changes.push_back("library ghent added");
        co_return report;
    };
    operations.import_set = [this](ImportRequest request) -> asio::awaitable<Result<ImportReport>> {
        asked.note("import " + request.library + " " + std::to_string(request.pasted.reveal().size()) + " bytes" +
                   (request.sealing == Sealing::access_only ? " access_only" : "") + (request.force ? " force" : ""));
        ImportReport report;
        report.library_id = "42";
        report.text = "antwerp: the set answers as 42";
        co_return report;
    };
    operations.snapshot = [this](std::string library) -> asio::awaitable<Result<SnapshotReport>> {
        asked.note("snapshot " + library);
        co_return SnapshotReport{"/m/antwerp/antwerp.snapshot.db", 2, 32768};
    };
    operations.retype = [this](RetypeRequest request) -> asio::awaitable<Result<RetypeReport>> {
        asked.note("retype " + request.library + " " + request.resource + " " + request.column);
        co_return RetypeReport{"integer", "text", 3};
    };
    operations.held = [this](HeldRequest request) -> asio::awaitable<Result<HeldReport>> {
        asked.note("held " + request.library + " " + request.resource);
        HeldReport report;
        report.rows.push_back({"\"a\"", Instant(), true, "because"});
        report.waiting = 2;
        report.kept = 1;
        co_return report;
    };
    operations.decide = [this](DecideRequest request) -> asio::awaitable<Result<DecideReport>> {
        std::string keys;
        for (const auto& key : request.keys) {
            keys += " " + key;
        }
        asked.note("decide " + request.library + " " + request.resource +
                   (request.fate == Fate::accept ? " accept" : " keep") + keys);
        co_return DecideReport{3, 1};
    };
    operations.get = [this](GetRequest request) -> asio::awaitable<Result<GetReport>> {
        asked.note("get " + request.library + " " + request.path);
        co_return GetReport{404, "text/html", "<p>no"};
    };
    operations.verify = [this](VerifyRequest request, VerifySink sink) -> asio::awaitable<Result<void>> {
        std::string rows = request.sample > 0 ? " sample " + std::to_string(request.sample) : "";
        for (const auto& key : request.keys) {
            rows += " " + key;
        }
        asked.note("verify " + request.library + " " + request.resource + rows);
        VerifiedRow row;
        row.key = "7";
        row.address = "/r/7/";
        row.verdict = "differs";
        row.differences.push_back({"\"a\"", "1", ""});
        sink(row);
        co_return Result<void>();
    };
    operations.probe = [this](ProbeRequest request, ProbeSink sink) -> asio::awaitable<Result<void>> {
        asked.note("probe " + request.library + " " + (request.paths.empty() ? "" : request.paths.front()));
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
        list.requests = 6;
        sink(list);
        co_return Result<void>();
    };
    operations.alerts = [] {
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
                             {"antwerp"},
                             {"mail"}}};
        report.silences = {{"ghent", sample_now}};
        return report;
    };
    operations.test_hook = [this](std::string hook) -> asio::awaitable<Result<void>> {
        asked.note("test " + hook);
        co_return hook == "mail" ? Result<void>() : Error(ErrorKind::not_found, "there is no hook " + hook);
    };
    operations.silence = [this](SilenceRequest request) -> asio::awaitable<Result<std::optional<Instant>>> {
        asked.note("silence " + request.library + " " + std::to_string(request.length.count() / 1'000'000));
        co_return request.length > Duration(0) ? std::optional(sample_now) : std::nullopt;
    };
    operations.login_place = [this](const std::string& library) -> Result<LoginPlace> {
        asked.note("login " + library);
        return LoginPlace{
            "https://app.example.com/oauth/authorize/", "client", "http://127.0.0.1:1/", {"library"}, true};
    };
    operations.redeem_code = [this](CodeRequest request) -> asio::awaitable<Result<ImportReport>> {
        asked.note("code " + request.library + " " + request.redirect_uri);
        ImportReport report;
        report.text = "antwerp: the set answers as 42";
        co_return report;
    };
    operations.move_out = [this](std::string library, std::string where) -> asio::awaitable<Result<Secret>> {
        asked.note("move out " + library + " " + where);
        co_return Result<Secret>(Secret("the-set-of-antwerp"));
    };
    operations.move_in = [this](std::string library, Secret document) -> asio::awaitable<Result<ImportReport>> {
        asked.note("move in " + library + " " + std::to_string(document.reveal().size()) + " bytes");
        ImportReport report;
        report.text = "antwerp: the set answers as 42";
        co_return report;
    };
    operations.adopt = [this](std::string library) -> asio::awaitable<Result<void>> {
        asked.note("adopt " + library);
        co_return Result<void>();
    };
    operations.forget = [this](std::string library) -> asio::awaitable<Result<void>> {
        asked.note("forget " + library);
        co_return Error(ErrorKind::needs_person, "there is no set to forget");
    };
    operations.reveal_token = [this](std::string library) -> asio::awaitable<Result<RevealedToken>> {
        asked.note("token " + library);
        RevealedToken token{Secret("access-token-of-antwerp"), std::nullopt};
        co_return Result<RevealedToken>(std::move(token));
    };
    return operations;
}

RunningServer::RunningServer(Change change)
{
    ::chmod(directory_.path().c_str(), 0755);
    auto operations = recording_operations();
    if (change) {
        change(operations);
    }
    Log log([this](const LogRecord& record) {
        std::string text(record.message);
        for (const auto& field : record.fields) {
            text += " " + std::string(field.key) + "=" + field.value;
        }
        logged.note(std::move(text));
    });
    const ServerSettings settings{socket(), "users", "games"};
    auto opened = Server::open(loop_.get_executor(), clock_, log, settings, std::move(operations));
    if (!opened) {
        throw std::runtime_error(opened.error().text());
    }
    server_ = std::move(*opened);
    life_ = std::make_shared<Life>(loop_.get_executor());
    life_->tasks.spawn(server_->run());
    thread_ = std::thread([this] { loop_.run(); });
}

void RunningServer::stop()
{
    if (thread_.joinable()) {
        asio::post(loop_, [life = life_] { life->tasks.cancel(); });
        thread_.join();
        life_.reset();
        server_.reset();
    }
}

}  // namespace shelfd::control
