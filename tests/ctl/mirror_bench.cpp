#include "ctl/mirror_bench.hpp"

#include "storage/sqlite.hpp"
#include "support/catch.hpp"

#include <fmt/core.h>

#include <filesystem>

namespace shelfd::ctl {

MirrorBench::MirrorBench(std::vector<mirror::ResourceSpec> resources) : specs(std::move(resources))
{
    std::filesystem::create_directories(directory / "mirrors");
    write_file(command.config_file, "[storage]\nmirrors = \"" + (directory / "mirrors") + "\"\n");
    command.library = "antwerp";
    open();
}

void MirrorBench::open()
{
    const mirror::MirrorOptions options{
        .directory = directory / "mirrors/antwerp", .library = "antwerp", .clock = time};
    mirror = std::make_unique<mirror::Mirror>(options);
    REQUIRE(mirror->declare(specs));
}

void MirrorBench::load(const std::string& items, const std::string& resource)
{
    const mirror::PassStart start{
        .run_id = fmt::format("run-{}", ++runs_), .started = time.now(), .as_of = time.now(), .token_generation = 1};
    auto pass = mirror->begin_pass(resource, start);
    REQUIRE(pass);
    REQUIRE((*pass)->add_page("[" + items + "]"));
    REQUIRE((*pass)->publish(
        {.complete = true, .kind = "single_page", .text = "one complete answer", .pages = 1, .requests = 1}));
}

void MirrorBench::make_anew()
{
    mirror.reset();
    std::filesystem::rename(file(), file() + ".broken");
    time.step_wall(std::chrono::seconds(1));
    open();
}

void MirrorBench::change(const std::string& sql)
{
    auto database = storage::Database::open(file(), storage::OpenMode::read_write_create);
    REQUIRE(database);
    REQUIRE(database->execute(sql));
}

std::string MirrorBench::one(const std::string& sql) const
{
    auto database = storage::Database::open(file(), storage::OpenMode::read_only);
    REQUIRE(database);
    auto row = database->prepare(sql);
    REQUIRE(row);
    const auto found = row->step();
    REQUIRE((found && *found));
    return std::string(row->text(0));
}

}  // namespace shelfd::ctl
