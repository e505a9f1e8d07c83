// Renames that follow each other while no daemon runs: the token set is never lost from sight.
#include "ctl/library/former_name.hpp"

#include "ctl/library/library_verbs.hpp"
#include "ctl/verb_bench.hpp"
#include "support/catch.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <utility>

namespace shelfd::ctl {
namespace {

namespace fs = std::filesystem;

bool holds(const std::string& text, const std::string& part)
{
    return text.find(part) != std::string::npos;
}

// A configuration with [library.antwerp], of which a token set and a mirror are kept; no daemon runs.
struct KeptBench : VerbBench {
    KeptBench()
    {
        write_file(
            command.config_file,
            fmt::format("[service]\nbase_url = \"https://api.example.com\"\n"
                        "[resource.recipes]\npath = \"/api/v2/library/recipes/\"\nevery = \"15m\"\n"
                        "[storage]\ntokens = \"{0}/tokens\"\nmirrors = \"{0}/mirrors\"\n\n"
                        "[library.antwerp]\nclient_id = \"a\"\nclient_secret = {{ command = [\"/bin/true\"] }}\n",
                        directory.path()));
        keep("antwerp");
    }
    void keep(const std::string& library) const
    {
        fs::create_directories(directory / ("tokens/" + library));
        fs::create_directories(directory / ("mirrors/" + library));
    }
    // What the daemon does.
    void move(const std::string& from, const std::string& to) const
    {
        for (const std::string folder : {"tokens/", "mirrors/"}) {
            fs::rename(directory / (folder + from), directory / (folder + to));
        }
        write_file(directory / ("tokens/" + to + "/former_names"), from + "\n");
    }
    ExitCode rename(const std::string& from, const std::string& to)
    {
        command.library = from;
        command.life.new_name = to;
        captured.err.clear();
        return run_library_rename(context());
    }
    std::string configuration() const { return read_file(command.config_file); }
};

TEST_CASE("renamed twice without a daemon, a library knows the name under which everything is kept")
{
    KeptBench bench;
    CHECK(bench.rename("antwerp", "antwerpen") == ExitCode::done);
    CHECK(bench.rename("antwerpen", "anvers") == ExitCode::done);
    CHECK(holds(bench.configuration(), "[library.anvers]\nformerly = \"antwerp\"\n"));
    // Repeated, as after a kill, it changes nothing.
    CHECK(bench.rename("antwerpen", "anvers") == ExitCode::done);
    CHECK(holds(bench.configuration(), "formerly = \"antwerp\"\n"));
    CHECK(holds(bench.captured.out, "anvers takes over the stored data of antwerp, as before; nothing was changed"));
    // Back under the first name there is nothing to take over.
    CHECK(bench.rename("anvers", "antwerp") == ExitCode::done);
    CHECK(holds(bench.configuration(), "[library.antwerp]\n"));
    CHECK_FALSE(holds(bench.configuration(), "formerly"));
}

TEST_CASE("after a rename that the daemon has carried out, the next one begins at the present name")
{
    KeptBench bench;
    CHECK(bench.rename("antwerp", "antwerpen") == ExitCode::done);
    bench.move("antwerp", "antwerpen");
    CHECK(bench.rename("antwerpen", "anvers") == ExitCode::done);
    CHECK(holds(bench.configuration(), "formerly = \"antwerpen\"\n"));

    // The first name may have files of another library since.
    KeptBench other;
    CHECK(other.rename("antwerp", "antwerpen") == ExitCode::done);
    other.move("antwerp", "antwerpen");
    other.keep("antwerp");
    CHECK(other.rename("antwerpen", "anvers") == ExitCode::done);
    CHECK(holds(other.configuration(), "formerly = \"antwerpen\"\n"));
}

TEST_CASE("a library is not renamed while its former rename is half done, nor takes over two")
{
    KeptBench bench;
    CHECK(bench.rename("antwerp", "antwerpen") == ExitCode::done);
    fs::create_directories(bench.directory / "mirrors/antwerpen");
    const auto before = bench.configuration();
    CHECK(bench.rename("antwerpen", "anvers") == ExitCode::usage);
    CHECK(holds(bench.captured.err, "the rename from antwerp to antwerpen is not complete"));
    CHECK(bench.configuration() == before);

    KeptBench other;
    CHECK(other.rename("antwerp", "antwerpen") == ExitCode::done);
    other.keep("bruges");
    CHECK(other.rename("bruges", "antwerpen") == ExitCode::usage);
    CHECK(holds(other.captured.err, "antwerpen is to take over the stored data of antwerp"));
    CHECK(holds(other.configuration(), "formerly = \"antwerp\"\n"));
}

TEST_CASE("hooks follow a library through all its renames, in whatever file they are")
{
    KeptBench bench;
    write_file(bench.command.config_file, bench.configuration() +
                                              "# é\n[library.bruges]\nclient_id = \"b\"\nclient_secret "
                                              "= { command = [\"/bin/true\"] }\n");
    fs::create_directory(bench.directory / "conf.d");
    const auto file = bench.directory / "conf.d/hooks.toml";
    const auto hooks_of = [](const std::string& name) {
        return "[hooks.mail]\ncommand = [\"/bin/true\", \"antwerp\"]\nlibraries = [ 'bruges', \"" + name +
               "\" ]  # antwerp's owner\n";
    };
    write_file(file, hooks_of("antwerp"));
    // Without a daemon, which leaves everything under the first name.
    for (const auto& [from, to] : {std::pair("antwerp", "antwerpen"), std::pair("antwerpen", "anvers")}) {
        CHECK(bench.rename(from, to) == ExitCode::done);
        INFO(bench.captured.err);
        CHECK(read_file(file) == hooks_of(to));
    }
    bench.move("antwerp", "anvers");
    CHECK(bench.rename("anvers", "troi") == ExitCode::done);
    CHECK(read_file(file) == hooks_of("troi"));
    // A hook that a person wrote with the former name keeps no later rename from succeeding.
    write_file(file, hooks_of("anvers"));
    bench.move("anvers", "troi");
    CHECK(bench.rename("troi", "antwerp") == ExitCode::done);
    INFO(bench.captured.err);
    CHECK(read_file(file) == hooks_of("antwerp"));
}

TEST_CASE("a name that a library gave up is free for another one, once the rename is done")
{
    KeptBench bench;
    write_file(bench.command.config_file, bench.configuration() +
                                              "[library.bruges]\nclient_id = \"b\"\nclient_secret "
                                              "= { command = [\"/bin/true\"] }\n"
                                              "[hooks.mail]\ncommand = [\"/bin/true\"]\nlibraries = [\"antwerp\"]\n");
    bench.keep("bruges");
    // The two change their names.
    CHECK(bench.rename("antwerp", "tmp") == ExitCode::done);
    // Not before the daemon has moved everything.
    CHECK(bench.rename("bruges", "antwerp") == ExitCode::usage);
    CHECK(holds(bench.captured.err, "the rename from antwerp to tmp waits for the daemon, so antwerp is not free yet"));
    bench.move("antwerp", "tmp");
    CHECK(bench.rename("bruges", "antwerp") == ExitCode::done);
    INFO(bench.captured.err);
    CHECK(holds(bench.configuration(), "[library.antwerp]"));
    CHECK_FALSE(holds(bench.configuration(), "formerly = \"antwerp\""));
    CHECK(holds(bench.configuration(), "libraries = [\"tmp\"]"));
    bench.move("bruges", "antwerp");
    CHECK(bench.rename("tmp", "bruges") == ExitCode::done);
    INFO(bench.captured.err);
    CHECK_FALSE(holds(bench.configuration(), "formerly = \"bruges\""));
    CHECK(holds(bench.configuration(), "formerly = \"tmp\""));
    CHECK(holds(bench.configuration(), "libraries = [\"bruges\"]"));
}

TEST_CASE("a rename says what moves, and of a name under which nothing was ever kept it is refused")
{
    KeptBench bench;
    CHECK(bench.rename("antwerp", "antwerpen") == ExitCode::done);
    CHECK(holds(bench.captured.out,
                "antwerp is antwerpen in the configuration now; the daemon has not moved anything yet; no daemon"));
    bench.move("antwerp", "antwerpen");
    // Repeated, as after a kill.
    CHECK(bench.rename("antwerp", "antwerpen") == ExitCode::done);
    CHECK(holds(bench.captured.out, "antwerp was renamed to antwerpen, with the data that was stored of it before"));

    const auto before = bench.configuration();
    CHECK(bench.rename("antwrp", "antwerpen") == ExitCode::usage);
    CHECK(holds(bench.captured.err, "there is no library antwrp, and no data of one is stored"));
    CHECK(bench.configuration() == before);

    // An earlier one of its names is no mistake.
    CHECK(bench.rename("antwerpen", "anvers") == ExitCode::done);
    bench.move("antwerpen", "anvers");
    write_file(bench.directory / "tokens/anvers/former_names", "antwerp\nantwerpen\n");
    const auto now = bench.configuration();
    CHECK(bench.rename("antwerp", "anvers") == ExitCode::done);
    CHECK(bench.configuration() == now);

    KeptBench empty;
    fs::remove_all(empty.directory / "tokens/antwerp");
    fs::remove_all(empty.directory / "mirrors/antwerp");
    CHECK(empty.rename("antwerp", "antwerpen") == ExitCode::done);
    CHECK(holds(empty.captured.out, "antwerp was renamed to antwerpen, of which nothing is stored; "));
}

}  // namespace
}  // namespace shelfd::ctl
