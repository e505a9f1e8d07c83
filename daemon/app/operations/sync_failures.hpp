// Why passes that a person asked for have failed: each reason once, with its tables and what to type next.
#pragma once

#include "app/library/library_unit.hpp"
#include "base/result.hpp"
#include "sync/pass/pass_report.hpp"
#include "sync/worker/resource_worker.hpp"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace shelfd::app {

// The result has the most serious kind, and a line for each reason.
class SyncFailures {
public:
    // `library`: for which passes were asked, so that names of tables are enough; "" = all.
    explicit SyncFailures(std::string library) : library_(std::move(library)) {}

    // No failure if the pass did what it was made for. One that was published may still not have proven its table
    // complete: its remark says why. If it has none, another walk cures it: busy. A pass for changes without a remark
    // is no failure.
    void add(const LibraryUnit& unit, const sync::ResourceWorker& worker, const sync::PassReport& pass);
    // Of a library as a whole.
    void add(const std::string& library, const Error& error) { add({library, ""}, error, ""); }

    // The lines; "" without a failure. Of many libraries some are named and all counted, and of many reasons the most
    // serious ones are given.
    std::string text() const;
    Result<void> outcome() const;

private:
    // Who failed; no table: the library as a whole.
    struct Subject {
        std::string library;
        std::string table;
    };
    struct Reason {
        ErrorKind kind;
        std::string text;      // of the first table
        std::string alike;     // the same for all: without names and times
        std::string next;      // what to type or to expect, of the first table
        bool differs = false;  // of the others
        std::vector<Subject> who;
        std::string library = {};  // for which `next` stands, if that names all of its tables
    };
    Reason& add(const Subject& subject, const Error& error, const std::string& next);
    // Whom to ask for all tables of the library that were refused so far, the one of `worker` among them.
    std::string ask_for_all(const LibraryUnit& unit, const sync::ResourceWorker& worker);
    std::string describe_who(const std::vector<Subject>& who) const;

    std::string library_;
    std::vector<Reason> reasons_;                              // in the order in which they were met
    std::map<std::string, std::vector<std::string>> refused_;  // tables by library
};

}  // namespace shelfd::app
