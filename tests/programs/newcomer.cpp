#include "newcomer.hpp"

#include <filesystem>

#include <unistd.h>

namespace shelfd {

namespace fs = std::filesystem;

Newcomer::Newcomer()
{
    fs::create_directory(home / "run");
}

std::vector<std::string> Newcomer::init_of(Site& site) const
{
    const auto customer = site.service().world()->library("lib01");
    write_file(home / "secret", customer.client_secret + "\n");
    return {"init",          site.service().url(), "--client-id", customer.client_id, "--client-secret-file",
            home / "secret", "--library",          "antwerp",     "--allow-unsafe"};
}

std::map<std::string, std::string> Newcomer::environment() const
{
    auto variables = clean_environment();
    variables["HOME"] = home.path();
    variables["XDG_RUNTIME_DIR"] = home / "run";
    variables["PATH"] = "/usr/bin:/bin";
    return variables;
}

Ran Newcomer::ctl(const std::vector<std::string>& arguments, const std::string& input)
{
    std::vector<std::string> line = {built_program("shelfctl")};
    if (arguments.front() != "try") {
        line.insert(line.end(), {"--config", config_file()});
    }
    line.insert(line.end(), arguments.begin(), arguments.end());
    auto ran = run_program(line, environment(), input);
    printed += ran.out + ran.err;
    return ran;
}

std::vector<std::string> Newcomer::without_root()
{
    return geteuid() != 0
               ? std::vector<std::string>()
               : std::vector<std::string>{"/usr/bin/unshare", "--user", "--map-user=1000", "--map-group=1000", "--"};
}

Ran Newcomer::ctl_without_root(const std::vector<std::string>& arguments, const std::string& input)
{
    auto line = without_root();
    line.push_back(built_program("shelfctl"));
    line.insert(line.end(), arguments.begin(), arguments.end());
    auto ran = run_program(line, environment(), input);
    printed += ran.out + ran.err;
    return ran;
}

std::vector<std::string> Newcomer::files_with(const std::string& text) const
{
    std::vector<std::string> found;
    for (const auto& entry : fs::recursive_directory_iterator(home.path())) {
        if (entry.is_regular_file() && read_file(entry.path().string()).find(text) != std::string::npos) {
            found.push_back(entry.path().string());
        }
    }
    return found;
}

std::vector<std::string> init_line(const Newcomer& person, Site& site)
{
    std::vector<std::string> line = {built_program("shelfctl"), "--config", person.config_file()};
    const auto words = person.init_of(site);
    line.insert(line.end(), words.begin(), words.end());
    return line;
}

std::size_t processes_with(const std::string& text)
{
    std::size_t found = 0;
    for (const auto& entry : fs::directory_iterator("/proc")) {
        found += read_file(entry.path().string() + "/cmdline").find(text) != std::string::npos ? 1 : 0;
    }
    return found;
}

}  // namespace shelfd
