#include "ctl/moves/move_all.hpp"

#include "config/check/values.hpp"
#include "ctl/context/ending_signals.hpp"
#include "ctl/daemon/answer.hpp"
#include "ctl/daemon/json_reader.hpp"
#include "ctl/moves/libraries_here.hpp"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace shelfd::ctl {
namespace {

namespace json = boost::json;

// The member "library" of a line of move-out, found without a copy of the line, which holds tokens; "" = none.
std::string library_in(std::string_view line)
{
    constexpr std::string_view name = "\"library\"";
    for (auto at = line.find(name); at != line.npos; at = line.find(name, at + 1)) {
        auto rest = line.substr(at + name.size());
        const auto skip = [&rest] { rest.remove_prefix(std::min(rest.find_first_not_of(" \t"), rest.size())); };
        skip();
        if ((at > 0 && line[at - 1] == '\\') || !rest.starts_with(':')) {
            continue;  // within a text
        }
        rest.remove_prefix(1);
        skip();
        const auto end = rest.find('"', 1);
        const auto value = rest.starts_with('"') && end != rest.npos ? rest.substr(1, end - 1) : std::string_view();
        return config::is_name(value) ? std::string(value) : "";
    }
    return "";
}

// Imports what move-out --all printed, line by line. A line that fails stops no other.
class MoveInOfAll {
public:
    explicit MoveInOfAll(const Context& context) : context_(context) {}

    ExitCode run()
    {
        auto given = read();
        if (!given) {
            return fail(context_, given.error());
        }
        const auto status = libraries_here(context_, code_);
        if (!status) {
            return code_;
        }
        auto rest = given->reveal();
        while (!rest.empty()) {
            const auto line = rest.substr(0, rest.find('\n'));
            rest.remove_prefix(std::min(line.size() + 1, rest.size()));
            ++number_;
            if (line.find_first_not_of(" \t\r") != line.npos && !take(line, *status)) {
                return code_;
            }
        }
        return code_;
    }

private:
    Result<Secret> read() const
    {
        const EndingSignals caught;
        auto given = context_.read_input("Paste what move-out --all printed, then an empty line; it is not shown:\n",
                                         "no token set was given: paste what move-out printed, or redirect it: < FILE");
        if (!given && was_interrupted()) {
            context_.terminal.complain(
                "interrupted; no token set was taken; to try again: shelfctl auth move-in --all");
        }
        return given;
    }
    // False: go no further.
    bool take(std::string_view line, const StatusView& status)
    {
        const auto library = library_in(line);
        if (library.empty()) {
            refuse("", Error(ErrorKind::usage,
                             fmt::format("line {} was not written by shelfctl auth move-out, or its end is missing; "
                                         "repeat move-out --all on the other machine, it prints the same sets again",
                                         number_)));
            return true;
        }
        if (const auto refusal = why_unknown(library, status)) {
            refuse(library, *refusal);
            return true;
        }
        if (has_set(library, status)) {
            skip(library);
            return true;
        }
        const auto answer = client_of(context_).post("/v1/auth/move-in?library=" + library, Secret(std::string(line)));
        if (!answer) {
            context_.terminal.complain(
                fmt::format("stopped at {0}; see: shelfctl auth status {0}; the same input again "
                            "continues, and skips what is here",
                            library));
            code_ = fail_without_daemon(context_, answer.error());
            return false;
        }
        json::object report;
        if (const auto checked = answer->check(); !checked) {
            refuse(library, checked.error());
        } else if (const auto code = read_answer(context_, answer, report); code != ExitCode::done) {
            code_ = code;
        } else {
            taken_.insert(library);
            tell(library, report);
        }
        return true;
    }

    static std::optional<Error> why_unknown(const std::string& library, const StatusView& status)
    {
        if (std::find(status.absent.begin(), status.absent.end(), library) != status.absent.end()) {
            return Error(ErrorKind::needs_person, "it is configured, but not running; see: shelfctl status");
        }
        const bool is_known = std::any_of(status.libraries.begin(), status.libraries.end(),
                                          [&](const auto& one) { return one.name == library; });
        if (is_known) {
            return std::nullopt;
        }
        return Error(
            ErrorKind::usage,
            fmt::format(
                "no library has this name here: add [library.{0}] to the configuration, or type: "
                "shelfctl library add {0} --no-set; then the same input again, which skips what is "
                "here; if the library has another name here, give its line alone to: shelfctl auth move-in NAME",
                library));
    }

    // A set that works is not replaced: the line may be older than it, as when the same input is given again.
    bool has_set(const std::string& library, const StatusView& status) const
    {
        return taken_.contains(library) ||
               std::any_of(status.libraries.begin(), status.libraries.end(), [&](const auto& one) {
                   const auto state = one.token.state;
                   return one.name == library && (state == TokenState::good || state == TokenState::refreshing ||
                                                  state == TokenState::waiting);
               });
    }

    void tell(const std::string& library, const json::object& report) const
    {
        if (context_.command.output != Output::json) {
            context_.terminal.print(fmt::format("{}: {}\n", library, JsonReader(report).text("text")));
            return;
        }
        json::object line{{"library", library}};
        for (const auto& member : report) {
            line[member.key()] = member.value();
        }
        context_.terminal.print_json(json::serialize(line) + "\n");
    }

    void skip(const std::string& library) const
    {
        const auto why = fmt::format(
            "it has a token set that works here; to replace that one, give its line alone to: shelfctl auth move-in {}",
            library);
        if (context_.command.output == Output::json) {
            tell(library, json::object{{"skipped", why}});
        } else {
            context_.terminal.complain(fmt::format("{}: skipped, {}", library, why));
        }
    }

    void refuse(const std::string& library, const Error& why)
    {
        if (context_.command.output == Output::json && !library.empty()) {
            tell(library, json::object{{"error", why.text()}});
        }
        code_ = fail(
            context_,
            Error(why.kind(), library.empty() ? why.text() : fmt::format("{}: not moved in, {}", library, why.text())));
    }

    const Context& context_;
    ExitCode code_ = ExitCode::done;
    std::size_t number_ = 0;  // of the line
    std::set<std::string> taken_;
};

}  // namespace

ExitCode move_in_all(const Context& context)
{
    return MoveInOfAll(context).run();
}

}  // namespace shelfd::ctl
