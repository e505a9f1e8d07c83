#include "ctl/status/progress.hpp"

#include "base/words/names.hpp"
#include "ctl/daemon/client.hpp"
#include "ctl/daemon/json_reader.hpp"
#include "ctl/daemon/line_stream.hpp"
#include "ctl/status/status_text.hpp"
#include "ctl/status/status_view.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <fmt/core.h>

#include <string>
#include <vector>

namespace shelfd::ctl {
namespace {

namespace json = boost::json;

constexpr Duration line_interval = std::chrono::seconds(10);
constexpr Duration long_silence = std::chrono::seconds(20);

std::string ended_text(const std::string& who, const control::RunReport& run)
{
    if (run.result != control::RunResult::published) {
        // The reason follows at the end, once for all tables that share it.
        return fmt::format("{}: {}\n", who, to_string(run.result));
    }
    return fmt::format("{}: {} rows, {} added, {} changed, {} deleted; {} in {}\n", who, run.rows, run.added,
                       run.changed, run.deleted, requests_text(run.requests),
                       describe_duration(run.finished - run.started));
}

// `folded`: as the daemon says it for people; "" from an earlier version.
std::string waiting_text(const json::array* missing, const std::string& folded)
{
    if (!folded.empty()) {
        return "waiting for " + folded;
    }
    constexpr std::size_t shown = 3;
    std::vector<std::string> clauses;
    for (std::size_t i = 0; missing != nullptr && i < missing->size(); ++i) {
        if (const auto* one = (*missing)[i].if_string()) {
            clauses.emplace_back(one->data(), one->size());
        }
    }
    return "waiting for " + list_clauses(clauses, shown);
}

// Each reason of several has a line of its own, and can be found as an error among other output.
void complain(Terminal& terminal, const std::string& text)
{
    std::size_t begin = 0;
    for (auto end = text.find('\n'); end != std::string::npos; end = text.find('\n', begin)) {
        terminal.complain(text.substr(begin, end - begin));
        begin = end + 1;
    }
    terminal.complain(text.substr(begin));
}

}  // namespace

void Progress::show(const std::string& line)
{
    if (terminal_.is_terminal()) {
        terminal_.show_progress(line);
    } else if (!last_shown_ || clock_.boot_now() - *last_shown_ >= line_interval) {
        last_shown_ = clock_.boot_now();
        terminal_.print(line + "\n");
    }
}

// A pause may last for an hour without another line, so its begin is shown at once.
std::string Progress::pause_text(const std::optional<Instant>& until, std::string_view note)
{
    if (!until) {
        shown_pause_.clear();
        return "";
    }
    const auto text = fmt::format("; {}no requests until {}", note.empty() ? "rate limited by the service: " : "",
                                  until->to_short_text());
    if (text != shown_pause_) {
        shown_pause_ = text;
        last_shown_.reset();
    }
    return text;
}

std::string Progress::standstill_text(const std::string& who, const control::Running& running)
{
    const auto text = fmt::format("{} {} {} {}", to_string(running.phase), running.list, running.page, running.rows);
    const auto now = clock_.boot_now();
    auto& place = places_.try_emplace(who, Place{text, now}).first->second;
    // What it waits for is said already.
    if (place.text != text || !running.note.empty() || running.waits_for_limit_since) {
        place = {text, now};
    }
    const auto silent = now - place.since;
    return silent >= long_silence ? fmt::format("; no progress for {}", describe_duration(silent)) : "";
}

void Progress::take(std::string_view line)
{
    const auto object = take_line(terminal_, output_, line);
    if (!object) {
        return;
    }
    const JsonReader in(*object);
    const auto event = in.text("event");
    if (event == "done") {
        outcome_ = ExitCode::done;
        if (const auto* reason = in.object("error")) {
            const auto error = error_from_json(json::serialize(*reason));
            complain(terminal_, error.text());
            outcome_ = exit_code_of(error);
        }
    }
    if (output_ == Output::json) {
        return;
    }
    const auto who = fmt::format("{} {}", in.text("library"), in.text("resource"));
    const auto* running = in.object("running");
    const auto pause = pause_text(in.instant("paused_until"), running ? JsonReader(*running).text("note") : "");
    if (event == "waiting") {
        show(waiting_text(in.array("for"), in.text("text")));
    } else if (const auto* run = in.object("run")) {
        places_.erase(who);
        terminal_.print(ended_text(who, read_run(json::serialize(*run))));
    } else if (in.text("state") == "young") {
        const auto as_of = in.instant("as_of");
        terminal_.print(fmt::format("{}: as of {}, recent enough\n", who, as_of ? as_of->to_short_text() : "now"));
    } else if (running) {
        const auto where = read_running(json::serialize(*running));
        const auto standstill = standstill_text(who, where);
        show(fmt::format("{}: {}{}", who, progress_text(where), pause.empty() ? standstill : pause));
    } else if (event == "progress" && (terminal_.is_terminal() || !pause.empty())) {
        show(who + ": waiting for other lists" + pause);
    }
}

}  // namespace shelfd::ctl
