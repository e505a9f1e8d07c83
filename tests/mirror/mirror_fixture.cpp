#include "mirror_fixture.hpp"

#include <fmt/format.h>

namespace shelfd {

MirrorFixture::MirrorFixture(std::vector<mirror::ResourceSpec> resources) : specs(std::move(resources))
{
    reopen();
}

mirror::MirrorOptions MirrorFixture::options(const std::string& boot_id) const
{
    return {.directory = directory / "antwerp",
            .library = "antwerp",
            .clock = clock,
            .boot_id = boot_id,
            .change_limits = change_limits,
            .deletion_limits = deletion_limits,
            .readers = readers};
}

void MirrorFixture::reopen(const std::string& boot_id)
{
    mirror.reset();
    mirror = std::make_unique<mirror::Mirror>(options(boot_id));
    must(mirror->declare(specs));
}

std::unique_ptr<mirror::Pass> MirrorFixture::begin(const std::string& resource)
{
    const mirror::PassStart start{
        .run_id = fmt::format("run-{}", ++runs_),
        .started = clock.now(),
        .as_of = clock.now(),
        .token_generation = 1,
    };
    return must(mirror->begin_pass(resource, start));
}

mirror::PublishOutcome MirrorFixture::load(const std::vector<std::string>& pages, const std::string& resource)
{
    auto pass = begin(resource);
    for (const auto& page : pages) {
        must(pass->add_page("[" + page + "]"));
    }
    return must(pass->publish(complete_proof(pages.size())));
}

std::vector<std::string> MirrorFixture::sql(const std::string& query) const
{
    auto reader = must(storage::Database::open(mirror->path(), storage::OpenMode::read_only));
    auto statement = must(reader.prepare(query));
    std::vector<std::string> rows;
    while (must(statement.step())) {
        auto& row = rows.emplace_back();
        for (int column = 0; column < statement.columns(); ++column) {
            row += column == 0 ? "" : "|";
            row += statement.is_null(column) ? "null" : std::string(statement.text(column));
        }
    }
    return rows;
}

std::string MirrorFixture::one(const std::string& query) const
{
    const auto rows = sql(query);
    return rows.size() == 1 ? rows[0] : fmt::format("{} rows", rows.size());
}

std::string MirrorFixture::item(const std::string& key, const std::string& resource)
{
    auto found = must(mirror->item(resource, key));
    if (!found) {
        throw std::runtime_error("no item " + key);
    }
    return *found;
}

mirror::Proof complete_proof(std::uint64_t pages)
{
    return {.complete = true, .kind = "counted", .text = "all of it", .pages = pages, .requests = pages};
}

}  // namespace shelfd
