#include "app/library_bench.hpp"

#include "sim/json.hpp"
#include "support/catch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include <sys/stat.h>

namespace shelfd {

LibraryBench::LibraryBench(BenchOptions options)
    : clock(loop, beginning(options)), service(options.world), random(options.seed), options_(std::move(options))
{
    std::filesystem::create_directories(files / "mirrors");
    std::filesystem::create_directories(files / "tokens");
    chmod((files / "tokens").c_str(), 0700);
    world()->clock.freeze();  // it follows the test's; a machine that is busy must not move it
    const auto& library = world()->library("lib01");
    client_id_ = library.client_id;
    write_file(files / "client_secret", library.client_secret);
    config::Storage storage;
    storage.mirrors = files / "mirrors";
    storage.tokens = files / "tokens";
    storage.allow_unsafe = true;
    Log log([this](const LogRecord& record) {
        log_lines.emplace_back(record.message);
        logged(log_lines.back());
    });
    parts = std::make_unique<app::DaemonServices>(app::DaemonServices{
        .executor = loop.get_executor(),
        .clock = clock,
        .client = client,
        .workers = {workers, workers, workers},
        .log = log,
        .random = [this] { return std::uniform_real_distribution<double>(0, 1)(random); },
        .storage = storage,
        .host = {.machine_id = "0123456789abcdef0123456789abcdef", .boot_id = "11111111-2222-3333-4444-555555555555"},
        .changed = [] {},
        .other_holder = [](const std::string&, const std::string&) { return std::string(); }});
    if (options_.begin) {
        begin_at(*options_.begin);
    }
    if (options_.prepare) {
        options_.prepare(*world());
    }
    client.base_url = options_.base_url;
    start();
    import_set();
}

Instant LibraryBench::beginning(const BenchOptions& options)
{
    const auto now = options.begin.value_or(SystemClock().now());
    constexpr std::int64_t day = 86'400;
    return options.hour ? Instant::from_seconds((now.seconds() / day + 1) * day + *options.hour * 3600) : now;
}

void LibraryBench::make_ledger(BenchOptions& options, std::size_t rows)
{
    using namespace std::chrono_literals;
    options.hour = 12;
    const auto begin = (beginning(options) - 24h * 20).to_text().substr(0, 10);
    options.window = config::Window{.from = "date__gte",
                                    .to = "date__lt",
                                    .field = "date",
                                    .step = 24h * 366,
                                    .since = begin,
                                    .timezone = "Europe/Brussels",
                                    .back = 24h * 14};
    options.world.rows_of["sales/lines"] = 0;
    options.prepare = [begin, rows](sim::World& world) {
        sim::Edit edit;
        edit.add.assign(rows, *sim::parse_json(fmt::format(R"({{"date":"{}"}})", begin)));
        world.edit("lib01", "sales/lines", edit);
    };
}

void LibraryBench::answer_as_another_library()
{
    sim::Fault other;
    other.path = "/api/v2/accounts/libraries/current/";
    other.times = std::nullopt;
    other.status = 200;
    other.body = R"({"id":4711,"name":"somebody else"})";
    other.content_type = "application/json";
    world()->faults.add(other);
}

// The set it was made with is as young there as it was here.
void LibraryBench::begin_at(Instant begin)
{
    auto world = service.world();
    world->clock.freeze();
    const auto by = begin - world->now();
    world->clock.advance(by);
    auto& newest = world->set("lib01").generations.back();
    newest.expires = newest.expires + by;
}

LibraryBench::~LibraryBench()
{
    if (unit) {
        stop();
    }
}

config::Library LibraryBench::make_library() const
{
    config::Library library;
    library.name = "lib01";
    library.service.base_url = options_.base_url;
    library.service.requests_per_minute = options_.requests_per_minute;
    library.service.page_size = options_.page_size;
    library.service.max_body = options_.max_body.value_or(library.service.max_body);
    if (options_.has_identity) {
        library.service.identity = config::Identity{"/api/v2/accounts/libraries/current/", "id"};
    }
    library.application.client_id = client_id_;
    config::SecretReference secret;
    secret.path_or_name = files / "client_secret";
    library.application.client_secret = secret;
    for (const auto& name : options_.resources) {
        config::Resource resource;
        resource.name = name;
        resource.path = "/api/v2/" + options_.family + "/" + name + "/";
        resource.ordering = options_.ordering;
        resource.needs = options_.needs;
        resource.exclude = options_.exclude;
        resource.schedule.interval = options_.every;
        if (!options_.at.empty()) {
            resource.schedule = {.interval = {}, .at = options_.at, .timezone = "Europe/Brussels", .splay = 0};
        }
        if (options_.incremental) {
            resource.incremental = options_.incremental;
            resource.full.emplace().interval = options_.full_every;
        }
        resource.detail = options_.detail;
        if (!options_.object_of.empty()) {
            resource.path += options_.object_of;
            resource.answers = config::Answers::object;
        }
        if (options_.parent && name != options_.parent->resource) {
            const bool itself = name == "about";
            resource.parent = options_.parent;
            resource.path = "/api/v2/" + options_.family + "/" + options_.parent->resource + "/{" +
                            options_.parent->as + "}/" + (itself ? "" : name + "/");
            if (itself) {
                resource.answers = config::Answers::object;
                resource.key = {options_.parent->as};
                resource.incremental.reset();
                resource.full.reset();
            }
        }
        if (options_.window) {
            resource.window = options_.window;
            resource.full.emplace().interval = options_.full_every;
            resource.settle = options_.settle;
        }
        library.resources.own().push_back(resource);
    }
    library.snapshot_every = options_.snapshot_every;
    if (options_.configure) {
        options_.configure(library);
    }
    return library;
}

void LibraryBench::start()
{
    open();
    unit->start();
    clock.settle();
}

void LibraryBench::open()
{
    auto opened = clock.run(app::LibraryUnit::open(std::make_shared<const config::Library>(make_library()), *parts));
    if (!opened) {
        FAIL("cannot open the library: " << opened.error().text());
    }
    unit = std::move(*opened);
}

void LibraryBench::stop()
{
    clock.run(unit->stop());
    unit.reset();
}

void LibraryBench::import_set(std::size_t number)
{
    const auto view = world()->view_set("lib01", number);
    auto set = oauth::parse_paste("access_token=" + view.access_token + "\nrefresh_token=" + view.refresh_token +
                                  "\nexpires_in=604800\n");
    REQUIRE(set);
    auto imported = clock.run(unit->keeper().import(std::move(*set), options_.import_mode));
    if (!imported) {
        FAIL("cannot import the set: " << imported.error().text());
    }
    unit->token_set_changed();
}

sync::PassReport LibraryBench::sync(const std::string& resource, sync::Wish wish)
{
    for (const auto& worker : unit->tables().lists()) {
        if (worker->name() != resource) {
            continue;
        }
        const auto until = worker->request_pass(wish);
        while (worker->report().passes_ended < until) {
            REQUIRE(clock.advance_to_next());
        }
        return *worker->report().last_pass;
    }
    FAIL("no such resource: " << resource);
    return {};
}

control::ResourceStatus LibraryBench::status(const std::string& resource) const
{
    for (auto& status : app::report_library(*unit, clock.now()).resources) {
        if (status.name == resource) {
            return status;
        }
    }
    FAIL("no such resource: " << resource);
    return {};
}

std::string LibraryBench::query(const std::string& sql) const
{
    auto database = storage::Database::open(files / "mirrors/lib01/lib01.db", storage::OpenMode::read_only);
    REQUIRE(database);
    auto statement = database->prepare(sql);
    REQUIRE(statement);
    const auto row = statement->step();
    REQUIRE(row);
    return *row ? std::string(statement->text(0)) : "";
}

std::vector<std::int64_t> LibraryBench::ids(const std::string& table) const
{
    auto database = storage::Database::open(files / "mirrors/lib01/lib01.db", storage::OpenMode::read_only);
    REQUIRE(database);
    auto statement = database->prepare("SELECT id FROM " + table + " ORDER BY id");
    REQUIRE(statement);
    std::vector<std::int64_t> ids;
    for (auto row = statement->step(); row && *row; row = statement->step()) {
        ids.push_back(statement->integer(0));
    }
    return ids;
}

std::vector<std::int64_t> LibraryBench::service_ids(const std::string& list)
{
    auto world = service.world();
    auto* data = world->find_list(world->library("lib01"), list);
    REQUIRE(data != nullptr);
    std::vector<std::int64_t> ids;
    for (const auto* row : data->ordered({sim::OrderField::id, false})) {
        ids.push_back(row->id);
    }
    return ids;
}

LibraryBench::Rows LibraryBench::service_rows(const std::string& list)
{
    auto world = service.world();
    auto* data = world->find_list(world->library("lib01"), list);
    REQUIRE(data != nullptr);
    Rows rows;
    for (const auto* row : data->ordered({sim::OrderField::id, false})) {
        row->append_to(rows[row->id], "http://service.test");
    }
    return rows;
}

LibraryBench::Rows LibraryBench::mirror_rows(const std::string& table)
{
    // A second Mirror that only reads: the unit's own is closed while it is stopped, and busy while it is not.
    mirror::MirrorOptions options{
        .directory = files / "mirrors/lib01", .library = "lib01", .clock = clock, .boot_id = ""};
    mirror::Mirror mirror(options);
    Rows rows;
    for (const auto id : ids(table)) {
        auto item = mirror.item(table, std::to_string(id));
        REQUIRE(item);
        REQUIRE(*item);
        rows.emplace(id, **item);
    }
    return rows;
}

}  // namespace shelfd
