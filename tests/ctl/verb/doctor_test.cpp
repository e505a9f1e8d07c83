#include "ctl/mirror_bench.hpp"
#include "support/catch.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <fmt/format.h>

#include <filesystem>
#include <vector>

#include <grp.h>
#include <sys/stat.h>
#include <unistd.h>

namespace shelfd::ctl {
namespace {

namespace fs = std::filesystem;
namespace json = boost::json;

// A whole tree of a daemon of this user, with a real mirror; what is wrong with it, a test plants.
struct DoctorBench : MirrorBench {
    DoctorBench()
    {
        const group* own = ::getgrgid(::getegid());
        const std::string readers = own != nullptr ? own->gr_name : "root";
        fs::create_directories(directory / "tokens/antwerp");
        fs::create_directories(directory / "copy/antwerp");
        write_file(directory / "secret", "planted-secret-0123456789\n", 0640);
        write_file(directory / "tokens/antwerp/journal.a", "planted-token", 0600);
        write_file(command.config_file,
                   fmt::format("[storage]\nmirrors = \"{0}/mirrors\"\ntokens = \"{0}/tokens\"\n"
                               "tokens_copy = \"{0}/copy\"\nallow_unsafe = true\n"
                               "[control]\nsocket = \"{0}/control.sock\"\nreaders = \"{1}\"\nadmins = \"{1}\"\n"
                               "[library.antwerp]\nbase_url = \"https://api.example.com\"\nclient_id = \"x\"\n"
                               "client_secret = {{ file = \"{0}/secret\" }}\n"
                               "[resource.recipes]\npath = \"/recipes/\"\nevery = \"1h\"\n",
                               directory.path(), readers));
        for (const auto* place : {"tokens", "tokens/antwerp", "copy", "copy/antwerp"}) {
            set_mode(place, 0700);
        }
        set_mode("mirrors", 02750);
        set_mode("mirrors/antwerp", 02750);
        load(R"({"id": 1})");
    }

    void set_mode(const std::string& name, mode_t mode) { REQUIRE(::chmod((directory / name).c_str(), mode) == 0); }
    mode_t mode_of(const std::string& name) const
    {
        struct stat found {};
        REQUIRE(::stat((directory / name).c_str(), &found) == 0);
        return found.st_mode & 07777;
    }
    ExitCode run()
    {
        captured.out.clear();
        return run_doctor(context());
    }
    bool says(const std::string& part) const { return captured.out.find(part) != std::string::npos; }
};

TEST_CASE("the doctor finds no wrong right in a tree as the daemon makes it")
{
    DoctorBench bench;
    bench.command.all = true;
    bench.run();
    INFO(bench.captured.out);
    for (const auto* check : {"token directories", "mirror directories", "mirror files", "secret files"}) {
        INFO(check);
        CHECK(bench.says(fmt::format("ok      {}: owner, group and mode are as they must be\n", check)));
    }
    CHECK(bench.says("ok      orphans"));
    CHECK(bench.says("ok      configuration"));
    CHECK(bench.says("warning daemon: no daemon can be reached"));
}

TEST_CASE("every fault that is planted in a tree is found, --fix mends modes and says so, and leaves the rest")
{
    DoctorBench bench;
    bench.set_mode("tokens", 0755);
    bench.set_mode("tokens/antwerp/journal.a", 0644);
    bench.set_mode("mirrors", 0755);
    bench.set_mode("mirrors/antwerp/antwerp.db", 0600);
    bench.set_mode("secret", 0644);
    fs::create_directories(bench.directory / "mirrors/ghent");
    fs::create_directories(bench.directory / "tokens/bruges");
    write_file(bench.directory / "mirrors/antwerp/antwerp.db.walk-gone", "x");
    write_file(bench.directory / "mirrors/antwerp/antwerp.db.broken-2026", "x", 0640);
    CHECK(bench.run() == ExitCode::needs_person);
    INFO(bench.captured.out);
    CHECK(bench.says("tokens has mode 0755, must have 0700"));
    CHECK(bench.says("journal.a has mode 0644, must have 0600"));
    CHECK(bench.says("mirrors has mode 0755, must have 2750"));
    CHECK(bench.says("antwerp.db has mode 0600, must have 0640"));
    CHECK(bench.says("secret has mode 0644, must have 0640"));
    CHECK(bench.says("fills these mirrors: " + (bench.directory / "mirrors/ghent")));
    CHECK(bench.says("uses these token sets: " + (bench.directory / "tokens/bruges")));
    CHECK(bench.says("antwerp.db.walk-gone"));
    CHECK(bench.says("antwerp.db.broken-2026"));
    CHECK(bench.says("are on one disk"));
    CHECK(bench.mode_of("tokens") == 0755);  // nothing is changed without --fix

    bench.command.care.fix = true;
    bench.run();
    CHECK(bench.says("mended: mode of " + (bench.directory / "tokens") + ": 0755 -> 0700\n"));
    CHECK(bench.mode_of("tokens") == 0700);
    CHECK(bench.mode_of("tokens/antwerp/journal.a") == 0600);
    CHECK(bench.mode_of("mirrors") == 02750);
    CHECK(bench.mode_of("mirrors/antwerp/antwerp.db") == 0640);
    CHECK(bench.mode_of("secret") == 0640);
    CHECK(!bench.says("must have"));
    CHECK(bench.says("not fixed: "));
    CHECK(bench.says("orphans: "));
    CHECK(fs::exists(bench.directory / "mirrors/antwerp/antwerp.db.broken-2026"));
    CHECK(fs::exists(bench.directory / "tokens/bruges"));
    CHECK(read_file(bench.directory / "tokens/antwerp/journal.a") == "planted-token");

    bench.run();
    CHECK(bench.says("nothing to mend"));
}

TEST_CASE("doctor --fix follows no link and changes no file that has a second name")
{
    DoctorBench bench;
    write_file(bench.directory / "elsewhere", "x", 0644);
    fs::remove(bench.directory / "tokens/antwerp/journal.a");
    fs::create_symlink(bench.directory / "elsewhere", bench.directory / "tokens/antwerp/journal.a");
    write_file(bench.directory / "other", "x", 0644);
    fs::create_hard_link(bench.directory / "other", bench.directory / "tokens/antwerp/journal.b");
    bench.command.care.fix = true;
    bench.run();
    INFO(bench.captured.out);
    CHECK(bench.mode_of("elsewhere") == 0644);
    CHECK(bench.mode_of("other") == 0644);
    CHECK(bench.says("journal.b has mode 0644, must have 0600"));
}

TEST_CASE(
    "a directory of the configuration that is a link is judged by where it leads, and not mended through the link")
{
    DoctorBench bench;
    fs::rename(bench.directory / "tokens", bench.directory / "real");
    fs::create_symlink(bench.directory / "real", bench.directory / "tokens");
    bench.command.care.fix = true;
    bench.run();
    CHECK(bench.says("nothing to mend"));
    bench.set_mode("real", 0755);
    bench.run();
    INFO(bench.captured.out);
    CHECK(bench.says("not mended: mode of " + (bench.directory / "tokens") + ": 0755 -> 0700: it is a link\n"));
    CHECK(bench.mode_of("real") == 0755);
}

TEST_CASE("as JSON the doctor gives each check, what was mended, the readers, and the exit code")
{
    DoctorBench bench;
    bench.set_mode("mirrors/antwerp/antwerp.db", 0600);
    bench.command.care.fix = true;
    bench.command.output = Output::json;
    const auto code = bench.run();
    const auto all = json::parse(bench.captured.out).as_object();
    CHECK(all.at("exit_code").as_int64() == number_of(code));
    CHECK(all.at("checks").as_array().size() > 15);
    CHECK(all.at("checks").as_array().front().as_object().at("verdict").is_string());
    REQUIRE(all.at("mended").as_array().size() == 1);
    CHECK(all.at("mended").as_array().front().as_object().at("trouble").as_string().empty());
    REQUIRE(all.at("readers").as_array().size() == 1);
    CHECK(all.at("readers").as_array().front().as_object().at("library").as_string() == "antwerp");
}

TEST_CASE("a configuration with faults is reported, and the rest is checked as far as it goes")
{
    DoctorBench bench;
    write_file(bench.command.config_file, "[library.antwerp]\nbase_ulr = \"x\"\n");
    CHECK(bench.run() == ExitCode::needs_person);
    INFO(bench.captured.out);
    CHECK(bench.says("base_ulr"));
    CHECK(bench.says("unknown storage: nothing that the configuration names was checked"));
    CHECK(bench.says("time zones"));
}

}  // namespace
}  // namespace shelfd::ctl
