#include "config/files.hpp"
#include "config/secrets/program_output.hpp"
#include "config/secrets/secret_source.hpp"

#include "support/catch.hpp"

#include <fcntl.h>
#include <string>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace shelfd;
using namespace shelfd::config;
using namespace std::chrono_literals;
using test::ConfigFiles;

namespace {

SecretReference in_file(const std::string& path)
{
    SecretReference reference;
    reference.kind = SecretReference::Kind::file;
    reference.path_or_name = path;
    return reference;
}

SecretReference in_credential(const std::string& name)
{
    SecretReference reference;
    reference.kind = SecretReference::Kind::credential;
    reference.path_or_name = name;
    return reference;
}

SecretReference from_command(std::vector<std::string> command)
{
    SecretReference reference;
    reference.kind = SecretReference::Kind::command;
    reference.command = std::move(command);
    return reference;
}

std::string error_of(const SecretReference& reference, const std::string& credentials = "")
{
    const auto secret = read_secret(reference, credentials);
    REQUIRE_FALSE(secret);
    CHECK(secret.error().text().find("hush") == std::string::npos);
    return secret.error().text();
}

}  // namespace

TEST_CASE("a secret is what its file holds, without what editors leave around it")
{
    struct Row {
        const char* name;
        std::string content;
        std::string secret;
    };
    const Row rows[] = {
        {"no newline", "hush", "hush"},
        {"one newline", "hush\n", "hush"},
        {"the newline of another system", "hush\r\n", "hush"},
        {"blanks around it", " hush \t", "hush"},
        {"a blank before the newline", "hush \r\n", "hush"},
        {"blanks behind the newline", "hush\n  ", "hush"},
        {"blanks within it", "hu sh", "hu sh"},
        {"a byte order mark", "\xef\xbb\xbfhush\r\n", "hush"},
        {"an empty line behind it", "hush\n\n", "hush"},
        {"a line of blanks behind it", "hush\n \n", "hush"},
        {"empty lines before it", "\xef\xbb\xbf\r\n \nhush\r\n\r\n", "hush"},
        {"the largest", std::string(65'536, 's'), std::string(65'536, 's')},
    };
    const ConfigFiles files;
    for (const auto& row : rows) {
        INFO(row.name);
        const auto secret = read_secret(in_file(files.write("secret", row.content)), "");
        REQUIRE(secret);
        CHECK((secret->reveal() == row.secret));
    }
}

TEST_CASE("content that can be no secret is refused without quoting it")
{
    struct Row {
        const char* name;
        std::string content;
        const char* says;
    };
    const Row rows[] = {
        {"nothing", "", "is empty"},
        {"a newline only", "\n", "is empty"},
        {"blanks only", " \t\n", "is empty"},
        {"a byte order mark only", "\xef\xbb\xbf", "is empty"},
        {"two lines", "hush\nhush\n", "more than one line"},
        {"two lines with an empty one between", "hush\n\nhush", "more than one line"},
        {"empty lines only", "\n \r\n\n", "is empty"},
        {"a zero byte", std::string("hush\0hush", 9), "zero byte"},
        {"too much", std::string(65'537, 's'), "64 KiB"},
    };
    const ConfigFiles files;
    for (const auto& row : rows) {
        INFO(row.name);
        const auto text = error_of(in_file(files.write("secret", row.content)));
        CHECK(text.find(row.says) != std::string::npos);
        CHECK(text.find(files.path("secret")) != std::string::npos);
    }
}

TEST_CASE("a secret's file that every user may read is refused, at load and at each reading")
{
    const ConfigFiles files;
    for (const unsigned mode : {0604u, 0644u, 0602u}) {
        const auto secret = files.write("secret", "hush", mode);
        INFO(mode);
        CHECK(error_of(in_file(secret)).find("chmod o-rwx " + secret) != std::string::npos);
        files.write("shelfd.toml",
                    "[application.a]\nclient_id = \"a\"\nclient_secret = { file = \"" + secret + "\" }\n");
        const auto outcome = files.load();
        REQUIRE(outcome.faults.size() == 1);
        CHECK(outcome.faults[0].position.line == 3);
        CHECK(outcome.faults[0].position.column == 26);
        CHECK(outcome.faults[0].text.find("chmod o-rwx " + secret) != std::string::npos);
    }
    CHECK(read_secret(in_file(files.write("secret", "hush", 0640)), ""));
}

TEST_CASE("what is no regular file is refused, and a pipe holds nobody up")
{
    const ConfigFiles files;
    CHECK(error_of(in_file(files.path("absent"))).find("No such file") != std::string::npos);
    CHECK(error_of(in_file("/usr")).find("Is a directory") != std::string::npos);
    files.write("x", "");
    REQUIRE(::mkfifo(files.path("pipe").c_str(), 0600) == 0);
    CHECK(error_of(in_file(files.path("pipe"))).find("not a regular file") != std::string::npos);
    files.write("credentials/other", "");
    REQUIRE(::mkfifo(files.path("credentials/pipe").c_str(), 0600) == 0);
    CHECK(error_of(in_credential("pipe"), files.path("credentials")).find("not a regular file") != std::string::npos);
}

TEST_CASE("a credential is read from the service manager's directory, and its absence explained")
{
    const ConfigFiles files;
    files.write("credentials/partner", "hush\n", 0644);  // the directory protects it
    const auto secret = read_secret(in_credential("partner"), files.path("credentials"));
    REQUIRE(secret);
    CHECK((secret->reveal() == "hush"));
    for (const auto& directory : {std::string(), files.path("credentials")}) {
        const auto text = error_of(in_credential("other"), directory);
        CHECK(text.find("LoadCredential=other:") != std::string::npos);
        CHECK(text.find("restart") != std::string::npos);
    }
}

TEST_CASE("a secret is what its command prints, run without a shell")
{
    const auto secret = read_secret(from_command({"/bin/echo", "$HOME", "a  b", ";exit 1"}), "");
    REQUIRE(secret);
    CHECK((secret->reveal() == "$HOME a  b ;exit 1"));
}

TEST_CASE("a command that fails gives no secret, whatever it printed")
{
    struct Row {
        const char* name;
        std::vector<std::string> command;
        const char* says;
    };
    const Row rows[] = {
        {"exit status", {"/bin/sh", "-c", "echo hush; exit 3"}, "exited with 3"},
        {"signal", {"/bin/sh", "-c", "echo hush; kill -9 $$"}, "was killed by signal 9"},
        {"not there", {"/nowhere/pass"}, "No such file"},
        {"not executable", {"/etc/passwd"}, "Permission denied"},
        {"prints nothing", {"/bin/true"}, "is empty"},
        {"prints too much", {"/usr/bin/head", "-c", "1000000", "/dev/zero"}, "64 KiB"},
    };
    for (const auto& row : rows) {
        INFO(row.name);
        CHECK(error_of(from_command(row.command)).find(row.says) != std::string::npos);
    }
}

TEST_CASE("a command that is not done in time is ended with its children")
{
    const std::vector<std::string> commands[] = {
        {"/usr/bin/tail", "-f", "/dev/null"},
        {"/bin/sh", "-c", "tail -f /dev/null & wait"},                 // a child holds the output open
        {"/bin/sh", "-c", "exec >/dev/null; exec tail -f /dev/null"},  // the output is closed, the program goes on
        {"/bin/sh", "-c", "tail -f /dev/null & exit 0"},               // the program is gone, its child is not
    };
    for (const auto& command : commands) {
        INFO(command.back());
        std::string output;
        const auto ran = read_program_output(command, 200ms, 100, output);
        REQUIRE_FALSE(ran);
        CHECK(ran.error().kind() == ErrorKind::timeout);
    }
}

TEST_CASE("a command inherits nothing it does not need")
{
    // A descriptor without O_CLOEXEC, as a careless library would leave one.
    const int careless = ::open("/dev/null", O_RDONLY);
    REQUIRE(careless > 2);
    ::setenv("SHELFD_TEST_LEAK", "hush", 1);
    std::string output;
    const auto ran = read_program_output(
        {"/bin/sh", "-c", "env | cut -d= -f1 | sort | tr '\\n' ' '; ls /proc/self/fd | wc -l"}, 10s, 1000, output);
    ::unsetenv("SHELFD_TEST_LEAK");
    ::close(careless);
    REQUIRE(ran);
    CHECK(output.find("SHELFD") == std::string::npos);
    CHECK(output.find("HOME LANG PATH") != std::string::npos);
    CHECK(output.ends_with(" 4\n"));  // standard input, output, error, and the directory `ls` reads
}

TEST_CASE("a program may open the usual number of files, however many we may open")
{
    rlimit ours{};
    REQUIRE(::getrlimit(RLIMIT_NOFILE, &ours) == 0);
    REQUIRE(ours.rlim_max > 2000);
    rlimit many = ours;
    many.rlim_cur = 2000;
    REQUIRE(::setrlimit(RLIMIT_NOFILE, &many) == 0);
    std::string output;
    // The limit is set once the program runs.
    const auto read = read_program_output({"/bin/sh", "-c", "sleep 0.3; ulimit -Sn"}, 10s, 100, output);
    ::setrlimit(RLIMIT_NOFILE, &ours);
    REQUIRE(read);
    CHECK(output == "1024\n");
}
