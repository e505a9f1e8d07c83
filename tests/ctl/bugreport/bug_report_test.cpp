#include "ctl/bugreport/bug_report.hpp"

#include "config/load.hpp"
#include "ctl/bugreport/redacted_configuration.hpp"
#include "ctl/bugreport/text_forms.hpp"
#include "ctl/mirror_bench.hpp"
#include "ctl/socket_server.hpp"
#include "ctl/survey/survey.hpp"
#include "support/catch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <vector>

#include <sys/stat.h>
#include <unistd.h>

namespace shelfd::ctl {
namespace {

// Everything that must not leave the machine; each is planted in every place where it may stand.
const std::vector<std::string> private_values = {"Xq7client-id-9k2",
                                                 "Zw4secret+of/oystercat=81",
                                                 "Hv6hook-secret-55",
                                                 "Rf8header-value-31",
                                                 "Pm3params-value-77",
                                                 "Vb2vars-value-64",
                                                 "Nt5note-for-zebra",
                                                 "Kc1contact@quagga.invalid",
                                                 "8123456789",
                                                 "Jk0access-token-aaaaaaaaaaaa",
                                                 "Ld9refresh-token-bbbbbbbbbb",
                                                 "Wilhelmina Vandenbroeck",
                                                 "wilhelmina@quagga.invalid",
                                                 "0470123456",
                                                 "Gx2path-of-hook-99",
                                                 "Bt7command-password",
                                                 "Yz6query-value-12"};

bool holds_ignoring_case(std::string text, std::string part)
{
    const auto small = [](unsigned char c) { return static_cast<char>(std::tolower(c)); };
    std::transform(text.begin(), text.end(), text.begin(), small);
    std::transform(part.begin(), part.end(), part.begin(), small);
    return text.find(part) != std::string::npos;
}

// The first part of eight characters of any form of any value that the text holds; "" if there is none.
std::string find_leak(const std::string& text)
{
    constexpr std::size_t part = 8;
    for (const auto& value : private_values) {
        for (const auto& form : forms_of(value)) {
            for (std::size_t at = 0; at + part <= form.size(); ++at) {
                if (holds_ignoring_case(text, form.substr(at, part))) {
                    return fmt::format("\"{}\" of \"{}\"", form.substr(at, part), value);
                }
            }
            if (form.size() < part && holds_ignoring_case(text, form)) {
                return form;
            }
        }
    }
    return "";
}

std::string all_values()
{
    return fmt::format("{}", fmt::join(private_values, " "));
}

std::string all_forms()
{
    std::string text;
    for (const auto& value : private_values) {
        text += fmt::format("{} {} {} ", fmt::join(forms_of(value), " "), value.substr(0, value.size() - 3),
                            value.substr(2));
    }
    return text;
}

std::string in_json(const std::string& text)
{
    std::string safe;
    for (const char c : text) {
        safe += c == '"' || c == '\\' ? std::string("\\") + c : std::string(1, c);
    }
    return safe;
}

struct ReportBench : MirrorBench {
    ReportBench()
    {
        write_file(directory / "client-secret", private_values[1] + "\n", 0640);
        write_file(directory / "hook-secret", private_values[2] + "\n", 0640);
        std::filesystem::create_directories(directory / "tokens/antwerp");
        write_file(directory / "tokens/antwerp/journal.a", all_values(), 0600);
        write_file(directory / "requests.log", all_values(), 0600);
        write_file(command.config_file, configuration());
        fill_mirror();
        write_journalctl();
    }

    std::string configuration() const
    {
        return fmt::format(
            "[storage]\nmirrors = \"{0}/mirrors\"\ntokens = \"{0}/tokens\"\nallow_unsafe = true\n"
            "[control]\nsocket = \"{0}/control.sock\"\n"
            "[service]\nbase_url = \"https://api.ostrich.test\"\ncontact = \"{8}\"\n"
            "params = {{ shop = \"{5}\" }}\nheaders = {{ X-Key = \"{4}\" }}\n"
            "[hooks.mail]\ncommand = [\"/bin/true\", \"{11}\"]\n"
            "[hooks.chat]\npost = \"https://chat.ostrich.test/{10}?k={12}\"\n"
            "headers = {{ Authorization = {{ file = \"{0}/hook-secret\" }}, X-Plain = \"{4}\" }}\n"
            "[library.antwerp]\nclient_id = \"{1}\"\nclient_secret = {{ file = \"{0}/client-secret\" }}\n"
            "library_id = {9}\nnote = \"{7} {13} {14} {15}\"\nvars = {{ who = \"{6}\" }}\n"
            "[resource.recipes]\npath = \"/api/recipes/\"\nparams = {{ mail = \"{12}\" }}\nevery = \"1h\"\n"
            "[resource.outlets]\npath = \"/api/outlets/\"\nevery = \"1h\"\n",
            directory.path(), private_values[0], private_values[1], private_values[2], private_values[3],
            private_values[4], private_values[5], private_values[6], private_values[7], private_values[8],
            private_values[14], private_values[15], private_values[16], private_values[11], private_values[12],
            private_values[13]);
    }

    // Rows, keys, errors, reasons, drift and changes hold all of them; a member's name, too.
    void fill_mirror()
    {
        load(fmt::format(R"({{"id": 1, "name": 5, "{}": 1, "Wilhelmina Vandenbroeck": 2}})", private_values[12]));
        load(fmt::format(R"({{"id": 1, "name": "{}"}})", in_json(all_values())));
        const auto error = fmt::format("the service said {} and \"{}\" to /api/recipes/?q={}", all_forms(), all_forms(),
                                       private_values[16]);
        REQUIRE(mirror->record_run({.run_id = "r9", .resource = "recipes", .error = error}));
        REQUIRE(mirror->set_state("outlets", {.blocked = mirror::Blocked::forbidden, .why = error}));
    }

    void write_journalctl()
    {
        write_file(directory / "journalctl",
                   "#!/bin/sh\ncat <<'END'\n"
                   R"({"__REALTIME_TIMESTAMP":"1704520800000000","PRIORITY":"4","SHELFD_LIBRARY":"antwerp",)" +
                       fmt::format(R"("SHELFD_RESOURCE":"{}","MESSAGE":"a request failed: {}"}})", private_values[12],
                                   in_json(all_forms())) +
                       "\nEND\n",
                   0700);
    }

    std::string status() const
    {
        const auto text = in_json("the service said " + all_forms());
        return fmt::format(
            R"({{"format_version":1,"version":"0.1.0","now":"2024-01-06T12:00:00Z","headline":"{0}",)"
            R"("notices":[{{"text":"{0}","do_this":"{0}"}}],)"
            R"("libraries":[{{"name":"antwerp","state":"needs_person","origin":"https://api.ostrich.test",)"
            R"("library_id":"{1}","note":"{0}","mirror":"{0}",)"
            R"("repairs":[{{"at":"2024-01-06T11:00:00Z","file":"{0}","found":"{0}","done":"{0}","aside":"{0}"}}],)"
            R"("token":{{"state":"lost","reason":"{0}","do_this":"{0}","facts":[{{"name":"{0}","value":"{0}"}}]}},)"
            R"("resources":[{{"name":"recipes","state":"late","why":"{0}","rows":3,)"
            R"("last_run":{{"mode":"full","result":"failed","error":"{0}"}}}}]}}]}})",
            text, private_values[8]);
    }

    std::string report(Hosts hosts)
    {
        const auto facts = survey(context());
        INFO(fmt::format("{}", fmt::join(facts.config.faults, "\n")));
        REQUIRE(facts.configuration() != nullptr);
        ReportSources sources;
        sources.status = status();
        sources.log.program = directory / "journalctl";
        return bug_report(facts, sources, make_redactor(facts.configuration(), hosts));
    }
};

TEST_CASE("no form and no part of a private value is in a bug report, wherever it was planted")
{
    ReportBench bench;
    const auto planted =
        bench.status() + bench.configuration() + read_file(bench.directory / "journalctl") + read_file(bench.file());
    CHECK(!find_leak(planted).empty());
    for (const auto hosts : {Hosts::numbered, Hosts::kept}) {
        const auto text = bench.report(hosts);
        INFO(text);
        CHECK(find_leak(text) == "");
    }
}

TEST_CASE("a bug report says what developers need: versions, findings, configuration, states, failures, columns, log")
{
    ReportBench bench;
    const auto text = bench.report(Hosts::numbered);
    INFO(text);
    for (const std::string part :
         {"== versions\nshelfctl 0.1.0\n", "== doctor\n", "== configuration\n", "[library.antwerp]",
          "client_id = \"…\"", "client_secret = { file = \"…\" }", "base_url = \"https://host-",
          "path = \"/api/recipes/\"", "== status\n", "recipes: late, 3 rows", "why: the service said …", "== mirrors\n",
          "full, 0 requests, 0 pages: the service said", "name/integer[1 items text]",
          "== log\n2024-01-06T06:00:00Z 4 antwerp …: a request failed: …"}) {
        INFO(part);
        CHECK(text.find(part) != std::string::npos);
    }
    CHECK(text.find("ostrich") == std::string::npos);
    CHECK(bench.report(Hosts::kept).find("base_url = \"https://api.ostrich.test\"") != std::string::npos);
}

TEST_CASE("a report of a configuration with faults holds no private value either")
{
    ReportBench bench;
    write_file(bench.command.config_file,
               bench.configuration() + "[library.ghent]\nclient_idd = \"" + private_values[0] + "\"\n");
    const auto facts = survey(bench.context());
    CHECK(facts.configuration() == nullptr);
    ReportSources sources;
    sources.status = bench.status();
    sources.log.program = bench.directory / "journalctl";
    const auto text = bug_report(facts, sources, make_redactor(nullptr, Hosts::numbered));
    INFO(text);
    CHECK(find_leak(text) == "");
    CHECK(text.find("fault: ") != std::string::npos);
}

TEST_CASE("the report is written into a new file that only its owner may read, and replaces none")
{
    ReportBench bench;
    bench.command.care.report_file = bench.directory / "report.txt";
    CHECK(run_bugreport(bench.context()) == ExitCode::done);
    struct stat found {};
    REQUIRE(::stat((bench.directory / "report.txt").c_str(), &found) == 0);
    CHECK((found.st_mode & 07777) == 0600);
    const auto text = read_file(bench.directory / "report.txt");
    CHECK(find_leak(text) == "");
    CHECK(text.find("== mirrors") != std::string::npos);
    CHECK(bench.captured.out.find("report.txt was written, ") != std::string::npos);
    CHECK(run_bugreport(bench.context()) == ExitCode::usage);
    CHECK(bench.captured.err.find("is there already; name another file") != std::string::npos);
    bench.command.care.report_file = "-";
    bench.captured.out.clear();
    CHECK(run_bugreport(bench.context()) == ExitCode::done);
    CHECK(bench.captured.out.find("== versions") != std::string::npos);
    CHECK(find_leak(bench.captured.out) == "");
    bench.command.care.report_file = bench.directory / "none/report.txt";
    CHECK(run_bugreport(bench.context()) != ExitCode::done);
    CHECK(bench.captured.err.find("name a file that you may write: shelfctl bugreport FILE") != std::string::npos);
}

TEST_CASE("the token of control.listen and its place are not in a report")
{
    ReportBench bench;
    write_file(bench.directory / "scrape-token-7d1f", "planted-scrape-token\n", 0600);
    auto configuration = bench.configuration();
    const std::string socket = "/control.sock\"\n";
    configuration.insert(configuration.find(socket) + socket.size(),
                         fmt::format("listen = \"127.0.0.1:9909\"\nlisten_token = {{ file = \"{}\" }}\n",
                                     bench.directory / "scrape-token-7d1f"));
    write_file(bench.command.config_file, configuration);
    write_file(bench.directory / "journalctl",
               "#!/bin/sh\necho '{\"__REALTIME_TIMESTAMP\":\"1704520800000000\",\"PRIORITY\":\"4\","
               "\"MESSAGE\":\"planted-scrape-token\"}'\n",
               0700);
    const auto text = bench.report(Hosts::numbered);
    INFO(text);
    CHECK(text.find("listen_token = { file = \"…\" }") != std::string::npos);
    CHECK(text.find("7d1f") == std::string::npos);
    CHECK(text.find("planted-scrape") == std::string::npos);
}

}  // namespace
}  // namespace shelfd::ctl
