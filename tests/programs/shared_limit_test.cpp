// Two libraries that the service counts together, and a program beside the daemon that spends from the same limit.
#include "mirror/mirror.hpp"
#include "runtime/async/clock.hpp"
#include "sim/json.hpp"
#include "site.hpp"
#include "support/catch.hpp"
#include "support/json_tree.hpp"
#include "support/plain_get.hpp"

#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <thread>

using namespace shelfd;
using namespace std::chrono_literals;

namespace {

constexpr std::uint32_t limit = 60;
constexpr int foreign_share = limit / 3;

// Spends a third of the limit at once, and again whenever a minute has passed, whatever the service says.
class ForeignProgram {
public:
    explicit ForeignProgram(std::string url) : url_(std::move(url))
    {
        spend();
        thread_ = std::thread([this] { run(); });
    }
    ForeignProgram(const ForeignProgram&) = delete;
    ForeignProgram& operator=(const ForeignProgram&) = delete;
    ~ForeignProgram() { stop(); }

    void stop()
    {
        {
            const std::scoped_lock lock(mutex_);
            stopping_ = true;
        }
        stopped_.notify_all();
        if (thread_.joinable()) {
            thread_.join();
        }
    }
    int sent() const { return sent_; }
    int refused() const { return refused_; }

private:
    void run()
    {
        std::unique_lock lock(mutex_);
        while (!stopped_.wait_for(lock, 60s, [this] { return stopping_; })) {
            spend();
        }
    }

    void spend()
    {
        for (int i = 0; i < foreign_share; ++i) {
            ++sent_;
            refused_ += plain_get(url_).find(" 429 ") != std::string::npos ? 1 : 0;
        }
    }

    std::string url_;
    std::atomic<int> sent_ = 0;
    std::atomic<int> refused_ = 0;
    std::mutex mutex_;
    std::condition_variable stopped_;
    bool stopping_ = false;
    std::thread thread_;  // the last member: it uses the others
};

void replace(std::string& text, const std::string& what, const std::string& by)
{
    const auto at = text.find(what);
    REQUIRE(at != std::string::npos);
    text.replace(at, what.size(), by);
}

// One user of the service, whose application has three sets: one shows the data of each library, one is somebody
// else's. So the service counts all three as one.
class SharedSite : public Site {
public:
    SharedSite()
        : Site({.world = {.rows = 5, .throttle = {.limit = limit, .headers = sim::RateHeaders::x_ratelimit}},
                .service = "limit_group = \"both\"\n",
                .libraries = {"antwerp", "bruges"}})
    {
        auto text = config_text({"antwerp", "bruges"});
        auto world = service().world();
        world->issue_set("lib01");
        world->issue_set("lib01");
        world->set("lib01", 1).acts_on = 1;
        replace(text, "rate_limit = \"none\"", fmt::format("rate_limit = \"{}/min\"", limit));
        replace(text, "page_size  = 100", "page_size  = 10");
        replace(text, world->library("lib02").client_id, world->library("lib01").client_id);
        write_file(directory() / "secrets/bruges", world->library("lib01").client_secret);
        write_config(text);
    }

    // Both hold their sets and their few rows; then the lists grow.
    std::unique_ptr<DaemonProcess> start_with_long_lists()
    {
        auto daemon = start_ready();
        import_set("antwerp");
        const auto set = paste_of(service().world()->view_set("lib01", 1));
        ctl_done({"auth", "import", "bruges"}, set);
        ctl_done({"wait", "--timeout", "5m"});
        for (const auto* library : {"lib01", "lib02"}) {
            service().world()->edit(library, "library/recipes", {.add_seeded = 300});
        }
        return daemon;
    }

    std::string foreign_url()
    {
        const auto set = service().world()->view_set("lib01", 2);
        return service().url() + "/api/v2/accounts/libraries/current/?access_token=" + set.access_token;
    }

    std::int64_t foreign_seen()
    {
        const auto status = *sim::parse_json(ctl({"status", "--json"}).out);
        const auto& budget = *status.find("libraries")->items.front().find("budget");
        return std::stoll(budget.find("foreign")->text);
    }

    // Rows that are not as the service has them, or that only one of the two has.
    std::size_t differing_rows(const std::string& library, const std::string& name)
    {
        SystemClock clock;
        const auto directory = this->directory() / ("mirrors/" + library);
        mirror::Mirror mirror({.directory = directory, .library = library, .clock = clock});
        auto world = service().world();
        const auto& rows = world->find_list(world->library(name), "library/recipes")->ordered({});
        auto differing = sql("SELECT count(*) FROM recipes", library) == std::to_string(rows.size()) ? 0U : 1U;
        for (const auto* row : rows) {
            std::string sent;
            row->append_to(sent, service().url());
            const auto rebuilt = must(mirror.item("recipes", std::to_string(row->id)));
            differing += rebuilt && equal_items(sent, *rebuilt) ? 0 : 1;
        }
        return differing;
    }

    // Of the last pass, in seconds since 1970.
    std::int64_t finished(const std::string& library)
    {
        return std::stoll(sql("SELECT CAST(strftime('%s', max(finished_at)) AS INTEGER) FROM _runs", library));
    }
};

}  // namespace

TEST_CASE("two libraries of one limit group and a program beside them share the service's limit, and neither starves")
{
    SharedSite site;
    auto daemon = site.start_with_long_lists();
    ForeignProgram program(site.foreign_url());
    const auto antwerp = site.begin_ctl({"sync", "antwerp"});
    const auto bruges = site.begin_ctl({"sync", "bruges"});
    std::int64_t seen = 0;
    daemon->await("foreign use is seen", [&] { return (seen = site.foreign_seen()) >= foreign_share / 2; });
    CHECK(antwerp->wait() == 0);
    CHECK(bruges->wait() == 0);
    program.stop();

    const auto report = site.service().audit_report();
    const auto busiest = report.busiest_minute.at("lib01");
    const auto apart = std::abs(site.finished("antwerp") - site.finished("bruges"));
    WARN(fmt::format("the busiest minute saw {} of {}; {} refused, {} of them another program's, which sent {}; {} of "
                     "its requests a minute were seen; the two passes ended {} s apart",
                     busiest, limit, report.throttled, program.refused(), program.sent(), seen, apart));
    CHECK(report.throttled <= 5);
    CHECK(busiest <= limit + report.throttled);
    CHECK(apart <= 20);
    CHECK(site.differing_rows("antwerp", "lib01") == 0);
    CHECK(site.differing_rows("bruges", "lib02") == 0);
    CHECK(daemon->stop().code == 0);
}
