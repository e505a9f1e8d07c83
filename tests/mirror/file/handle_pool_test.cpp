#include "mirror/file/handle_pool.hpp"
#include "mirror/mirror_fixture.hpp"
#include "support/catch.hpp"
#include "support/temp_directory.hpp"

#include <memory>
#include <string>
#include <vector>

using namespace shelfd;

namespace {

constexpr std::uint64_t mebibyte = 1U << 20U;
constexpr std::uint64_t one_cache = 2 * mebibyte;  // what SQLite caches of one file at most
constexpr std::uint64_t bound = 24 * mebibyte;

// Open files that have been read as far as their caches reach.
struct Handles {
    mirror::PooledHandle& add()
    {
        const auto file = directory / (std::to_string(handles.size()) + ".db");
        write_file(file, "");
        auto database = must(storage::Database::open(file, storage::OpenMode::read_write_create));
        must(database.execute("CREATE TABLE recipes(id INTEGER PRIMARY KEY, raw BLOB);"
                              "WITH RECURSIVE n(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM n WHERE i < 400) "
                              "INSERT INTO recipes SELECT i, zeroblob(8000) FROM n;"));
        handles.push_back(std::make_unique<mirror::PooledHandle>(pool));
        handles.back()->take(std::move(database));
        return *handles.back();
    }

    void use(mirror::PooledHandle& handle)
    {
        must(handle->execute("SELECT count(*), max(length(raw)), max(hex(raw)) FROM recipes"));
        handle.bound_cache();
    }

    std::uint64_t cached() const
    {
        std::uint64_t sum = 0;
        for (const auto& handle : handles) {
            sum += *handle ? (*handle)->cached_bytes() : 0;
        }
        return sum;
    }

    TempDirectory directory;
    std::shared_ptr<mirror::HandlePool> pool = std::make_shared<mirror::HandlePool>();
    std::vector<std::unique_ptr<mirror::PooledHandle>> handles;
};

}  // namespace

TEST_CASE("open mirrors cache a bounded number of pages together, and those beyond it free theirs after each use")
{
    Handles open;
    for (int i = 0; i < 8; ++i) {
        open.use(open.add());
    }
    CHECK(open.cached() > 8 * mebibyte);  // below the bound each keeps what it has read
    CHECK_FALSE(open.pool->caches_enough());

    for (int i = 0; i < 16; ++i) {
        open.use(open.add());
        CHECK(open.cached() <= bound + one_cache);
    }
    CHECK(open.cached() > bound - one_cache);  // the bound is used
    CHECK((*open.handles.back())->cached_bytes() < mebibyte / 4);
    CHECK(open.pool->open() == 24);

    // Room that others leave is used again.
    for (int i = 0; i < 12; ++i) {
        open.handles[static_cast<std::size_t>(i)]->reset();
    }
    CHECK_FALSE(open.pool->caches_enough());
    open.use(*open.handles.back());
    CHECK((*open.handles.back())->cached_bytes() > mebibyte);
    CHECK(open.pool->open() == 12);
    CHECK(open.pool->closed() == 12);
}
