// What `sync --dry-run` prints of many tables, and in all.
#include "ctl/served_verb.hpp"
#include "support/catch.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace shelfd::ctl {
namespace {

constexpr auto done = R"({"event":"done","ok":true})"
                      "\n";

std::string planned(const std::string& library, const std::string& requests,
                    const std::string& since = "2026-11-28T14:00:00Z")
{
    return fmt::format(R"({{"event":"progress","library":"{}","resource":"recipes","state":"planned","plan":)"
                       R"({{"mode":"incremental","why":"what changed since {}","target":"/recipes/?since={}",)"
                       R"("tries_filter":false,"asks_identity":true,"requests":{}}}}})"
                       "\n",
                       library, since, since, requests);
}

std::string status_of(const std::vector<std::string>& libraries)
{
    std::string text;
    for (const auto& name : libraries) {
        text +=
            fmt::format(R"({}{{"name":"{}","budget":{{"group":"all","limit":60}}}})", text.empty() ? "" : ",", name);
    }
    return R"({"format_version":1,"now":"2026-11-28T15:00:00Z","libraries":[)" + text + "]}";
}

TEST_CASE("a dry run of many libraries prints equal lines once, and how many requests there are in all")
{
    ServedVerb verb;
    verb.command.sync.all_libraries = true;
    verb.command.sync.dry_run = true;
    std::string lines;
    std::vector<std::string> libraries;
    for (int i = 1; i <= 200; ++i) {
        libraries.push_back(fmt::format("lib{}", i));
        lines += planned(libraries.back(), i == 7 ? "9" : "2", fmt::format("2026-11-28T14:{:02}:00Z", i % 60));
    }
    CHECK(verb.run(run_sync, {http_answer(200, lines + done), http_answer(200, status_of(libraries))}) ==
          ExitCode::done);
    CHECK(verb.captured.out ==
          "recipes of lib1, lib2, lib3 and 197 more libraries: incremental: what changed since 2026-11-28T14:01:00Z "
          "(lib1)\n"
          "  about 2 to 9 requests each, up to two to check which library the token belongs to; the first is GET "
          "/recipes/?since=2026-11-28T14:01:00Z\n"
          "in all 200 passes: about 407 requests, and up to 400 to check which library a token belongs to; at the "
          "request limit, at least 5 min\n");
}

TEST_CASE("a dry run whose passes differ prints them all, and of one pass no total")
{
    ServedVerb verb;
    verb.command.library = "antwerp";
    verb.command.sync.dry_run = true;
    CHECK(verb.run(run_sync, {http_answer(200, planned("antwerp", "2") + done), http_answer(500, "{}")}) ==
          ExitCode::done);
    CHECK(verb.captured.out ==
          "antwerp recipes: incremental: what changed since 2026-11-28T14:00:00Z\n"
          "  about 2 requests, up to two to check which library the token belongs to; the first is "
          "GET /recipes/?since=2026-11-28T14:00:00Z\n");
    ServedVerb two;
    two.command.sync.all_libraries = true;
    two.command.sync.dry_run = true;
    CHECK(two.run(run_sync, {http_answer(200, planned("antwerp", "2") + planned("ghent", "null") + done),
                             http_answer(500, "{}")}) == ExitCode::done);
    INFO(two.captured.out);
    CHECK(std::count(two.captured.out.begin(), two.captured.out.end(), '\n') == 5);
    CHECK(two.captured.out.find("\nghent recipes: incremental") != std::string::npos);
    CHECK(two.captured.out.ends_with("in all 2 passes: about 2 requests, and up to 4 to check which library a token "
                                     "belongs to; the number of requests of 1 pass is unknown\n"));
}

TEST_CASE("a dry run as JSON has every pass as it came, and a total before its end")
{
    ServedVerb verb;
    verb.command.sync.all_libraries = true;
    verb.command.sync.dry_run = true;
    verb.command.output = Output::json;
    const auto lines = planned("antwerp", "100") + planned("ghent", "80");
    CHECK(verb.run(run_sync, {http_answer(200, lines + done), http_answer(200, status_of({"antwerp", "ghent"}))}) ==
          ExitCode::done);
    CHECK(verb.captured.out == lines +
                                   R"({"event":"total","passes":2,"requests":180,"identity_requests":4,)"
                                   R"("passes_unknown":0,"at_limit_seconds":1.2E2})"
                                   "\n" +
                                   done);
}

}  // namespace
}  // namespace shelfd::ctl
