#include "app/library_bench.hpp"

#include "support/catch.hpp"
#include "support/json_tree.hpp"
#include "support/scale.hpp"

#include <set>

using namespace shelfd;
using namespace std::chrono_literals;

namespace {

// Every version of every row that the service had since `begin`, and which rows never changed.
class History {
public:
    explicit History(LibraryBench& bench) : bench_(bench) { begin(); }

    void begin()
    {
        versions_.clear();
        constant_ = bench_.service_rows();
        note();
    }

    void note()
    {
        const auto rows = bench_.service_rows();
        for (const auto& [id, text] : rows) {
            versions_[id].insert(text);
        }
        std::erase_if(constant_, [&](const auto& row) {
            const auto now = rows.find(row.first);
            return now == rows.end() || now->second != row.second;
        });
    }

    bool had(std::int64_t id, const std::string& item) const
    {
        const auto found = versions_.find(id);
        if (found == versions_.end()) {
            return false;
        }
        return std::any_of(found->second.begin(), found->second.end(),
                           [&](const auto& version) { return equal_items(version, item); });
    }

    const LibraryBench::Rows& constant() const { return constant_; }

private:
    LibraryBench& bench_;
    std::map<std::int64_t, std::set<std::string>> versions_;
    LibraryBench::Rows constant_;
};

// Rows that come, change and go after some of the pages of the next walk.
void plan_movement(LibraryBench& bench, std::mt19937& random, std::size_t pages)
{
    const auto ids = bench.service_ids();
    for (std::size_t page = 1; page <= pages; ++page) {
        sim::Edit edit;
        edit.add_seeded = random() % 3 == 0 ? random() % 4 : 0;
        if (random() % 3 == 0) {
            edit.remove.push_back(ids[random() % ids.size()]);
        }
        if (random() % 2 == 0) {
            const auto id = ids[random() % ids.size()];
            edit.change.push_back(*sim::parse_json(R"({"id":)" + std::to_string(id) + R"(,"name":"changed )" +
                                                   std::to_string(random()) + R"("})"));
        }
        if (random() % 2 == 0) {
            bench.world()->edit_after("lib01", "library/recipes", page, std::move(edit));
        }
    }
}

void check_rows(LibraryBench& bench, const History& history, const LibraryBench::Rows& before)
{
    const auto mirrored = bench.mirror_rows();
    for (const auto& [id, item] : mirrored) {
        // A row that the pass did not meet stays as it was: it is a candidate to leave.
        const auto old = before.find(id);
        const bool untouched = old != before.end() && equal_items(old->second, item);
        if (!untouched && !history.had(id, item)) {
            FAIL("row " << id << " is none that the service had during the pass: " << item);
        }
    }
    for (const auto& [id, item] : history.constant()) {
        const auto found = mirrored.find(id);
        if (found == mirrored.end()) {
            FAIL("row " << id << " was there unchanged throughout and is missing");
        }
        if (!equal_items(found->second, item)) {
            FAIL("row " << id << " was there unchanged throughout and is not what the service says");
        }
    }
}

}  // namespace

TEST_CASE("after every proven pass the mirror holds what the service had, however rows come and go between two pages")
{
    int proven = 0;
    int passes = 0;
    for (unsigned seed = 1; seed <= (sanitized ? 15 : 100); ++seed) {
        INFO("seed " << seed);
        BenchOptions options;
        options.world.rows = 40 + seed % 30;
        options.world.seed = seed;
        options.page_size = 5 + seed % 9;
        options.seed = seed;
        LibraryBench bench(options);
        std::mt19937 random(seed);
        REQUIRE(bench.sync().published);
        History history(bench);
        bench.client.answered = [&history] { history.note(); };
        for (int pass = 0; pass < 4; ++pass) {
            plan_movement(bench, random, options.world.rows / options.page_size);
            history.begin();
            const auto before = bench.mirror_rows();
            const auto report = bench.sync();
            REQUIRE(report.published);
            ++passes;
            if (report.proof.complete()) {
                ++proven;
                check_rows(bench, history, before);
            } else {
                CHECK(report.published->deleted == 0);
            }
        }
        bench.sync();
        bench.sync();
        const auto wanted = bench.service_rows();
        const auto mirrored = bench.mirror_rows();
        REQUIRE(mirrored.size() == wanted.size());
        for (const auto& [id, item] : wanted) {
            REQUIRE(equal_items(mirrored.at(id), item));
        }
    }
    WARN(proven << " of " << passes << " passes over moving lists were proven");
    CHECK(proven * 10 > passes);
}
