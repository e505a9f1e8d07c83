// System calls of a refresh that fail, one after the other: the real process, with strace in the place of a bad disk.
#include "refresh_site.hpp"
#include "support/catch.hpp"
#include "support/long_form.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <iostream>

using namespace shelfd;

namespace {

using Trace = RefreshSite::Trace;

// What strace lets a call answer instead of being made.
struct Failure {
    const char* name;
    const char* outcome;
    std::vector<std::string> calls;  // names
    enum class Whose { journal, any } whose;
};

const std::vector<Failure>& failures()
{
    using Whose = Failure::Whose;
    static const std::vector<std::string> writing = {"pwrite64", "fdatasync"};
    static const std::vector<Failure> all = {
        {"EIO", "error=EIO", writing, Whose::journal},
        {"ENOSPC", "error=ENOSPC", writing, Whose::journal},
        {"EINTR", "error=EINTR", writing, Whose::journal},
        {"EROFS, remounted read-only", "error=EROFS", {"pwrite64"}, Whose::journal},
        {"a short write", "retval=100", {"pwrite64"}, Whose::journal},
        {"EIO, mirror and all", "error=EIO", {"pwrite64", "fdatasync", "pread64", "ftruncate"}, Whose::any},
        {"ENOSPC, mirror and all", "error=ENOSPC", writing, Whose::any},
        {"EMFILE", "error=EMFILE", {"openat", "socket"}, Whose::any},
        {"EINTR on the line", "error=EINTR", {"epoll_wait", "poll", "recvfrom", "sendto"}, Whose::any},
    };
    return all;
}

// For how many calls of the name: one, which is one copy's; two, both copies'; and more than a refresh makes, so that
// the new set stays in memory until the disk is well again, with growing pauses between the tries.
std::vector<std::size_t> durations()
{
    return is_long_form() ? std::vector<std::size_t>{1, 2, 4, 8} : std::vector<std::size_t>{1, 4};
}

class FailureSweep {
public:
    FailureSweep(RefreshSite& site, const TracedRun& reference) : site_(site), reference_(reference) {}

    void go_over(const Failure& failure, std::size_t begin, std::size_t step)
    {
        tried_ = held_ = 0;
        std::size_t skipped = 0;
        for (auto at = begin; at < reference_.calls.size(); ++at) {
            const auto& call = reference_.calls[at];
            if (concerns(failure, call) && skipped++ % step == 0) {
                for (const auto duration : durations()) {
                    fail_at(failure, call, duration);
                }
            }
        }
        std::cout << fmt::format("{}: {} failures of a call, {} of them held a refresh back, 0 sets lost\n",
                                 failure.name, tried_, held_)
                  << std::flush;
        CHECK(tried_ > 0);
    }

private:
    // The journals' descriptors are those that take whole records; numbers do not change between runs.
    bool concerns(const Failure& failure, const SystemCall& call) const
    {
        const auto wanted = std::find(failure.calls.begin(), failure.calls.end(), call.name) != failure.calls.end();
        if (!wanted || failure.whose == Failure::Whose::any) {
            return wanted;
        }
        const auto record = reference_.find("pwrite64", R"("shelfdTJ)");
        const auto other = reference_.find("pwrite64", R"("shelfdTJ)", *record + 1);
        const auto descriptor = [](const SystemCall& of) {
            const auto open = of.text.find('(') + 1;
            return of.text.substr(open, of.text.find_first_of(",)", open) - open);
        };
        return descriptor(call) == descriptor(reference_.calls[*record]) ||
               descriptor(call) == descriptor(reference_.calls[*other]);
    }

    void fail_at(const Failure& failure, const SystemCall& call, std::size_t duration)
    {
        site_.put_back();
        const auto last = call.number + duration - 1;
        site_.run(Trace::yes, fmt::format("{}:{}:when={}..{}", call.name, failure.outcome, call.number, last));
        ++tried_;
        const auto at_end = site_.fate();
        const auto fate = site_.settle();
        INFO(failure.name << " at " << call.text << ", call " << call.number << " to " << last << " of its name\n"
                          << "at its end: " << to_text(at_end) << "\nafter another run: " << to_text(fate));
        CHECK(at_end.alive);
        CHECK(fate.alive);
        CHECK(fate.posts <= fate.intents);
        CHECK(fate.reuses == 0);
        CHECK(fate.standing != oauth::Standing::lost);
        CHECK(fate.standing != oauth::Standing::foreign);
        held_ += at_end.rotations == 0 ? 1 : 0;
    }

    RefreshSite& site_;
    const TracedRun& reference_;
    std::size_t tried_ = 0;
    std::size_t held_ = 0;
};

bool can_trace()
{
    const auto why = slowness > 1 ? "a sanitized program cannot be traced" : why_no_tracing();
    if (!why.empty()) {
        WARN("skipped: " << why);
    }
    return why.empty();
}

}  // namespace

TEST_CASE("a system call that fails during a refresh, once or for a while, costs no set")
{
    if (!can_trace()) {
        return;
    }
    RefreshSite site({});
    const auto reference = site.run(Trace::yes);
    REQUIRE(site.fate().alive);
    FailureSweep sweep(site, reference);
    const auto begin = reference.find("openat", "journal.a").value_or(0);
    for (const auto& failure : failures()) {
        sweep.go_over(failure, begin, is_long_form() ? 1 : failure.whose == Failure::Whose::journal ? 5 : 15);
    }
}

TEST_CASE("a set that no disk takes outlives its process in the directory of the control socket")
{
    if (!can_trace()) {
        return;
    }
    RefreshSite site({});
    const auto trace_file = site.site().directory() / "trace";
    // On each copy the answer's place and the intent get through, and nothing from the answer on.
    auto under = tracing_line(trace_file, "pwrite64:error=EIO:when=5+");
    under.insert(under.end(), {"-P", site.journal('a'), "-P", site.journal('b')});
    auto once = site.site().start({"--once"}, under);
    once->await("the set is in memory only", [&] { return once->log().find("in memory only") != std::string::npos; });
    kill(std::stoi(read_file(trace_file)), SIGKILL);
    CHECK(once->wait().signal == SIGKILL);
    INFO(once->log());
    CHECK_FALSE(site.fate().alive);  // as far as the journals know
    CHECK(site.settle().alive);
    CHECK(site.fate().posts == 1);
    CHECK(site.fate().standing == oauth::Standing::good);
}
