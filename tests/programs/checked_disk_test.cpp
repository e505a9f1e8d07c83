// Token store and mirror on a file system of their own, which a check repairs, which grows, and which is full.
#include "site.hpp"
#include "storage/sqlite.hpp"
#include "support/catch.hpp"
#include "support/long_form.hpp"
#include "support/scratch_directory.hpp"

#include <filesystem>
#include <fstream>
#include <functional>

#include <fmt/format.h>
#include <unistd.h>

using namespace shelfd;

namespace {

namespace fs = std::filesystem;

Ran run(const std::vector<std::string>& argv)
{
    return run_program(argv);
}

void must_run(const std::vector<std::string>& argv)
{
    const auto ran = run(argv);
    INFO(argv.front() << ": " << ran.out << ran.err);
    REQUIRE(ran.code == 0);
}

// An ext4 file system in a file. Not there where the test may not mount one, or lacks the programs for it.
class LoopDisk {
public:
    LoopDisk() : image_(scratch_ / "image"), place_(scratch_ / "disk")
    {
        fs::create_directory(place_);
        std::ofstream(image_).close();
        fs::resize_file(image_, std::size_t{24} << 20);
        for (const auto* program : {"/usr/sbin/mkfs.ext4", "/usr/sbin/e2fsck", "/usr/sbin/resize2fs",
                                    "/usr/sbin/debugfs", "/usr/bin/mount", "/usr/bin/umount"}) {
            why_ = why_.empty() && !fs::exists(program) ? std::string("there is no ") + program : why_;
        }
        if (why_.empty() && geteuid() != 0) {
            why_ = "only root can mount";
        }
        if (!why_.empty()) {
            return;
        }
        must_run({"/usr/sbin/mkfs.ext4", "-q", image_});
        const auto mounted = run({"/usr/bin/mount", "-o", "loop", image_, place_});
        is_mounted_ = mounted.code == 0;
        why_ = mounted.err;
    }
    LoopDisk(const LoopDisk&) = delete;
    LoopDisk& operator=(const LoopDisk&) = delete;
    ~LoopDisk()
    {
        if (is_mounted_) {
            run({"/usr/bin/umount", "--lazy", place_});
        }
    }

    bool is_there() const
    {
        if (!is_mounted_) {
            WARN("skipped: no disk can be mounted here: " << why_);
        }
        return is_mounted_;
    }
    std::string operator/(const std::string& name) const { return place_ + "/" + name; }

    void unmount()
    {
        must_run({"/usr/bin/umount", place_});
        is_mounted_ = false;
    }
    void mount()
    {
        must_run({"/usr/bin/mount", "-o", "loop", image_, place_});
        is_mounted_ = true;
    }
    // While it is not mounted: as a failing disk does it. `path` is of a file on it.
    void damage(const std::string& command, const std::string& path, const std::string& more = "")
    {
        must_run({"/usr/sbin/debugfs", "-w", "-R", fmt::format("{} {} {}", command, path, more), image_});
    }
    void check() const
    {
        const auto checked = run({"/usr/sbin/e2fsck", "-f", "-y", image_});
        INFO(checked.out << checked.err);
        REQUIRE(checked.code <= 1);  // 1: errors were corrected
    }
    void grow() const
    {
        fs::resize_file(image_, std::size_t{64} << 20);
        check();
        must_run({"/usr/sbin/resize2fs", image_});
    }
    // Until nothing more can be written; ext4 keeps some room for itself.
    void fill() const
    {
        std::ofstream file(place_ + "/filler", std::ios::binary);
        const std::string block(4'096, 'x');
        while (file.write(block.data(), static_cast<std::streamsize>(block.size())).flush()) {
        }
    }
    void empty() const { fs::remove(place_ + "/filler"); }

private:
    ScratchDirectory scratch_;
    std::string image_;
    std::string place_;
    std::string why_;
    bool is_mounted_ = false;
};

// Whose token store, with both copies, and whose mirror are on that disk.
class DiskSite {
public:
    DiskSite()
    {
        if (!disk.is_there()) {
            return;
        }
        auto text = site.config_text({"antwerp"});
        for (const std::string name : {"mirrors", "tokens"}) {
            const auto at = text.find("\n" + name + " ") + 1;
            fs::create_directory(disk / name);
            fs::permissions(disk / name, name == "tokens"
                                             ? fs::perms::owner_all
                                             : fs::perms::owner_all | fs::perms::group_read | fs::perms::group_exec);
            text.replace(at, text.find('\n', at) - at, fmt::format("{} = \"{}\"", name, disk / name));
        }
        site.write_config(text);
        CHECK(site.start_synced()->stop().code == 0);
    }

    // Stopped in between.
    void between_mounts(const std::function<void()>& act)
    {
        disk.unmount();
        act();
        disk.mount();
    }

    void expire_access()
    {
        site.service().world()->expire_access("lib01");
        site.service().world()->reset_audit();
    }
    std::uint64_t posts() { return site.service().world()->audit_report().token_posts; }

    // It refreshes, once, and says nothing about a copied store.
    void expect_refresh()
    {
        expire_access();
        auto daemon = site.start_ready();
        if (site.ctl({"sync", "antwerp"}).code != 0) {
            site.ctl_done({"sync", "antwerp"});
        }
        const auto status = site.ctl({"auth", "status", "antwerp"});
        INFO(status.out << daemon->log());
        CHECK(status.code == 0);
        CHECK(status.out.find("copied") == std::string::npos);
        CHECK(posts() == 1);
        CHECK(site.service().world()->audit_report().reuses_of_spent == 0);
        CHECK(daemon->stop().code == 0);
    }

    std::string rows()
    {
        auto database = storage::Database::open(disk / "mirrors/antwerp/antwerp.db", storage::OpenMode::read_only);
        REQUIRE(database);
        auto count = database->prepare("SELECT count(*) FROM recipes");
        REQUIRE(count);
        REQUIRE(count->step());
        return std::string(count->text(0));
    }

    LoopDisk disk;
    Site site;
};

// What is left of a file after a check of the disk.
struct Loss {
    const char* name;
    std::vector<std::pair<const char*, const char*>> commands;  // of debugfs(8): before the path, and after it
};

std::vector<Loss> losses()
{
    std::vector<Loss> all = {
        {"its last part reads as zeros", {{"punch", "20"}}},
        {"its inode is damaged: the check removes it", {{"clri", ""}}},
        {"it reads as zeros", {{"punch", "0"}}},
        {"it was truncated", {{"punch", "20"}, {"sif", "size 20480"}}},
        {"it was truncated to nothing", {{"punch", "0"}, {"sif", "size 0"}}},
    };
    if (!is_long_form()) {
        all.resize(2);
    }
    return all;
}

void damage(LoopDisk& disk, const Loss& loss, const std::string& path)
{
    for (const auto& [before, after] : loss.commands) {
        disk.damage(before, path, after);
    }
}

}  // namespace

TEST_CASE("a disk that was checked, has grown or was full makes no copy of the token store, which is refreshed there")
{
    DiskSite on;
    if (!on.disk.is_there()) {
        return;
    }
    on.expect_refresh();
    {
        INFO("unmounted and mounted again");
        on.between_mounts([] {});
        on.expect_refresh();
    }
    {
        INFO("checked");
        on.between_mounts([&on] { on.disk.check(); });
        on.expect_refresh();
    }
    {
        INFO("grown");
        on.between_mounts([&on] { on.disk.grow(); });
        on.expect_refresh();
    }
    {
        INFO("full, and empty again");
        on.disk.fill();
        on.expire_access();
        auto daemon = on.site.start_ready();
        // The mirror, on the same disk, can take nothing; the token set needs no more room than it has.
        for (int i = 0; i < 2; ++i) {
            const auto sync = on.site.ctl({"sync", "antwerp"});
            INFO(sync.out << sync.err << daemon->log());
            CHECK(sync.code != 0);
        }
        CHECK(on.posts() == 1);
        CHECK(on.site.service().world()->audit_report().reuses_of_spent == 0);
        CHECK(on.site.ctl({"auth", "status", "antwerp"}).out.find("copied") == std::string::npos);
        CHECK(daemon->stop().code == 0);
        on.disk.empty();
        on.expect_refresh();
    }
}

TEST_CASE(
    "a copy of the token set that a check of the disk truncated, zeroed or removed is repaired from the other one")
{
    for (const auto& loss : losses()) {
        for (const std::string copy : {"journal.a", "journal.b"}) {
            INFO(copy << ": " << loss.name);
            DiskSite on;
            if (!on.disk.is_there()) {
                return;
            }
            on.between_mounts([&] {
                damage(on.disk, loss, "tokens/antwerp/" + copy);
                on.disk.check();
            });
            on.expect_refresh();
            CHECK(fs::file_size(on.disk / "tokens/antwerp/journal.a") ==
                  fs::file_size(on.disk / "tokens/antwerp/journal.b"));
            // Both are whole again: the other one alone is enough.
            on.between_mounts([&] {
                damage(on.disk, loss,
                       std::string("tokens/antwerp/") + (copy == "journal.a" ? "journal.b" : "journal.a"));
                on.disk.check();
            });
            on.expect_refresh();
        }
    }
}

TEST_CASE("where a check of the disk left nothing of either copy of a token set, nothing is sent and a person is asked")
{
    for (const auto& loss : losses()) {
        INFO(loss.name);
        DiskSite on;
        if (!on.disk.is_there()) {
            return;
        }
        on.between_mounts([&] {
            damage(on.disk, loss, "tokens/antwerp/journal.a");
            damage(on.disk, loss, "tokens/antwerp/journal.b");
            on.disk.check();
        });
        on.expire_access();
        auto daemon = on.site.start_ready();
        const auto sync = on.site.ctl({"sync", "antwerp"});
        const auto status = on.site.ctl({"auth", "status", "antwerp"});
        INFO(sync.err << status.out << daemon->log());
        CHECK(sync.code == 2);
        CHECK(status.code == 2);
        CHECK(status.out.find("do this: ") != std::string::npos);
        // The generation is known, whether older records are left or none.
        const bool is_known = status.out.find("generation 2 was in use here") != std::string::npos ||
                              status.out.find("the mirror knows generation 2") != std::string::npos;
        CHECK(is_known);
        CHECK(on.posts() == 0);
        CHECK(daemon->stop().code == 0);
    }
}

TEST_CASE("a mirror that a check of the disk truncated, zeroed or removed is filled again, and status names repairs")
{
    for (const auto& loss : losses()) {
        INFO(loss.name);
        DiskSite on;
        if (!on.disk.is_there()) {
            return;
        }
        REQUIRE(on.rows() == "100");
        on.between_mounts([&] {
            damage(on.disk, loss, "mirrors/antwerp/antwerp.db");
            on.disk.check();
        });
        auto daemon = on.site.start_ready();
        on.site.ctl({"sync", "antwerp"});
        on.site.ctl_done({"sync", "antwerp"});
        const auto status = on.site.ctl({"status", "antwerp"});
        INFO(status.out << daemon->log());
        CHECK(on.rows() == "100");
        // A file that is gone or empty is like one that was never there.
        const bool has_file =
            std::string(loss.commands.front().first) != "clri" && std::string(loss.commands.back().second) != "size 0";
        CHECK((status.out.find("the mirror was broken") != std::string::npos) == has_file);
        CHECK(daemon->stop().code == 0);
    }
}
