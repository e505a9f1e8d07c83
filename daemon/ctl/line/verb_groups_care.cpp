// The verbs that examine the installation and what has happened.
#include "ctl/line/verb_groups.hpp"

#include <CLI/App.hpp>

namespace shelfd::ctl {

void add_care(VerbAdder& add)
{
    auto& command = add.command();
    auto& doctor = add.verb(Verb::doctor, "doctor", "check the installation, without asking the service");
    doctor.add_flag("--fix", command.care.fix, "correct modes and groups of files that are ours; deletes nothing");
    doctor.add_flag("--all", command.all, "print a line for each check, not only for findings");
    add.json(doctor, "as JSON");

    auto& report = add.verb(Verb::bugreport, "bugreport", "write a report for developers, without secrets and data");
    report
        .add_option("FILE", command.care.report_file,
                    "where to (default: shelfd-bugreport-TIME.txt here); - is standard output")
        ->type_name("");
    report.add_flag("--hosts", command.care.with_hosts, "keep the names of hosts");
    add.json(report, "print the path of the file as JSON");

    auto& log = add.verb(Verb::log, "log", "print what happened to a library, newest last; needs no daemon");
    add.library(log, true);
    log.add_option("RESOURCE", command.resource, "one table instead of all")->type_name("");
    add.duration(log, "--since", "only the last TIME (default: the last 50 events)",
                 [&command](Duration value) { command.care.since = value; });
    log.add_option("-n,--lines", command.care.events, "at most N events, the newest")
        ->check(CLI::Range(1, 1'000'000))
        ->type_name("N");
    log.add_flag("--all", command.all, "also passes that changed nothing");
    log.add_flag("--follow", command.read.follow, "continue until interrupted");
    add.json(log, "JSON lines");
}

}  // namespace shelfd::ctl
