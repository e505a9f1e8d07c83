// A mirror in a directory of its own, filled page by page, and looked at as a reader would.
#pragma once

#include "mirror/mirror.hpp"
#include "storage/sqlite.hpp"
#include "support/simulated_clock.hpp"
#include "support/temp_directory.hpp"

#include <boost/asio/io_context.hpp>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace shelfd {

// The value, or the test fails with the error's text.
template <typename T>
T must(Result<T> result)
{
    if (!result) {
        throw std::runtime_error(result.error().text());
    }
    if constexpr (!std::is_void_v<T>) {
        return std::move(*result);
    }
}

class MirrorFixture {
public:
    explicit MirrorFixture(std::vector<mirror::ResourceSpec> specs = {{.name = "things"}});

    mirror::MirrorOptions options(const std::string& boot_id = "boot-1") const;
    void reopen(const std::string& boot_id = "boot-1");

    std::unique_ptr<mirror::Pass> begin(const std::string& resource = "things");
    // A whole pass, known to be complete. Each page is the inside of an array: R"({"id":1},{"id":2})".
    mirror::PublishOutcome load(const std::vector<std::string>& pages, const std::string& resource = "things");

    // Rows as a reader with a connection of its own gets them, fields joined with '|', NULL as "null".
    std::vector<std::string> sql(const std::string& query) const;
    std::string one(const std::string& query) const;
    // The item as rebuilt from its row; fails the test when there is none.
    std::string item(const std::string& key, const std::string& resource = "things");

    std::string file() const { return mirror->path(); }

    TempDirectory directory;
    asio::io_context loop;
    SimulatedClock clock{loop};
    std::vector<mirror::ResourceSpec> specs;
    mirror::ChangeLimits change_limits;  // from the next `reopen` on
    mirror::DeletionLimits deletion_limits;
    std::vector<Account> readers;  // likewise
    std::unique_ptr<mirror::Mirror> mirror;

private:
    int runs_ = 0;
};

mirror::Proof complete_proof(std::uint64_t pages = 1);

}  // namespace shelfd
