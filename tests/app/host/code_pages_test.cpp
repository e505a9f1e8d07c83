#include "app/host/code_pages.hpp"

#include "support/catch.hpp"

#include <fstream>
#include <string>

#include <sqlite3.h>

namespace {

using namespace shelfd;

// KiB of files that this process holds in memory, as the kernel counts them.
long resident_files()
{
    std::ifstream status("/proc/self/status");
    std::string word;
    long size = 0;
    while (status >> word && word != "RssFile:") {
    }
    status >> size;
    return size;
}

}  // namespace

TEST_CASE("code that was used once does not stay resident, and runs again after it was given back")
{
    REQUIRE(sqlite3_threadsafe() != 0);
    const auto before = resident_files();
    const auto released = app::release_code_pages();
    const auto after = resident_files();
    CHECK(released > 1024 * 1024);
    CHECK(after < before);
    CHECK(sqlite3_threadsafe() != 0);
    CHECK(app::release_code_pages() == released);
}
