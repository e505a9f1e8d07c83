// A token store on a disk that is really full, and on one that is really read-only.
#include "refresh_site.hpp"
#include "support/catch.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include <sys/mount.h>

using namespace shelfd;

namespace {

namespace fs = std::filesystem;
using Trace = RefreshSite::Trace;

// A small disk of its own over the library's token directory, with the same files, as long as it lives.
class SmallDisk {
public:
    SmallDisk(RefreshSite& site, const TempDirectory& aside)
        : place_((site.site().directory() / "tokens/antwerp")), old_(aside / "antwerp")
    {
        fs::copy(place_, old_, fs::copy_options::recursive);
        mounted_ = mount("tmpfs", place_.c_str(), "tmpfs", MS_NODEV | MS_NOSUID, "size=320k,mode=0700") == 0;
        if (!mounted_) {
            why_ = std::strerror(errno);
            return;
        }
        fs::copy(old_, place_, fs::copy_options::recursive);
        write_file(place_ + "/lock", "");  // any daemon that ever ran has left one
        site.make_due();                   // written here, and not copied to here
    }
    SmallDisk(const SmallDisk&) = delete;
    SmallDisk& operator=(const SmallDisk&) = delete;
    ~SmallDisk()
    {
        if (mounted_) {
            umount2(place_.c_str(), MNT_DETACH);
        }
    }

    bool is_there() const
    {
        if (!mounted_) {
            WARN("skipped: no disk can be mounted here: " << why_);
        }
        return mounted_;
    }
    // To the last byte.
    void fill() const
    {
        std::ofstream file(place_ + "/filler", std::ios::binary);
        const std::string block(4'096, 'x');
        while (file.write(block.data(), static_cast<std::streamsize>(block.size())).flush()) {
        }
        REQUIRE(fs::space(place_).free == 0);
    }
    enum class Access { read_only, writable };
    void remount(Access access) const
    {
        constexpr unsigned long writable = MS_REMOUNT | MS_NODEV | MS_NOSUID;
        const auto flags = access == Access::read_only ? writable | MS_RDONLY : writable;
        REQUIRE(mount("tmpfs", place_.c_str(), "tmpfs", flags, "size=320k") == 0);
    }

private:
    std::string place_;
    std::string old_;
    std::string why_;
    bool mounted_ = false;
};

}  // namespace

TEST_CASE("on a disk without a free byte a set is refreshed as on any other: its place was taken beforehand")
{
    RefreshSite site({});
    const TempDirectory aside;
    const SmallDisk disk(site, aside);
    if (!disk.is_there()) {
        return;
    }
    disk.fill();
    const auto fate = site.settle();
    INFO(to_text(fate));
    CHECK(fate.alive);
    CHECK(fate.posts == 1);
    CHECK(fate.rotations == 1);
    CHECK(fate.standing == oauth::Standing::good);
}

TEST_CASE("on a disk that went read-only nothing is sent, and the refresh is made up for once it can be written again")
{
    RefreshSite site({});
    const TempDirectory aside;
    const SmallDisk disk(site, aside);
    if (!disk.is_there()) {
        return;
    }
    disk.remount(SmallDisk::Access::read_only);
    site.run(Trace::no);
    auto fate = site.fate();
    INFO(to_text(fate) << "\n" << site.site().last_log());
    CHECK(fate.alive);
    CHECK(fate.posts == 0);
    // The token that is there still reads.
    CHECK(site.site().service().audit_report().count("GET", recipes_path, "lib01", 1, 200) > 0);

    disk.remount(SmallDisk::Access::writable);
    fate = site.settle();
    CHECK(fate.alive);
    CHECK(fate.posts == 1);
    CHECK(fate.rotations == 1);
}
