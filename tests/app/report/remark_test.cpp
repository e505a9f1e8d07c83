#include "app/report/remark.hpp"

#include "support/catch.hpp"

#include <fmt/format.h>

namespace shelfd::app {
namespace {

TEST_CASE("what a remark of the mirror says to do is what to type, unless something else is")
{
    mirror::ResourceSummary summary;
    summary.why = "the column v shows texts of digits as numbers: shelfctl schema antwerp --retype things.v";
    summary.cure = "shelfctl schema antwerp --retype things.v";
    control::ResourceStatus status;
    status.why = summary.why;
    SECTION("a remark")
    {
        explain_remark(summary, status);
        CHECK(status.why == "the column v shows texts of digits as numbers");
        CHECK(status.do_this == summary.cure);
    }
    SECTION("another command goes before")
    {
        status.do_this = "shelfctl held antwerp things";
        explain_remark(summary, status);
        CHECK(status.why == summary.why);
        CHECK(status.do_this == "shelfctl held antwerp things");
    }
    SECTION("the status says something else")
    {
        status.why = "the service answered 502";
        explain_remark(summary, status);
        CHECK(status.why == "the service answered 502");
        CHECK(status.do_this.empty());
    }
    SECTION("a decision is no trouble")
    {
        summary.cure.clear();
        summary.why = fmt::format("1 row missing from the list, {}: no longer updated", mirror::kept_by_person);
        status.why = summary.why;
        explain_remark(summary, status);
        CHECK(status.why.empty());
    }
    SECTION("a sentence that only looks like one")
    {
        summary.cure.clear();
        explain_remark(summary, status);
        CHECK(status.why == summary.why);
        CHECK(status.do_this.empty());
    }
}

TEST_CASE("a first round says how many of its lists were walked, and nothing before the first")
{
    mirror::ResourceSummary summary;
    summary.lists_walked = 3;
    summary.why = "3 of the lists were walked so far";
    control::ResourceStatus status;
    status.why = summary.why;
    SECTION("between two passes")
    {
        explain_remark(summary, status);
        CHECK(status.why == "3 of the lists were walked so far");
    }
    SECTION("while a pass is running, with what it knows")
    {
        status.running.emplace();
        status.running->list = 6;
        status.running->lists = 12;
        explain_remark(summary, status);
        CHECK(status.why == "5 of 12 lists were walked so far");
    }
    SECTION("before the first")
    {
        summary.lists_walked = 0;
        status.why = summary.why = "0 of the lists were walked so far";
        explain_remark(summary, status);
        CHECK(status.why.empty());
    }
}

TEST_CASE("a cure is left out of the reason only where advice says what to do")
{
    control::ResourceStatus status;
    status.why = "the answer has another form; `shelfctl sync` accepts it";
    leave_out_cure("`shelfctl sync` accepts it", status);
    CHECK(status.why == "the answer has another form; `shelfctl sync` accepts it");
    status.do_this = "shelfctl sync antwerp things --full";
    leave_out_cure("", status);
    CHECK(status.why == "the answer has another form; `shelfctl sync` accepts it");
    leave_out_cure("`shelfctl sync` accepts it", status);
    CHECK(status.why == "the answer has another form");
}

}  // namespace
}  // namespace shelfd::app
