#include "storage/access/access_list.hpp"

#include "support/catch.hpp"
#include "support/process.hpp"
#include "support/temp_directory.hpp"

#include <sys/stat.h>

using namespace shelfd;
using namespace shelfd::storage;

namespace {

constexpr auto group = Account::Kind::group;
constexpr auto user = Account::Kind::user;

mode_t mode_of(const std::string& path)
{
    struct stat found {};
    return ::stat(path.c_str(), &found) == 0 ? found.st_mode & 0777U : 0;
}

std::string made_file(const TempDirectory& directory, mode_t mode)
{
    write_file(directory / "file", "x", mode);
    return directory / "file";
}

}  // namespace

TEST_CASE("a file without an access list has the rights of its mode")
{
    const TempDirectory directory;
    const auto file = made_file(directory, 0640);
    CHECK(read_access(file).value() == AccessList{may_read | may_write, may_read, 0, {}});
    CHECK(read_access(directory.path(), ListKind::default_).value() == AccessList{});
    CHECK(remove_default_access(directory.path()));  // there is none
}

TEST_CASE("users and groups get exactly the rights that are written, and lose them again")
{
    const TempDirectory directory;
    const auto file = made_file(directory, 0640);
    const AccessList list{may_read | may_write, 0, 0, {{group, 3001, may_read}, {user, 3002, may_read | may_enter}}};
    REQUIRE(write_access(file, list));
    CHECK(read_access(file).value() == list);
    CHECK(mode_of(file) == 0650);  // the mode shows the mask
    REQUIRE(write_access(file, {may_read | may_write, may_read, 0, {}}));
    CHECK(read_access(file).value().named.empty());
    CHECK(mode_of(file) == 0640);
}

TEST_CASE("what the mode takes from all named users is not among their rights")
{
    const TempDirectory directory;
    const auto file = made_file(directory, 0640);
    REQUIRE(write_access(file, {may_read | may_write, may_read, 0, {{user, 3002, may_read}}}));
    REQUIRE(::chmod(file.c_str(), 0600) == 0);
    const auto list = read_access(file).value();
    CHECK(list.group == 0);
    CHECK(list.named == std::vector<NamedRight>{{user, 3002, 0}});
}

TEST_CASE("a file begins with the default list of its directory, as far as its mode allows")
{
    const TempDirectory directory;
    constexpr unsigned all = may_read | may_write | may_enter;
    REQUIRE(write_access(directory.path(), {all, 0, 0, {{group, 3001, may_read | may_enter}}}, ListKind::default_));
    CHECK(read_access(made_file(directory, 0640)).value() ==
          AccessList{may_read | may_write, 0, 0, {{group, 3001, may_read}}});
    write_file(directory / "private", "x", 0600);
    CHECK(read_access(directory / "private").value().named == std::vector<NamedRight>{{group, 3001, 0}});
    REQUIRE(remove_default_access(directory.path()));
    write_file(directory / "later", "x", 0640);
    CHECK(read_access(directory / "later").value().named.empty());
}

TEST_CASE("a file system without access lists is recognised and named")
{
    const auto list = read_access("/proc/version");
    REQUIRE_FALSE(list);
    CHECK(lacks_access_lists(list.error()));
    CHECK(mount_of("/proc/version") == "/proc");
    const auto missing = read_access("/nonexistent/file");
    REQUIRE_FALSE(missing);
    CHECK_FALSE(lacks_access_lists(missing.error()));
    CHECK(missing.error().text().find("cannot read the access list of /nonexistent/file") == 0);
}
