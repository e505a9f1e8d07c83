#include "config/files.hpp"

#include "support/catch.hpp"

#include <filesystem>
#include <string>

#include <sys/stat.h>
#include <unistd.h>

using namespace shelfd;
using namespace shelfd::config;
using test::ConfigFiles;

namespace {

std::string library(const std::string& name)
{
    return "[library." + name + "]\nbase_url = \"https://" + name +
           ".example.com\"\nclient_id = \"c\"\nclient_secret = { credential = \"c\" }\n";
}

const std::string recipes = "[resource.recipes]\npath = \"/recipes/\"\nevery = \"1h\"\n";

}  // namespace

TEST_CASE("conf.d is read in the order of names, only what ends in .toml")
{
    const ConfigFiles files(recipes + library("main"));
    files.write("conf.d/20-b.toml", library("b"));
    files.write("conf.d/10-z.toml", library("z"));
    files.write("conf.d/.hidden.toml", "broken =");
    files.write("conf.d/old.toml~", "broken =");
    files.write("conf.d/x.toml.dpkg-old", "broken =");
    files.write("conf.d/folder.toml/x", "broken =");
    const auto outcome = files.load();
    INFO(test::list(files, outcome.faults));
    REQUIRE(outcome.configuration);
    std::string order;
    for (const auto& found : outcome.configuration->libraries) {
        order += found.name + ' ';
    }
    CHECK(order == "main z b ");
    CHECK(outcome.configuration->find_library("z")->position.file == files.path("conf.d/10-z.toml"));
    CHECK(outcome.configuration->find_library("nobody") == nullptr);
}

TEST_CASE("what stands in two files is told with both places")
{
    const ConfigFiles files("[log]\nlevel = \"info\"\n" + recipes + library("a") +
                            "[application.x]\nclient_id = \"x\"\n");
    files.write("conf.d/a.toml", "[log]\nlevel = \"debug\"\n" + library("a") + recipes + "[application.x]\n");
    files.write("conf.d/b.toml", "[library.a.resource.recipes]\nevery = \"2h\"\n");
    const auto outcome = files.load();
    CHECK_FALSE(outcome.configuration.has_value());
    CHECK(test::list(files, outcome.faults) ==
          "conf.d/a.toml:1:2: log is in two files: first at shelfd.toml:1:2\n"
          "conf.d/a.toml:3:10: library.a is in two files: first at shelfd.toml:6:10\n"
          "conf.d/a.toml:7:11: resource.recipes is in two files: first at shelfd.toml:3:11\n"
          "conf.d/a.toml:10:14: application.x is in two files: first at shelfd.toml:10:14\n"
          "conf.d/b.toml:1:10: library.a is in two files: first at shelfd.toml:6:10\n");
}

TEST_CASE("all faults of meaning come in one run, over all files, each once")
{
    const ConfigFiles files("[service]\npage_size = 0\nbase_url = \"http://x.example.com\"\n[resource.recipes]\npath = "
                            "\"recipes\"\nsplay = \"60%\"\n");
    // Two libraries meet the same resource without `every`.
    files.write("conf.d/a.toml", "[library.a]\napplication = \"p\"\nin_flight = 1000\n");
    files.write("conf.d/b.toml", "[library.b]\napplication = \"p\"\npagesize = 3\n");
    files.write("conf.d/c.toml", "[application.p]\nclient_secret = \"hush\"\n");
    const auto outcome = files.load();
    CHECK_FALSE(outcome.configuration.has_value());
    CHECK(test::list(files, outcome.faults) ==
          "shelfd.toml:2:13: page_size must be an integer from 1 to 10000\n"
          "shelfd.toml:3:12: base_url must be https: http is for loopback only (localhost, 127.0.0.1, [::1])\n"
          "shelfd.toml:4:1: resource recipes has neither every nor at, so it would never be fetched: write every = "
          "\"15m\" or at = [\"03:30\"] here or in [defaults]\n"
          "shelfd.toml:5:8: path must begin with \"/\"\n"
          "shelfd.toml:6:9: splay must be a share from 0% to 50%, like \"10%\"\n"
          "conf.d/a.toml:3:13: in_flight must be an integer from 1 to 64\n"
          "conf.d/b.toml:3:1: unknown key \"pagesize\" in [library.b]; the nearest known key is \"page_size\"\n"
          "conf.d/c.toml:1:1: client_id is missing in [application.p]\n"
          "conf.d/c.toml:2:17: client_secret must not be in the configuration: write it to a file (mode 0640, "
          "root:shelfd) and name that, client_secret = { file = \"/etc/shelfd/secrets/NAME\" }\n");
}

TEST_CASE("a fault of syntax in one file hides no fault of another, and makes none up")
{
    // The application and the resources stand behind the fault: nobody may say that they are missing.
    const ConfigFiles files("[service]\nbase_url = \n[application.p]\nclient_id = \"p\"\n");
    files.write("conf.d/a.toml", "[library.a]\napplication = \"p\"\nresources = [\"recipes\"]\nin_flight = 0\n");
    files.write("conf.d/b.toml", "[library.b\n");
    const auto outcome = files.load();
    CHECK_FALSE(outcome.configuration.has_value());
    REQUIRE(outcome.faults.size() == 3);
    CHECK(to_text(outcome.faults[0]).starts_with(files.path("shelfd.toml:2:12: ")));
    CHECK(outcome.faults[1].text == "in_flight must be an integer from 1 to 64");
    CHECK(to_text(outcome.faults[2]).starts_with(files.path("conf.d/b.toml:1:11: ")));
}

TEST_CASE("a file that cannot be read is a fault with its name")
{
    const ConfigFiles absent;
    auto outcome = absent.load();
    CHECK(test::list(absent, outcome.faults)
              .starts_with("shelfd.toml:1:1: cannot be read: No such file or directory; answer a few questions: "
                           "shelfctl init; or begin with a copy: sudo cp "
                           "/usr/share/doc/shelfd/examples/minimal.toml "));

    const ConfigFiles folder;
    folder.write("shelfd.toml/x", "");
    outcome = folder.load();
    CHECK(test::list(folder, outcome.faults) == "shelfd.toml:1:1: cannot be read: Is a directory\n");

    const ConfigFiles dangling(test::good_library);
    dangling.write("conf.d/a.toml", "");
    std::filesystem::create_symlink("/nowhere/b.toml", dangling.path("conf.d/b.toml"));
    outcome = dangling.load();
    CHECK(test::list(dangling, outcome.faults) == "conf.d/b.toml:1:1: cannot be read: No such file or directory\n");
}

TEST_CASE("a warning leaves the configuration usable")
{
    struct Row {
        const char* name;
        std::string text;
        const char* expected;
    };
    const std::string twin = library("a") + "library_id = 7\nidentity = { path = \"/me/\", field = \"id\" }\n";
    const Row rows[] = {
        {"nothing to do", "", "shelfd.toml:1:1: no library is configured"},
        {"an id that nothing checks", recipes + library("a") + "library_id = 7\n",
         "shelfd.toml:8:14: library_id is checked with identity, which is not set"},
        {"late before the next planned time",
         "[resource.r]\npath = \"/r/\"\nat = [\"03:30\", \"09:30\"]\nlate_after = \"12h\"\n" + library("a"),
         "shelfd.toml:4:14: late_after is shorter than the 18h between two planned times of resource r"},
        {"late before due", recipes + "late_after = \"30m\"\n" + library("a"),
         "shelfd.toml:4:14: `late_after` is shorter than `every` (1h) of resource recipes"},
        {"an override without effect",
         recipes + "[resource.b]\npath = \"/b/\"\nevery = \"1h\"\n" + library("a") +
             "resources = [\"recipes\"]\n[library.a.resource.b]\nevery = \"2h\"\n",
         "shelfd.toml:12:1: resource b is not among the resources of library a"},
        {"the same customer twice",
         recipes + twin +
             "[library.b]\nbase_url = \"https://a.example.com/\"\nclient_id = \"c\"\nclient_secret = { credential "
             "= \"c\" }\nlibrary_id = \"7\"\nidentity = { path = \"/me/\", field = \"id\" }\n",
         "shelfd.toml:10:1: library b has the same library_id at the same service as library a"},
        {"an application without a library",
         recipes + "[application.partner]\nclient_id = \"p\"\nclient_secret = { credential = \"c\" }\n" + library("a"),
         "shelfd.toml:4:1: no library uses [application.partner]: write application = \"partner\" in one, or remove "
         "it"},
        {"applications without libraries",
         recipes + "[application.p1]\nclient_id = \"p\"\nclient_secret = { credential = \"c\" }\n" +
             "[application.p2]\nclient_id = \"p\"\nclient_secret = { credential = \"c\" }\n" +
             "[application.p3]\nclient_id = \"p\"\nclient_secret = { credential = \"c\" }\n" +
             "[application.p4]\nclient_id = \"p\"\nclient_secret = { credential = \"c\" }\n" + library("a"),
         "shelfd.toml:4:1: no library uses 4 applications, [application.p1], [application.p2], [application.p3] and 1 "
         "more: name each in a library, or remove it"},
    };
    for (const auto& row : rows) {
        INFO(row.name);
        const ConfigFiles files(row.text);
        const auto outcome = files.load();
        INFO(test::list(files, outcome.faults));
        CHECK(outcome.configuration.has_value());
        REQUIRE(outcome.warnings.size() == 1);
        CHECK(test::list(files, outcome.warnings).starts_with(row.expected));
    }
}

TEST_CASE("a credential that was not passed is a warning, told only under a service manager")
{
    const ConfigFiles files(recipes + library("a"));
    CHECK(files.load().warnings.empty());
    const auto outcome = files.load({{"CREDENTIALS_DIRECTORY", files.path("credentials")}});
    CHECK(outcome.configuration.has_value());
    REQUIRE(outcome.warnings.size() == 1);
    CHECK(outcome.warnings[0].text.find("LoadCredential=c:") != std::string::npos);
    files.write("credentials/c", "x");
    CHECK(files.load({{"CREDENTIALS_DIRECTORY", files.path("credentials")}}).warnings.empty());
}

TEST_CASE("a thousand libraries are read, and each fault among them is found")
{
    const ConfigFiles files(recipes + "[application.p]\nclient_id = \"p\"\nclient_secret = { credential = \"p\" }\n");
    for (int i = 0; i < 1000; ++i) {
        const auto name = "l" + std::to_string(i);
        files.write("conf.d/" + name + ".toml", "[library." + name + "]\napplication = \"p\"\nbase_url = \"https://" +
                                                    name + ".example.com\"\n" +
                                                    (i % 100 == 7 ? "page_size = 0\n" : ""));
    }
    const auto outcome = files.load();
    CHECK(outcome.faults.size() == 10);
    for (const auto& fault : outcome.faults) {
        CHECK(fault.position.line == 4);
    }
}

TEST_CASE("a pipe among the files holds nobody up: it is a fault with its name")
{
    const ConfigFiles files(test::good_library);
    files.write("conf.d/a.toml", "");
    REQUIRE(::mkfifo(files.path("conf.d/pipe.toml").c_str(), 0600) == 0);
    std::filesystem::create_symlink("/dev/zero", files.path("conf.d/zero.toml"));
    const auto outcome = files.load();
    CHECK_FALSE(outcome.configuration);
    CHECK(test::list(files, outcome.faults) == "conf.d/pipe.toml:1:1: cannot be read: it is not a regular file\n"
                                               "conf.d/zero.toml:1:1: cannot be read: it is not a regular file\n");
    CHECK(outcome.faults[0].kind == FaultKind::content);

    const ConfigFiles large;
    large.write("shelfd.toml", std::string((16u << 20) + 1, '\n'));
    CHECK(test::list(large, large.load().faults) == "shelfd.toml:1:1: cannot be read: it is larger than 16 MiB\n");
}

TEST_CASE("a configuration that others may change is refused, with the command that mends it")
{
    const auto load_as_daemon = [](const ConfigFiles& files) {
        return load(files.path("shelfd.toml"), {}, KeepOrigins::no, Secrets::not_now);
    };
    const ConfigFiles files(test::good_library);
    const auto extra = files.write("conf.d/a.toml", "[log]\nlevel = \"info\"\n", 0664);
    auto outcome = files.load();
    CHECK_FALSE(outcome.configuration);
    REQUIRE(outcome.faults.size() == 1);
    CHECK(outcome.faults[0].position.file == extra);
    CHECK(outcome.faults[0].text.find("chmod go-w " + extra) != std::string::npos);
    CHECK(outcome.faults[0].kind == FaultKind::rights);

    files.write("conf.d/a.toml", "[log]\nlevel = \"info\"\n", 0644);
    CHECK(load_as_daemon(files).configuration);
    std::filesystem::permissions(files.path("conf.d"), std::filesystem::perms(0777));
    outcome = load_as_daemon(files);
    CHECK_FALSE(outcome.configuration);
    REQUIRE(outcome.faults.size() == 1);
    CHECK(outcome.faults[0].position.file == files.path("conf.d"));
    CHECK(outcome.faults[0].kind == FaultKind::rights);
    std::filesystem::permissions(files.path("conf.d"), std::filesystem::perms(0755));

    // Whoever may write to the directory may put another file in the place of this one.
    const auto folder = std::filesystem::path(files.path("shelfd.toml")).parent_path();
    for (const auto open_to : {0777, 0775}) {
        std::filesystem::permissions(folder, std::filesystem::perms(open_to));
        outcome = load_as_daemon(files);
        CHECK_FALSE(outcome.configuration);
        REQUIRE(outcome.faults.size() == 1);
        CHECK(outcome.faults[0].text.find("chmod go-w " + folder.string()) != std::string::npos);
        CHECK(outcome.faults[0].kind == FaultKind::rights);
    }
    // In a directory like /tmp nobody replaces files of others.
    std::filesystem::permissions(folder, std::filesystem::perms(01777));
    CHECK(load_as_daemon(files).configuration);
    std::filesystem::permissions(folder, std::filesystem::perms(0755));
    // A symbolic link is as safe as the place to which it leads.
    const TempDirectory elsewhere;
    std::filesystem::rename(files.path("shelfd.toml"), elsewhere / "real.toml");
    std::filesystem::create_symlink(elsewhere / "real.toml", files.path("shelfd.toml"));
    CHECK(load_as_daemon(files).configuration);
    std::filesystem::permissions(elsewhere / "", std::filesystem::perms(0777));
    outcome = load_as_daemon(files);
    CHECK_FALSE(outcome.configuration);
    REQUIRE(outcome.faults.size() == 1);
    CHECK(outcome.faults[0].kind == FaultKind::rights);
    std::filesystem::permissions(elsewhere / "", std::filesystem::perms(0755));

    if (::geteuid() != 0) {
        WARN("owners were not tried: only root gives files away");
        return;
    }
    REQUIRE(::chown(extra.c_str(), 12'345, 0) == 0);
    outcome = load_as_daemon(files);
    CHECK_FALSE(outcome.configuration);
    REQUIRE(outcome.faults.size() == 1);
    CHECK(outcome.faults[0].text.find("chown root " + extra) != std::string::npos);
    // Who only checks may be somebody else than the daemon.
    outcome = files.load();
    CHECK(outcome.configuration);
    REQUIRE(outcome.warnings.size() == 1);
    CHECK(outcome.warnings[0].text.find("belongs to user 12345") != std::string::npos);
}
