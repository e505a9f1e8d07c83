#include "storage/filesystem.hpp"

#include "support/catch.hpp"
#include "support/temp_directory.hpp"

#include <filesystem>

#include <sys/stat.h>
#include <unistd.h>

using namespace shelfd;

namespace {

mode_t mode_of(const std::string& path)
{
    struct stat found {};
    REQUIRE(::stat(path.c_str(), &found) == 0);
    return found.st_mode & 07777U;
}

}  // namespace

TEST_CASE("a file is replaced whole, with its mode whatever the umask is, and nothing is left beside it")
{
    const TempDirectory directory;
    const auto path = directory / "lists.toml";
    const auto durability = GENERATE(storage::Durability::kernel, storage::Durability::disk);
    const auto umask_before = ::umask(0077);
    REQUIRE(storage::replace_file(path, "one", {.mode = 0644, .durability = durability}));
    ::umask(umask_before);
    CHECK(read_file(path) == "one");
    CHECK(mode_of(path) == 0644);
    REQUIRE(storage::replace_file(path, "", {.mode = 0600, .durability = durability}));
    CHECK(read_file(path).empty());
    CHECK(mode_of(path) == 0600);
    CHECK(std::distance(std::filesystem::directory_iterator(directory.path()), {}) == 1);
}

TEST_CASE("what a killed process left, a link even, is neither followed nor in the way")
{
    const TempDirectory directory;
    const auto path = directory / "lists.toml";
    write_file(directory / "elsewhere", "of somebody");
    std::filesystem::create_symlink(directory / "elsewhere", directory / ".lists.toml.new");
    REQUIRE(storage::replace_file(path, "one", {}));
    CHECK(read_file(path) == "one");
    CHECK(read_file(directory / "elsewhere") == "of somebody");
    CHECK_FALSE(std::filesystem::is_symlink(path));
}

TEST_CASE("one of several writers leaves what another one has begun")
{
    const TempDirectory directory;
    write_file(directory / ".shelfd.prom.new", "begun");
    write_file(directory / ".shelfd.prom.1.new", "begun");
    REQUIRE(storage::replace_file(directory / "shelfd.prom", "whole", {.replacers = storage::Replacers::several}));
    CHECK(read_file(directory / "shelfd.prom") == "whole");
    CHECK(read_file(directory / ".shelfd.prom.new") == "begun");
    CHECK(read_file(directory / ".shelfd.prom.1.new") == "begun");
    CHECK(std::distance(std::filesystem::directory_iterator(directory.path()), {}) == 3);
}

TEST_CASE("a file that cannot be replaced stays as it is, and the error names it")
{
    const TempDirectory directory;
    const auto path = directory / "place";
    std::filesystem::create_directory(path);
    const auto replaced = storage::replace_file(path, "one", {});
    REQUIRE_FALSE(replaced);
    CHECK(replaced.error().text().starts_with("cannot write " + path));
    CHECK(replaced.error().system_errno != 0);
    CHECK(std::filesystem::is_directory(path));
    CHECK(std::distance(std::filesystem::directory_iterator(directory.path()), {}) == 1);
    CHECK(storage::replace_file(directory / "missing/file", "one", {}).error().kind() == ErrorKind::storage);
}
