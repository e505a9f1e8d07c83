#include "house/rules.hpp"
#include "support/catch.hpp"

// The rules as promises about this repository; planted_violations.cpp proves that each can fail.
using namespace shelfd::house;

namespace {

const std::filesystem::path root = SHELFD_SOURCE_DIR;

void none(const std::vector<Finding>& findings)
{
    INFO(to_text(findings));
    CHECK(findings.empty());
}

}  // namespace

TEST_CASE("includes point down only, and each floor keeps to its outside libraries")
{
    none(include_findings(root));
}

TEST_CASE("the table of floors permits no more than the sources use")
{
    none(permission_findings(root));
}

TEST_CASE("includes between the rooms of a floor run one way")
{
    none(room_findings(root));
}

TEST_CASE("no folder of the daemon holds more files than a person takes in at a glance")
{
    none(folder_findings(root));
}

TEST_CASE("no file under daemon/ is longer than a person reads at one go")
{
    none(length_findings(root));
}

TEST_CASE("no function of the daemon is longer than a screen")
{
    none(function_findings(root));
}

TEST_CASE("every header of the daemon says in its first line what it is for")
{
    none(header_findings(root));
}

TEST_CASE("every coroutine of the daemon has an owner")
{
    none(owner_findings(root));
}

TEST_CASE("no await is one of two choices of an expression")
{
    none(choice_findings(root));
}

TEST_CASE("no lambda with captures is written inside an awaited call")
{
    none(lambda_findings(root));
}

TEST_CASE("the environment is read at the top of the house only")
{
    none(environment_findings(root));
}

TEST_CASE("the clock is read in one place")
{
    none(clock_findings(root));
}

TEST_CASE("what is on disk is opened in one place, which waits for nobody")
{
    none(opening_findings(root));
}

TEST_CASE("what shelfctl says passes the one place that makes it safe")
{
    none(output_findings(root));
}

TEST_CASE("no test sleeps")
{
    none(sleep_findings(root));
}

TEST_CASE("the tree holds nothing unfinished and nothing of one machine")
{
    none(word_findings(root));
}

TEST_CASE("the top level holds the rooms of the house and nothing else")
{
    none(top_level_findings(root));
}
