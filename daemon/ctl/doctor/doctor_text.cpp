#include "ctl/doctor/doctor_text.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <fmt/format.h>

#include <algorithm>

namespace shelfd::ctl {
namespace {

namespace json = boost::json;

// Who may read what is shown although it is ok: only a person knows whether it is as intended.
constexpr std::string_view always_listed = "readers";

Colour colour_of(Verdict verdict)
{
    switch (verdict) {
    case Verdict::fault: return Colour::red;
    case Verdict::warning: return Colour::yellow;
    case Verdict::ok: return Colour::green;
    default: return Colour::dim;
    }
}

std::size_t count(const Findings& findings, Verdict verdict)
{
    return static_cast<std::size_t>(
        std::count_if(findings.begin(), findings.end(), [&](const auto& one) { return one.verdict == verdict; }));
}

std::string counted(std::size_t number, const char* one, const char* many)
{
    return fmt::format("{} {}", number, number == 1 ? one : many);
}

std::string headline(const Findings& findings)
{
    return fmt::format("{}, {}, {}, {} unknown, {} ok", counted(count(findings, Verdict::fault), "fault", "faults"),
                       counted(count(findings, Verdict::warning), "warning", "warnings"),
                       fmt::format("{} advice", count(findings, Verdict::advice)), count(findings, Verdict::unknown),
                       count(findings, Verdict::ok));
}

// Further lines stand below the first.
std::string indented_lines(const std::string& text)
{
    std::string indented;
    for (const char c : text) {
        indented += c == '\n' ? "\n        " : std::string(1, c);
    }
    return indented;
}

// "orphans, WAL": the checks that passed, each once.
std::string passed_checks(const Findings& findings)
{
    std::vector<std::string> names;
    for (const auto& finding : findings) {
        const bool is_folded = finding.verdict == Verdict::ok && finding.name != always_listed;
        if (is_folded && std::find(names.begin(), names.end(), finding.name) == names.end()) {
            names.push_back(finding.name);
        }
    }
    return fmt::format("{}", fmt::join(names, ", "));
}

std::string mend_lines(const Findings& findings, const std::vector<Mended>& mended)
{
    std::string text;
    for (const auto& one : mended) {
        text += one.trouble.empty() ? fmt::format("mended: {}\n", one.text)
                                    : fmt::format("not mended: {}: {}\n", one.text, one.trouble);
    }
    const auto left = count(findings, Verdict::fault) + count(findings, Verdict::warning);
    if (!mended.empty() && left > 0) {
        text += fmt::format("not fixed: {}; --fix changes only modes and groups of files that belong to shelfd\n",
                            counted(left, "finding", "findings"));
    }
    return text.empty() ? text : text + "\n";
}

}  // namespace

StyledText doctor_text(const Findings& findings, const std::vector<Mended>& mended, Passed passed,
                       const Terminal& terminal)
{
    StyledText text(mend_lines(findings, mended) + headline(findings) + "\n");
    for (const auto& finding : findings) {
        const bool is_shown =
            finding.verdict != Verdict::ok || passed == Passed::listed || finding.name == always_listed;
        if (!is_shown) {
            continue;
        }
        text += terminal.paint(colour_of(finding.verdict), fmt::format("{:<8}", to_string(finding.verdict)));
        text += StyledText(fmt::format("{}: {}\n", finding.name, finding.text));
        if (!finding.do_this.empty()) {
            text += StyledText(fmt::format("        do this: {}\n", indented_lines(finding.do_this)));
        }
    }
    if (const auto names = passed_checks(findings); passed == Passed::folded && !names.empty()) {
        text += terminal.paint(Colour::green, fmt::format("{:<8}", to_string(Verdict::ok)));
        text += StyledText(names + "\n");
    }
    return text;
}

std::string doctor_json(const Findings& findings, const std::vector<Mended>& mended,
                        const std::vector<MirrorReaders>& readers)
{
    json::array checks;
    for (const auto& one : findings) {
        checks.push_back(json::object{{"check", one.name},
                                      {"verdict", to_string(one.verdict)},
                                      {"text", one.text},
                                      {"do_this", one.do_this},
                                      {"mendable", one.mendable}});
    }
    json::array mends;
    for (const auto& one : mended) {
        mends.push_back(json::object{{"path", one.path}, {"text", one.text}, {"trouble", one.trouble}});
    }
    json::array who;
    for (const auto& one : readers) {
        who.push_back(json::object{{"library", one.library},
                                   {"group", one.group},
                                   {"configured", json::array(one.configured.begin(), one.configured.end())},
                                   {"users", json::array(one.users.begin(), one.users.end())},
                                   {"everybody", one.everybody}});
    }
    const json::object all{{"format_version", 1},
                           {"exit_code", number_of(exit_code_of(findings))},
                           {"checks", std::move(checks)},
                           {"mended", std::move(mends)},
                           {"readers", std::move(who)}};
    return json::serialize(all) + "\n";
}

}  // namespace shelfd::ctl
