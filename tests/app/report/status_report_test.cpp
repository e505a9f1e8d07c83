#include "app/report/status_report.hpp"

#include "control/model/status.hpp"
#include "support/catch.hpp"

#include <stdexcept>

namespace shelfd::app {
namespace {

const Instant noon = Instant::from_rfc3339("2024-01-06T12:00:00Z").value();

TEST_CASE("a bug in the report of one library is the bug of that library, and not the end of the daemon")
{
    const auto broken = report_or_bug("antwerp", noon, "journalctl --user -u shelfd",
                                      []() -> control::LibraryStatus { throw std::out_of_range("vector::at"); });
    CHECK(broken.name == "antwerp");
    REQUIRE(broken.bug);
    CHECK(broken.bug->what.find("vector::at") != std::string::npos);
    CHECK(broken.bug->do_this == "send a bug report with the log (journalctl --user -u shelfd)");
    control::Status status;
    status.libraries.push_back(broken);
    CHECK(number_of(control::exit_code(status)) == 2);

    const auto whole = report_or_bug("ghent", noon, "journalctl -u shelfd", [] {
        control::LibraryStatus library;
        library.name = "ghent";
        return library;
    });
    CHECK(whole.name == "ghent");
    CHECK_FALSE(whole.bug);
}

}  // namespace
}  // namespace shelfd::app
