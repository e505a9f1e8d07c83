#include "app/stores/search_rights.hpp"

#include "mirror/access/mirror_access.hpp"
#include "support/catch.hpp"
#include "support/temp_directory.hpp"

#include <cerrno>
#include <filesystem>
#include <memory>

using namespace shelfd;
using namespace shelfd::app;

namespace {

constexpr auto group = Account::Kind::group;
constexpr auto user = Account::Kind::user;

// The directory of all mirrors, with one directory for each library that had readers before.
struct Mirrors {
    TempDirectory directory;

    void give(const std::string& library, const std::vector<Account>& readers) const
    {
        const auto place = directory / library;
        std::filesystem::create_directories(place);
        REQUIRE(mirror::set_mirror_access(place, place + "/" + library + ".db", readers));
    }
    std::vector<storage::NamedRight> named() const { return storage::read_access(directory.path()).value().named; }
    void reload(const config::Libraries& libraries) const
    {
        const auto rights = plan_search_rights(directory.path(), libraries);
        REQUIRE(grant_search_rights(directory.path(), rights));
        for (const auto& library : libraries) {
            give(library->name, library->readers);
        }
        withdraw_search_rights(directory.path(), rights);
    }
};

std::shared_ptr<const config::Library> library(const std::string& name, std::vector<Account> readers)
{
    auto made = std::make_shared<config::Library>();
    made->name = name;
    made->readers = std::move(readers);
    return made;
}

storage::NamedRight pass(Account::Kind kind, std::uint32_t id)
{
    return {kind, id, storage::may_enter};
}

}  // namespace

TEST_CASE("readers pass through the directory of all mirrors as long as a library names them")
{
    const Mirrors mirrors;
    mirrors.reload({library("antwerp", {{group, 3001, "a"}}), library("ghent", {{user, 3002, "b"}})});
    CHECK(mirrors.named() == std::vector{pass(group, 3001), pass(user, 3002)});
    mirrors.reload({library("antwerp", {{group, 3003, "c"}}), library("ghent", {{user, 3002, "b"}})});
    CHECK(mirrors.named() == std::vector{pass(group, 3003), pass(user, 3002)});
    // A library that left the configuration no longer counts, although its mirror stays.
    mirrors.reload({library("antwerp", {{user, 3002, "b"}})});
    CHECK(mirrors.named() == std::vector{pass(user, 3002)});
    mirrors.reload({library("antwerp", {})});
    CHECK(mirrors.named().empty());
}

TEST_CASE("what somebody has set by hand on the directory of all mirrors stays")
{
    const Mirrors mirrors;
    constexpr unsigned see = storage::may_read | storage::may_enter;
    const std::vector<storage::NamedRight> by_hand = {pass(user, 3009), {user, 3010, see}};
    REQUIRE(storage::write_access(mirrors.directory.path(), {7, 5, 0, by_hand}));
    mirrors.reload({library("antwerp", {{user, 3010, "x"}, {user, 3011, "y"}})});
    CHECK(mirrors.named() == std::vector<storage::NamedRight>{by_hand[0], by_hand[1], pass(user, 3011)});
    mirrors.reload({library("antwerp", {})});
    CHECK(mirrors.named() == by_hand);
    CHECK(storage::read_access(mirrors.directory.path()).value().group == 5);
}

TEST_CASE("a mirror that its readers cannot read is told with the place and the cure")
{
    const auto lacking =
        describe_closed("antwerp", "/proc/version", std::move(Error(ErrorKind::storage, "x").with_errno(ENOTSUP)));
    CHECK(lacking.text ==
          "the readers of antwerp cannot read its mirror: the file system mounted at /proc keeps no access "
          "lists (ACLs); until that is corrected, only the daemon's user can");
    CHECK(lacking.do_this.find("move storage.mirrors to ext4, XFS or Btrfs") == 0);
    const auto full =
        describe_closed("", "/var", Error(ErrorKind::storage, "cannot set the access list of /var: no space"));
    CHECK(full.text ==
          "the readers of single libraries cannot pass through /var: cannot set the access list of /var: no "
          "space");
    CHECK(full.do_this == "correct that, then: shelfctl reload");
}
