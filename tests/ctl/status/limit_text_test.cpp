#include "ctl/status/limit_text.hpp"

#include "control/sample_status.hpp"
#include "ctl/pages/status_page.hpp"
#include "support/catch.hpp"

#include <fmt/format.h>

namespace shelfd::ctl {
namespace {

using namespace std::chrono_literals;
using control::sample_now;

StatusView waiting_libraries(int count)
{
    std::vector<control::LibraryStatus> libraries;
    for (int i = 0; i < count; ++i) {
        auto table = control::sample_resource("recipes", TableState::fresh);
        table.running.emplace();
        table.running->waits_for_limit_since = sample_now - 5min;
        table.running->next_request_at = sample_now + 20s;
        auto library = control::sample_library(fmt::format("library{}", i), {table});
        library.budget.group = library.name;
        library.budget.limit = 100;
        libraries.push_back(std::move(library));
    }
    StatusView status;
    static_cast<control::Status&>(status) = control::sample_status(std::move(libraries));
    return status;
}

TEST_CASE("forty libraries that wait for a limit of the same kind are one line, on the page as well")
{
    const auto status = waiting_libraries(40);
    const auto lines = limit_lines(status);
    REQUIRE(lines.size() == 1);
    CHECK(lines[0] == "library0 and 39 more: 40 passes wait for the request limit since 2024-01-06T05:55:00Z (5 min "
                      "ago), the next request starts in 20 s: 100 requests a minute");
    CHECK(status_page(status).find("40 passes wait for the request limit") != std::string::npos);
}

TEST_CASE("a pause is named as the reason of a wait, and where a problem says it already there is no line")
{
    auto status = waiting_libraries(3);
    for (auto& library : status.libraries) {
        library.budget.paused_until = sample_now + 10s;
    }
    REQUIRE(limit_lines(status).size() == 1);
    CHECK(limit_lines(status)[0].ends_with(": rate limited by the service: no requests until 2024-01-06T06:00:10Z"));
    control::Cause pause;
    pause.kind = control::CauseKind::limit;
    for (const auto& library : status.libraries) {
        pause.affected.push_back({library.name, {}, "", "", std::nullopt, std::nullopt});
    }
    status.problems = {pause};
    CHECK(limit_lines(status).empty());
}

TEST_CASE("libraries of one user that share a limit are one line, and a limit_group of several users is none")
{
    auto status = waiting_libraries(5);
    for (auto& library : status.libraries) {
        library.budget.group = "library0";
        library.budget.used = 12;
        library.budget.libraries = {"library0", "library1", "library2", "library3", "library4"};
    }
    CHECK(shared_limit_lines(status).empty());
    for (auto& library : status.libraries) {
        library.origin = "https://service.test";
        library.budget.user = "7";
    }
    CHECK(shared_limit_lines(status) ==
          std::vector<std::string>{"library0, library1, library2 and 2 more are one user of https://service.test (7) "
                                   "and share one limit (library0): 100 requests a minute, 12 of them used now"});
}

}  // namespace
}  // namespace shelfd::ctl
