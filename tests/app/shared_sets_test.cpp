// One token set, and two libraries that want it.
#include "app/library/library_set.hpp"
#include "app/library_bench.hpp"
#include "runtime/async/task_group.hpp"

#include "support/catch.hpp"

using namespace shelfd;
using namespace std::chrono_literals;

namespace {

// The libraries antwerp and bruges, which say nowhere which library of the service they are.
class TwoLibraries {
public:
    TwoLibraries() : bench_(options()), antwerp_(bench_.unit->library()), bruges_(antwerp_), libraries_(*bench_.parts)
    {
        bench_.stop();
        antwerp_.name = "antwerp";
        bruges_.name = "bruges";
        bench_.parts->other_holder = [this](const std::string& library, const std::string& mark) {
            return libraries_.holder_of(mark, library);
        };
    }
    ~TwoLibraries() { bench_.clock.run(libraries_.stop()); }

    void run(std::vector<config::Library> libraries)
    {
        const auto wanted = config::share(std::move(libraries));
        if (libraries_.units().empty()) {
            REQUIRE(bench_.clock.run(libraries_.open(wanted)));
            libraries_.start();
        } else {
            REQUIRE(bench_.clock.run(libraries_.replace(wanted)));
        }
        bench_.clock.settle();
    }
    void stop() { bench_.clock.run(libraries_.stop()); }

    asio::awaitable<void> import(std::string library, oauth::ImportMode mode)
    {
        auto set = oauth::parse_paste(paste());
        auto outcome = co_await libraries_.find(library)->keeper().import(std::move(*set), mode);
        outcomes_.push_back(outcome ? library + " has it" : library + ": " + outcome.error().text());
    }
    // Each answer takes 400 ms, so that all of them are under way at once.
    void import_into(const std::vector<std::string>& names, oauth::ImportMode mode)
    {
        bench_.client.way_there = [] { return 400ms; };
        TaskGroup group(bench_.loop.get_executor());
        for (const auto& name : names) {
            group.spawn(import(name, mode));
        }
        bench_.clock.run(group.join());
    }
    // While `changed`, a library that runs, is being opened again.
    void import_during_restart(config::Library changed, const std::string& name)
    {
        auto rest = changed.name == "antwerp" ? bruges_ : antwerp_;
        const auto wanted = config::share({std::move(changed), std::move(rest)});
        TaskGroup group(bench_.loop.get_executor());
        auto reload = [this, &wanted]() -> asio::awaitable<void> {
            const auto done = co_await libraries_.replace(wanted);
            REQUIRE(done);
        };
        auto give = [this, &name]() -> asio::awaitable<void> {
            auto into = libraries_.find(name);
            REQUIRE_FALSE(libraries_.restarts().is_empty());
            auto set = oauth::parse_paste(paste());
            auto outcome = co_await into->keeper().import(std::move(*set), oauth::ImportMode::leave_alone);
            outcomes_.push_back(outcome ? name + " has it" : name + ": " + outcome.error().text());
        };
        group.spawn(reload());
        group.spawn(give());
        bench_.clock.run(group.join());
    }
    oauth::TokenStatus status(const std::string& name) { return libraries_.find(name)->keeper().status(); }
    void pass_time(Duration by) { bench_.pass_time(by); }
    std::size_t posts() { return bench_.world()->audit_report().count("POST", "/oauth/token/"); }

    std::uint64_t reuses() { return bench_.world()->audit_report().reuses_of_spent; }

    const config::Library& antwerp() const { return antwerp_; }
    const config::Library& bruges() const { return bruges_; }
    const std::vector<std::string>& outcomes() const { return outcomes_; }

private:
    static BenchOptions options()
    {
        BenchOptions options;
        options.world.rows_of["library/recipes"] = 10;
        options.every = 24h;
        options.import_mode = oauth::ImportMode::leave_alone;
        return options;
    }
    std::string paste()
    {
        const auto view = bench_.world()->view_set("lib01", 0);
        return "access_token=" + view.access_token + "\nrefresh_token=" + view.refresh_token + "\nexpires_in=604800\n";
    }

    LibraryBench bench_;
    config::Library antwerp_, bruges_;
    app::LibrarySet libraries_;
    std::vector<std::string> outcomes_;
};

}  // namespace

TEST_CASE("of two libraries that are given one set at the same moment one gets it, and it is refreshed once")
{
    TwoLibraries two;
    two.run({two.antwerp(), two.bruges()});
    two.import_into({"antwerp", "bruges"}, oauth::ImportMode::seal);
    REQUIRE(two.outcomes().size() == 2);
    CHECK(two.outcomes()[0].find("bruges: this set belongs to library antwerp") == 0);
    CHECK(two.outcomes()[1] == "antwerp has it");
    CHECK(two.posts() == 1);
    CHECK(two.status("antwerp").state == oauth::TokenState::good);
    CHECK(two.status("bruges").state == oauth::TokenState::none);
}

TEST_CASE("the set of a library that is being opened again is given to no other library")
{
    TwoLibraries two;
    two.run({two.antwerp(), two.bruges()});
    two.import_into({"antwerp"}, oauth::ImportMode::leave_alone);
    auto changed = two.antwerp();
    changed.paused = true;
    two.import_during_restart(std::move(changed), "bruges");
    REQUIRE(two.outcomes().size() == 2);
    CHECK(two.outcomes()[1].find("bruges: this set belongs to library antwerp") == 0);
    CHECK(two.status("antwerp").state == oauth::TokenState::good);
    CHECK(two.status("bruges").state == oauth::TokenState::none);
}

TEST_CASE(
    "a set that was given to another library while its own was out of the configuration is refreshed by one alone")
{
    TwoLibraries two;
    two.run({two.antwerp()});
    two.import_into({"antwerp"}, oauth::ImportMode::leave_alone);
    two.run({two.bruges()});
    two.import_into({"bruges"}, oauth::ImportMode::leave_alone);
    REQUIRE(two.outcomes() == std::vector<std::string>{"antwerp has it", "bruges has it"});
    const bool is_restart = GENERATE(false, true);
    if (is_restart) {
        two.stop();
    }
    two.run({two.antwerp(), two.bruges()});
    // Who ran meanwhile goes on with it; after a restart, the first.
    const std::string withheld = is_restart ? "bruges" : "antwerp";
    const std::string goes_on = is_restart ? "antwerp" : "bruges";
    for (std::size_t i = 0; i < 2; ++i) {
        const auto status = two.status(withheld);
        CHECK(status.state == oauth::TokenState::foreign);
        CHECK(status.needs_person);
        CHECK(status.reason.find("library " + goes_on + " has the same set") != std::string::npos);
        CHECK(two.status(goes_on).state == oauth::TokenState::good);
        two.pass_time(100h);
        CHECK(two.posts() == i + 1);
        CHECK(two.reuses() == 0);
        two.stop();
        two.run({two.antwerp(), two.bruges()});
    }
}
