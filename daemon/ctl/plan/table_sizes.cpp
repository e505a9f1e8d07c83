#include "ctl/plan/table_sizes.hpp"

#include "ctl/mirror/file.hpp"
#include "storage/query.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <vector>

namespace shelfd::ctl {
namespace {

std::optional<double> median(std::vector<double> values)
{
    if (values.empty()) {
        return std::nullopt;
    }
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

Result<std::optional<double>> median_requests(storage::Database& database, std::string_view resource,
                                              std::string_view mode)
{
    std::vector<double> requests;
    SHELFD_TRY(storage::each_row(
        database, R"sql(
        SELECT requests - coalesce(json_extract(reasons, '$.end_try'), 0) FROM _runs
        WHERE resource = ? AND mode = ? AND result = 'published' AND requests > 0
            AND requests >= pages -- otherwise it was resumed after a restart, with pages that were kept
        ORDER BY started_at DESC LIMIT 10
    )sql",
        [&](const auto& row) { requests.push_back(static_cast<double>(row.integer(0))); }, resource, mode));
    return median(std::move(requests));
}

}  // namespace

Result<std::map<std::string, TableSize>> read_sizes(const std::string& mirror)
{
    SHELFD_TRY_ASSIGN(database, storage::Database::open(mirror, storage::OpenMode::read_only));
    std::map<std::string, TableSize> sizes;
    constexpr std::string_view tables = "SELECT resource, rows FROM _resources WHERE as_of IS NOT NULL";
    SHELFD_TRY(storage::each_row(database, tables, [&](const auto& row) {
        sizes[std::string(row.text(0))].rows = static_cast<std::uint64_t>(row.integer(1));
    }));
    for (auto& [resource, size] : sizes) {
        SHELFD_TRY_ASSIGN(full, median_requests(database, resource, "full"));
        SHELFD_TRY_ASSIGN(incremental, median_requests(database, resource, "incremental"));
        size.full_requests = full;
        size.incremental_requests = incremental;
    }
    return sizes;
}

std::map<std::string, TableSize> known_sizes(const Context& context, const config::Configuration& configuration,
                                             const std::string& library)
{
    const auto path = (std::filesystem::path(configuration.storage.mirrors) / library / (library + ".db")).string();
    std::error_code failed;
    if (!std::filesystem::exists(path, failed) && !failed) {
        return {};
    }
    auto sizes = read_sizes(path);
    if (!sizes) {
        context.terminal.complain(fmt::format("the sizes measured by the mirror of {} are left out: {}", library,
                                              with_cure(sizes.error(), path).text()));
        return {};
    }
    return std::move(*sizes);
}

}  // namespace shelfd::ctl
