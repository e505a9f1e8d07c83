// A library of twenty lists that lives for weeks or for a year: what people, the service and the network do to it.
#pragma once

#include "app/library_bench.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace shelfd {

struct YearScale {
    int days = 365;
    std::size_t rows = 20'000;  // in all lists together, about
    int passes = 24;            // a day, of each list
    std::uint32_t page_size = 50;
    std::uint32_t per_minute = 100;
};

// It begins on a Monday, 2027-03-08. On most days rows come, change (some of them without a new date) and go, by day
// and by night; Fridays and Saturdays are left in peace, and on the latter not even the night's passes find anything
// new. On Tuesdays the service or the line to it fails; on Wednesdays the daemon is stopped, every other week over the
// night's full passes; every fourth week the service hangs from Wednesday evening to Thursday noon. Twice the answer to
// a refresh is lost: once within the service's grace, once without one, so that a person imports a new set.
class YearLibrary {
public:
    explicit YearLibrary(YearScale scale);

    // All the days, and two more on which nothing changes.
    void live();

    struct List {
        std::string table;
        std::string path;  // "library/recipes"
        std::size_t rows;
    };
    const std::vector<List>& lists() const { return lists_; }

    // A Saturday, from midnight to midnight in UTC.
    struct QuietDay {
        int day;
        std::uint64_t requests;
        std::uint64_t least;
    };
    const std::vector<QuietDay>& quiet_days() const { return quiet_days_; }

    // The share of the limit that the service saw used in those minutes in which requests waited all the time, on
    // average over all such minutes, one beginning with each second.
    struct Backlog {
        std::string after;
        double share;
        std::size_t minutes;  // so many of them, overlapping
    };
    const std::vector<Backlog>& backlogs() const { return backlogs_; }

    int outages() const { return outages_; }
    int starts() const { return starts_; }
    LibraryBench& bench() { return bench_; }

private:
    using Agenda = std::multimap<Duration, std::function<void()>>;  // by the time of the day

    BenchOptions options(const YearScale& scale);
    void live_day();
    void plan_changes(Agenda& agenda);
    void plan_outage(Agenda& agenda);
    void plan_stop(Agenda& agenda);
    void plan_long_outage(Agenda& agenda);
    void plan_lost_answers(Agenda& agenda);

    void change_something();
    sim::Json changed_row(const sim::Row& row, bool silently);
    void change_many();
    void begin_outage(sim::Fault fault);
    void stop();
    void start(bool after_reboot);
    void lose_next_refresh(std::chrono::seconds grace);
    void import_new_set();

    void advance_to(Instant at);
    Instant midnight(int day) const;
    std::uint64_t requests();
    std::uint64_t min_requests();
    void watch_backlog(std::string after);

    YearScale scale_;
    std::vector<List> lists_;
    LibraryBench bench_;
    std::mt19937_64 random_{7};
    int day_ = 0;
    int outages_ = 0;
    int starts_ = 1;
    std::vector<QuietDay> quiet_days_;
    std::vector<Backlog> backlogs_;
};

}  // namespace shelfd
