// kill -9 at the system calls of a refresh, one after the other: the real process, the real disk, a real connection.
#include "refresh_site.hpp"
#include "support/catch.hpp"
#include "support/long_form.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <iostream>
#include <map>

using namespace shelfd;
using namespace std::chrono_literals;

namespace {

using Due = RefreshSiteOptions::Due;
using Line = SiteOptions::Line;
using Trace = RefreshSite::Trace;

// What only the record of that kind has at its beginning, as strace prints it.
const std::string intent_record = R"("shelfdTJ\1\0\2\0)";
const std::string raw_record = R"("shelfdTJ\1\0\3\0)";
const std::string raw_closing = R"("shelfdTJ\1\0\3\3)";
const std::string token_record = R"("shelfdTJ\1\0\1\0)";
const std::string piece = R"("{\"access_token\")";
const std::string writing = "pwrite64";

bool waits_for_answer(const SystemCall& call)
{
    return call.name == "epoll_wait" || call.name == "poll" || call.name.starts_with("recv") || call.name == "read";
}

// The calls that a sweep kills at: where they are, and how many of them are passed over each time.
struct Stretch {
    std::size_t begin = 0;
    std::size_t end = 0;
    std::size_t step = 1;
};

// Kills at each call of the stretches in turn and looks what becomes of the set.
class Sweep {
public:
    Sweep(RefreshSite& site, std::string name, std::chrono::seconds grace)
        : site_(site), name_(std::move(name)), grace_(grace)
    {
    }

    void go_over(const TracedRun& reference, const std::vector<Stretch>& stretches)
    {
        for (const auto& stretch : stretches) {
            for (auto at = stretch.begin; at < std::min(stretch.end, reference.calls.size()); at += stretch.step) {
                kill_at(reference.calls[at]);
            }
        }
        std::string places;
        for (const auto& [place, times] : losses_) {
            places += fmt::format("{}{}{}", places.empty() ? "" : ", ", place,
                                  times > 1 ? fmt::format(" ({} calls)", times) : "");
        }
        std::cout << fmt::format("{}, grace {} s: killed at {} system calls{}; lost at {}\n", name_, grace_.count(),
                                 killed_, missed_ > 0 ? fmt::format(", {} did not come", missed_) : "",
                                 places.empty() ? "none" : places)
                  << std::flush;
        // A call or two of a kind may be fewer than in the run they were counted in, however short that run is.
        constexpr std::size_t fewer = 2;
        CHECK(missed_ <= fewer + killed_ / 10);
        CHECK(killed_ > missed_);
    }

private:
    // How often a program waits hangs on how busy the machine is: a run without that call gets a few more tries.
    void kill_at(const SystemCall& call)
    {
        constexpr int tries = 4;
        for (int i = 0; i < tries; ++i) {
            if (is_killed_at(call)) {
                ++killed_;
                return;
            }
        }
        ++missed_;
    }

    bool is_killed_at(const SystemCall& call)
    {
        site_.put_back();
        const auto run = site_.run(Trace::yes, fmt::format("{}:signal=KILL:when={}", call.name, call.number));
        const auto was_killed = run.status.signal == SIGKILL;
        const auto fate = site_.settle();
        INFO(name_ << ": killed at " << run.calls.back().text << ", call " << call.number << " of its name\n"
                   << to_text(fate));
        CHECK(fate.posts <= fate.intents);
        CHECK(fate.reuses <= 1);
        if (fate.alive) {
            CHECK(fate.standing != oauth::Standing::lost);
            CHECK(fate.standing != oauth::Standing::foreign);
            return was_killed;
        }
        // The service has rotated, and not a byte of its answer was handed to a disk.
        const auto& victim = run.calls.back();
        const auto is_first_piece = victim.name == writing && victim.text.find(piece) != std::string::npos;
        const auto earlier_piece = run.find(writing, piece);
        CHECK(grace_ == 0s);
        CHECK(was_killed);
        CHECK(fate.standing == oauth::Standing::lost);
        CHECK((waits_for_answer(victim) || is_first_piece));
        CHECK((!earlier_piece || *earlier_piece == run.calls.size() - 1));
        ++losses_[is_first_piece ? "pwrite64 of the first piece" : victim.name];
        return was_killed;
    }

    RefreshSite& site_;
    std::string name_;
    std::chrono::seconds grace_;
    std::size_t killed_ = 0;
    std::size_t missed_ = 0;
    std::map<std::string, std::size_t> losses_;
};

std::size_t place(const TracedRun& run, const std::string& part, std::size_t from = 0)
{
    const auto found = run.find(writing, part, from);
    if (!found) {
        throw std::runtime_error("no pwrite64 with " + part);
    }
    return *found;
}

// Every call from the preflight of the disk to the end of the process; the short form takes those from the sending to
// the new set's record, and some of the others.
std::vector<Stretch> stretches_of_refresh(const TracedRun& run)
{
    const auto begin = place(run, raw_record);
    if (is_long_form()) {
        return {{begin, run.calls.size()}};
    }
    const auto written = place(run, piece);
    auto sent = written;
    while (run.calls[sent].name != "sendto") {
        --sent;
    }
    const auto committed = place(run, token_record, written);
    return {{begin, sent, 13}, {sent, committed + 1}, {committed + 1, run.calls.size(), 41}};
}

std::string name_of(const char* stage, Due due, Line line)
{
    return fmt::format("{}, {}, {}", stage, due == Due::by_age ? "due by age" : "due by a refusal",
                       line == Line::plain ? "plain" : "TLS");
}

bool can_trace()
{
    const auto why = slowness > 1 ? "a sanitized program cannot be traced" : why_no_tracing();
    if (!why.empty()) {
        WARN("skipped: " << why);
    }
    return why.empty();
}

void sweep_refresh(const char* stage, RefreshSite& site, const RefreshSiteOptions& options)
{
    site.put_back();
    const auto reference = site.run(Trace::yes);
    REQUIRE(site.fate().alive);
    REQUIRE(site.fate().rotations == 1);
    Sweep sweep(site, name_of(stage, options.due, options.line), options.grace);
    sweep.go_over(reference, stretches_of_refresh(reference));
}

}  // namespace

TEST_CASE("killed at any system call of a refresh, a set is lost only between the wait for its answer and its first "
          "write, and with a grace window nowhere")
{
    if (!can_trace()) {
        return;
    }
    std::vector<RefreshSiteOptions> rows = {{.due = Due::by_age}, {.due = Due::by_age, .line = Line::tls}};
    if (is_long_form()) {
        rows.push_back({.due = Due::by_refusal});
        rows.push_back({.due = Due::by_refusal, .line = Line::tls});
        const auto without_grace = rows;
        for (auto row : without_grace) {
            row.grace = 120s;
            rows.push_back(row);
        }
    }
    for (const auto& options : rows) {
        RefreshSite site(options);
        sweep_refresh("a fresh refresh", site, options);
    }
}

TEST_CASE("killed at any system call of a refresh that follows a recovery, a set is lost only there, too")
{
    if (!can_trace()) {
        return;
    }
    for (const auto line : is_long_form() ? std::vector{Line::plain, Line::tls} : std::vector{Line::plain}) {
        // The answer was on disk and not read when the first life ended; the second read it.
        const RefreshSiteOptions options{.due = Due::by_age, .line = line};
        RefreshSite site(options);
        const auto first = site.run(Trace::yes);
        site.put_back();
        const auto& victim = first.calls[place(first, token_record, place(first, raw_closing))];
        site.run(Trace::yes, fmt::format("pwrite64:signal=KILL:when={}", victim.number));
        REQUIRE(site.settle().alive);
        site.make_due();
        site.keep();
        sweep_refresh("a refresh after a recovery", site, options);
    }
}

TEST_CASE("killed in mid-refresh, and again at any system call of the run that recovers, nothing more is lost")
{
    if (!can_trace()) {
        return;
    }
    struct Row {
        const char* name;
        std::size_t (*victim)(const TracedRun& run);  // where the first life ends
        std::chrono::seconds grace;
    };
    const std::vector<Row> all = {
        {"the intent on one copy", [](const TracedRun& run) { return place(run, intent_record) + 2; }, 0s},
        {"the intent on both", [](const TracedRun& run) { return *run.find("connect", "", place(run, intent_record)); },
         0s},
        {"the answer at the door", [](const TracedRun& run) { return place(run, piece) - 1; }, 120s},
        {"the answer on one copy", [](const TracedRun& run) { return place(run, piece) + 1; }, 0s},
        {"the answer closed on one copy",
         [](const TracedRun& run) { return place(run, raw_closing, place(run, raw_closing) + 1); }, 0s},
        {"the new set on one copy",
         [](const TracedRun& run) { return place(run, token_record, place(run, token_record, place(run, piece)) + 1); },
         0s},
    };
    for (const auto& row : is_long_form() ? all : std::vector{all[2], all[4]}) {
        for (const auto line : is_long_form() ? std::vector{Line::plain, Line::tls} : std::vector{Line::plain}) {
            INFO(row.name);
            RefreshSite site({.line = line, .grace = row.grace});
            bool is_killed = false;
            // How often the loop waits differs from run to run, and with it the number of a call.
            for (int tries = 0; tries < 5 && !is_killed; ++tries) {
                site.put_back();
                const auto whole = site.run(Trace::yes);
                site.put_back();
                const auto& victim = whole.calls[row.victim(whole)];
                const auto first = fmt::format("{}:signal=KILL:when={}", victim.name, victim.number);
                is_killed = site.run(Trace::yes, first).status.signal == SIGKILL;
            }
            REQUIRE(is_killed);
            site.keep();
            site.put_back();
            const auto recovery = site.run(Trace::yes);
            REQUIRE(site.fate().alive);
            site.put_back();
            Sweep sweep(site, fmt::format("recovery, {}, {}", row.name, line == Line::plain ? "plain" : "TLS"),
                        row.grace);
            const auto begin = recovery.find("openat", "journal.a").value_or(0);
            sweep.go_over(recovery, {{begin, recovery.calls.size(), is_long_form() ? 1u : 37u}});
        }
    }
}
