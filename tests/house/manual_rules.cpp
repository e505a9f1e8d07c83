#include "house/manual_rules.hpp"

#include "house/source_tree.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <regex>
#include <string>
#include <string_view>

namespace shelfd::house {
namespace {

namespace fs = std::filesystem;

const char* const pages = "contrib/man";
const char* const daemon_page = "contrib/man/shelfd.8";
const char* const routes_file = "daemon/control/api/api.cpp";

bool begins_with_one_of(const std::string& line, const std::vector<std::string_view>& macros)
{
    return std::any_of(macros.begin(), macros.end(), [&](std::string_view macro) {
        return line.starts_with(macro) && (line.size() == macro.size() || line[macro.size()] == ' ');
    });
}

bool ends_a_sentence(std::string_view line)
{
    if (line.ends_with(')')) {
        line.remove_suffix(1);
    }
    return line.ends_with('.') || line.ends_with(':') || line.ends_with('?');
}

struct Request {
    std::string right;
    std::size_t line = 0;  // 1-based
};

using Requests = std::map<std::string, Request>;  // by "GET /v1/status"

Requests requests_of(const SourceFile& source)
{
    static const std::regex route(R"re(\{"(GET|POST)", "([^"]+)", Right::(look|act),)re");
    Requests requests;
    for (std::size_t i = 0; i < source.lines.size(); ++i) {
        std::smatch match;
        if (std::regex_search(source.lines[i], match, route)) {
            requests[match[1].str() + " " + match[2].str()] = {match[3] == "look" ? "readers" : "admins", i + 1};
        }
    }
    return requests;
}

Requests requests_of_page(const SourceFile& page)
{
    static const std::regex request(R"re(Li "((?:GET|POST) [^"?]+)(\?[^"]*)?")re");
    const std::string heading = ".Ss Requests of ";
    Requests requests;
    std::string right;
    for (std::size_t i = 0; i < page.lines.size(); ++i) {
        const auto& line = page.lines[i];
        if (begins_with_one_of(line, {".Ss", ".Sh"})) {
            right = line.starts_with(heading) ? line.substr(heading.size()) : "";
        } else if (!right.empty() && line.starts_with(".It ")) {
            for (std::sregex_iterator at(line.begin(), line.end(), request), end; at != end; ++at) {
                requests[(*at)[1]] = {right, i + 1};
            }
        }
    }
    return requests;
}

void check_sentences(const SourceFile& page, std::vector<Finding>& findings)
{
    bool is_literal = false;
    for (std::size_t i = 1; i < page.lines.size(); ++i) {
        const auto& before = page.lines[i - 1];
        const auto& line = page.lines[i];
        const bool must_end = begins_with_one_of(line, {".Bl", ".Bd", ".Pp", ".Ss", ".Sh"});
        const bool is_prose = !before.starts_with('.') || begins_with_one_of(before, {".Ql", ".Xr", ".Sx"});
        if (must_end && is_prose && !is_literal && !before.empty() && !ends_a_sentence(before)) {
            findings.push_back({page.path, i, fmt::format("the sentence has no end: {}", before)});
        }
        is_literal = line.starts_with(".Bd") || (is_literal && !line.starts_with(".Ed"));
    }
}

}  // namespace

std::vector<Finding> sentence_findings(const fs::path& root)
{
    std::vector<Finding> findings;
    for (const auto& page : read_tree(root, pages)) {
        check_sentences(page, findings);
    }
    return findings;
}

std::vector<Finding> request_findings(const fs::path& root)
{
    std::vector<Finding> findings;
    const auto page = read_source(root, daemon_page);
    if (!page.readable) {
        return findings;
    }
    auto answered = requests_of(read_source(root, routes_file));
    for (const auto& [request, listed] : requests_of_page(page)) {
        const auto found = answered.find(request);
        if (found == answered.end()) {
            findings.push_back({daemon_page, listed.line, fmt::format("the daemon does not answer {}", request)});
            continue;
        }
        if (found->second.right != listed.right) {
            findings.push_back(
                {daemon_page, listed.line, fmt::format("{} is a request of {}", request, found->second.right)});
        }
        answered.erase(found);
    }
    for (const auto& [request, route] : answered) {
        findings.push_back({routes_file, route.line, fmt::format("shelfd(8) does not list {}", request)});
    }
    return findings;
}

std::size_t count_requests(const fs::path& root)
{
    return requests_of_page(read_source(root, daemon_page)).size();
}

}  // namespace shelfd::house
