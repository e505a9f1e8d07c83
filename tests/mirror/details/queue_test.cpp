#include "mirror/details/queue.hpp"
#include "mirror/mirror_fixture.hpp"
#include "support/catch.hpp"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>

using namespace shelfd;
using namespace std::chrono_literals;

namespace {

const Instant noon = Instant::from_rfc3339("2026-03-02T12:00:00Z").value();

// One item that is postponed until `at`.
void postpone(storage::Database& database, int id, Instant at)
{
    must(database.execute(fmt::format("INSERT INTO _queue_things (k1, rank, at) VALUES ({}, {}, '{}')", id,
                                      static_cast<int>(mirror::DetailRank::behind), at.to_text())));
}

std::string keys_of(const std::vector<mirror::DetailItem>& items)
{
    std::string keys;
    for (const auto& item : items) {
        keys += (keys.empty() ? "" : ",") + item.key;
    }
    return keys;
}

int compiled(const storage::Database& database)
{
    int count = 0;
    for (auto* each = sqlite3_next_stmt(database.handle(), nullptr); each != nullptr; ++count) {
        each = sqlite3_next_stmt(database.handle(), each);
    }
    return count;
}

TEST_CASE("a postponed item is due at its time, and at once if the clock was set back since")
{
    const TempDirectory directory;
    auto database = must(storage::Database::open(directory / "q.db", storage::OpenMode::read_write_create));
    mirror::DetailQueue queue(database, "things", 1);
    must(queue.create(noon));
    postpone(database, 1, noon);
    postpone(database, 2, noon + 1s);
    postpone(database, 3, noon + 25h);
    postpone(database, 4, noon + 25h + 1s);
    const mirror::DetailShare share{.ready = 9, .again = 9};
    CHECK(keys_of(must(queue.next(share, noon))) == "1,4");
    CHECK(keys_of(must(queue.next(share, noon + 1s))) == "1,2");
    CHECK(keys_of(must(queue.next({.ready = 1}, noon + 1s))) == "1");
}

TEST_CASE("looking for due items at other times, and for other numbers of them, compiles no statement again")
{
    const TempDirectory directory;
    auto database = must(storage::Database::open(directory / "q.db", storage::OpenMode::read_write_create));
    mirror::DetailQueue queue(database, "things", 1);
    must(queue.create(noon));
    for (int rank = 0; rank <= static_cast<int>(mirror::DetailRank::gone); ++rank) {
        must(database.execute(
            fmt::format("INSERT INTO _queue_things (k1, rank, at) VALUES ({0}, {0}, '{1}')", rank, noon.to_text())));
    }
    const auto look = [&](Instant now, std::size_t most, double place) {
        must(queue.count(now, now));
        CHECK(must(queue.next({.ready = most, .again = most}, now)).size() == 5);
        CHECK(must(queue.next({.ready = most, .sample = place}, now)).size() == 1);
    };
    look(noon, 5, 0.25);
    const int before = compiled(database);
    look(noon + 1s, 6, 0.5);
    look(noon + 2s, 7, 0.9999999);
    CHECK(compiled(database) == before);
}

}  // namespace
