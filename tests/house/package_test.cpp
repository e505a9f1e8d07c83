// The package: what its scripts remove, and where contrib/package writes.
#include "support/catch.hpp"
#include "support/process.hpp"
#include "support/temp_directory.hpp"

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

using shelfd::read_file;
using shelfd::run_program;
using shelfd::TempDirectory;
using shelfd::write_file;

namespace {

namespace fs = std::filesystem;

const std::string root = SHELFD_SOURCE_DIR;
const std::string path = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

bool contains(const std::string& text, const std::string& part)
{
    return text.find(part) != std::string::npos;
}

// A system from which the package was removed, and is purged.
struct Purged {
    TempDirectory system;
    std::string tools;  // directories before PATH

    std::string state() const { return system / "var/lib/shelfd"; }
    void make(const std::string& file, const std::string& text = "x") const
    {
        fs::create_directories(fs::path(system / file).parent_path());
        write_file(system / file, text);
    }
    bool has(const std::string& file) const { return fs::exists(fs::symlink_status(system / file)); }
    std::string purge() const
    {
        const auto ran = run_program({"/bin/sh", root + "/contrib/debian/shelfd.postrm", "purge"},
                                     {{"PATH", tools + path}, {"DPKG_ROOT", system.path()}, {"LC_ALL", "C.UTF-8"}});
        INFO(ran.out << ran.err);
        CHECK(ran.code == 0);
        return ran.out;
    }
};

}  // namespace

TEST_CASE("a purge removes what can be made again, and of the token store only what is empty")
{
    const Purged empty;
    fs::create_directories(empty.state() + "/tokens/antwerp");
    empty.make("var/lib/shelfd/tokens/.lock");
    empty.make("var/lib/shelfd/tokens/.places");
    empty.make("var/lib/shelfd/mirrors/antwerp/antwerp.db");
    empty.make("etc/shelfd/shelfd.toml");
    const auto gone = empty.purge();
    CHECK(contains(gone, "removing the mirrors in " + empty.state() + "/mirrors (antwerp)"));
    CHECK(contains(gone, "removing the configuration and the client secrets in "));
    CHECK_FALSE(empty.has("var/lib/shelfd"));
    CHECK_FALSE(empty.has("etc/shelfd"));

    for (const std::string file : {"antwerp/journal.a", ".antwerp.former/journal.a", "journal.b", "antwerp/unknown"}) {
        CAPTURE(file);
        const Purged kept;
        kept.make("var/lib/shelfd/tokens/" + file, "a token set");
        kept.make("var/lib/shelfd/mirrors/antwerp/antwerp.db");
        const auto said = kept.purge();
        CHECK(read_file(kept.state() + "/tokens/" + file) == "a token set");
        CHECK(contains(said, "kept: the token sets in " + kept.state() + "/tokens"));
        CHECK_FALSE(kept.has("var/lib/shelfd/mirrors"));
    }
}

TEST_CASE("a purge keeps a token set wherever it lies, behind a link, and where it cannot be searched for")
{
    const Purged elsewhere;
    elsewhere.make("var/lib/shelfd/mirrors/store/antwerp/journal.b", "a token set");
    elsewhere.make("etc/shelfd/tokens/antwerp/journal.a", "a token set");
    const auto said = elsewhere.purge();
    CHECK(elsewhere.has("var/lib/shelfd/mirrors/store/antwerp/journal.b"));
    CHECK(elsewhere.has("etc/shelfd/tokens/antwerp/journal.a"));
    CHECK(contains(said, "because of a token set"));
    CHECK_FALSE(contains(said, "removing"));

    const Purged linked;
    linked.make("srv/tokens/antwerp/journal.a", "a token set");
    linked.make("srv/tokens/.lock");
    fs::create_directories(linked.state());
    fs::create_directory_symlink(linked.system / "srv/tokens", linked.state() + "/tokens");
    linked.purge();
    CHECK(linked.has("srv/tokens/antwerp/journal.a"));
    CHECK(linked.has("srv/tokens/.lock"));
    CHECK(linked.has("var/lib/shelfd/tokens"));

    // A disk that cannot be read: find(1) fails, and prints nothing.
    Purged broken;
    fs::create_directories(broken.system / "tools");
    write_file(broken.system / "tools/find", "#!/bin/sh\nexit 1\n", 0755);
    broken.tools = broken.system / "tools:";
    broken.make("var/lib/shelfd/tokens/antwerp/journal.a", "a token set");
    broken.make("var/lib/shelfd/mirrors/store/antwerp/journal.b", "a token set");
    broken.make("run/shelfd/antwerp.set", "a token set");
    broken.purge();
    CHECK(broken.has("var/lib/shelfd/tokens/antwerp/journal.a"));
    CHECK(broken.has("var/lib/shelfd/mirrors/store/antwerp/journal.b"));
    CHECK(broken.has("run/shelfd/antwerp.set"));
}

TEST_CASE("a purge removes sockets of the runtime directory, and keeps a set that no disk has accepted")
{
    const auto listen = [](const std::string& at) {
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        REQUIRE(at.size() < sizeof address.sun_path);
        at.copy(address.sun_path, at.size());
        const int socket = ::socket(AF_UNIX, SOCK_STREAM, 0);
        CHECK(::bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
        ::close(socket);
    };
    const Purged plain;
    fs::create_directories(plain.system / "run/shelfd");
    listen(plain.system / "run/shelfd/control.sock");
    plain.purge();
    CHECK_FALSE(plain.has("run/shelfd"));

    const Purged held;
    held.make("run/shelfd/antwerp.set", "a token set");
    const auto said = held.purge();
    CHECK(held.has("run/shelfd/antwerp.set"));
    CHECK(contains(said, "run/shelfd/antwerp.set with a token set"));
}

TEST_CASE("contrib/package writes its products into the directory that is named, and leaves all else there alone")
{
    // A tree of its own, and tools that make what the real ones make, without a compiler.
    const TempDirectory place;
    const auto tree = place / "tree";
    fs::create_directories(tree + "/contrib");
    for (const auto* file : {"package", "setup.sh", "NEWS.md"}) {
        fs::copy_file(root + "/contrib/" + file, tree + "/contrib/" + file);
    }
    fs::copy(root + "/contrib/debian", tree + "/contrib/debian", fs::copy_options::recursive);
    write_file(tree + "/CMakeLists.txt", "project(shelfd VERSION 9.8.7 LANGUAGES CXX)\n");
    const std::map<std::string, std::string> tools = {
        {"dpkg-buildpackage", "mkdir -p debian/shelfd/usr/share/doc/shelfd\n"
                              "echo '{}' >debian/shelfd/usr/share/doc/shelfd/shelfd.cdx.json\n"
                              "for name in shelfd_9.8.7_$(dpkg --print-architecture).deb "
                              "shelfd-dbgsym_9.8.7_$(dpkg --print-architecture).deb shelfd_9.8.7_x.changes "
                              "shelfd_9.8.7_x.buildinfo; do echo built >../$name; done"},
        {"lintian", "exit 1"},
    };
    for (const auto& [name, text] : tools) {
        fs::create_directories(place / "tools");
        write_file(place / "tools/" + name, "#!/bin/sh\n" + text + "\n", 0755);
    }
    const auto output = place / "mine";
    fs::create_directories(output + "/source");
    const std::vector<std::string> mine = {"shelfd-notes.deb", "shelfd_0.0.1_amd64.deb", "source/thesis.txt",
                                           "build.log",        "shelfd_old.changes",     "debian12/etc"};
    for (const auto& file : mine) {
        fs::create_directories(fs::path(output + "/" + file).parent_path());
        write_file(output + "/" + file, "years of work");
    }
    const auto package = [&] {
        return run_program({"/bin/bash", tree + "/contrib/package", "--output=" + output},
                           {{"PATH", place / "tools:" + path}, {"SHELFD_NO_APT", "1"}, {"HOME", place.path()}});
    };
    // Lintian objects: nothing is handed over.
    const auto refused = package();
    INFO(refused.out << refused.err);
    CHECK(refused.code != 0);
    CHECK(contains(refused.err, "lintian"));
    CHECK_FALSE(fs::exists(output + "/shelfd_9.8.7_x.changes"));
    write_file(place / "tools/lintian", "#!/bin/sh\nexit 0\n", 0755);
    const auto ran = package();
    INFO(ran.out << ran.err);
    CHECK(contains(ran.out, "built        in"));
    CHECK(read_file(output + "/shelfd_9.8.7_x.changes") == "built\n");
    CHECK(fs::exists(output + "/shelfd.cdx.json"));
    for (const auto& file : mine) {
        CAPTURE(file);
        CHECK(read_file(output + "/" + file) == "years of work");
    }
}
