#include "ctl/status/token_text.hpp"

#include "ctl/captured_terminal.hpp"
#include "ctl/status/status_view.hpp"
#include "support/catch.hpp"

namespace shelfd::ctl {
namespace {

// antwerp has lost its set while its access token lives, bruges has none any more, damme ends, ghent is well.
constexpr auto sets = R"({
  "format_version": 1, "version": "0.1.0", "now": "2024-01-06T06:00:00.000000Z",
  "libraries": [
    {"name": "ghent", "origin": "https://api.example.com", "library_id": null, "identity_verified": false,
     "token": {"state": "good", "needs_person": false, "access_usable": true, "generation": 1,
               "since": "2024-01-06T00:00:00.000000Z", "expires_at": "2024-01-13T00:00:00.000000Z",
               "next_refresh": "2024-01-09T18:00:00.000000Z", "reason": "", "do_this": "", "next": ""}},
    {"name": "damme", "origin": "https://api.example.com",
     "token": {"state": "ends", "needs_person": false, "access_usable": true, "generation": 1,
               "expires_at": "2024-01-08T06:00:00.000000Z", "deadline": "2024-01-08T06:00:00.000000Z",
               "reason": "works until the access token ends", "do_this": "shelfctl auth import damme"}},
    {"name": "ostend", "origin": "https://api.example.com",
     "token": {"state": "in_doubt", "needs_person": false, "access_usable": true, "generation": 4,
               "expires_at": "2024-01-08T06:00:00.000000Z", "reason": "a refresh was sent", "next":
               "asks the service again, and sends the refresh again if necessary"},
     "contact": "support@service.test"},
    {"name": "antwerp", "origin": "https://api.example.com", "library_id": "42", "identity_verified": true,
     "token": {"state": "lost", "needs_person": true, "access_usable": true, "generation": 7,
               "since": "2024-01-06T04:00:00.000000Z", "expires_at": "2024-01-06T09:00:00.000000Z",
               "last_refresh": "2024-01-03T06:00:00.000000Z", "next_refresh": null,
               "deadline": "2024-01-06T09:00:00.000000Z", "reason": "the answer to the last refresh was lost",
               "do_this": "shelfctl auth import antwerp", "facts": {"scope": "library"}},
     "resources": [
       {"name": "stock", "state": "fresh", "as_of": "2024-01-06T05:00:00.000000Z",
        "late_at": "2024-01-06T07:00:00.000000Z"},
       {"name": "recipes", "state": "fresh", "as_of": "2024-01-06T05:59:00.000000Z",
        "late_at": "2024-01-06T06:29:00.000000Z"},
       {"name": "old", "state": "retired", "as_of": "2020-01-01T00:00:00.000000Z",
        "late_at": "2020-01-02T00:00:00.000000Z"}]},
    {"name": "bruges", "origin": "https://api.example.com",
     "token": {"state": "foreign", "needs_person": true, "access_usable": false, "generation": 3,
               "since": "2024-01-01T06:00:00.000000Z", "expires_at": "2024-01-04T06:00:00.000000Z",
               "reason": "somebody else used it", "do_this": "shelfctl auth import bruges"},
     "resources": [{"name": "stock", "state": "needs_person", "as_of": "2024-01-04T05:00:00.000000Z",
                    "late_at": "2024-01-04T05:30:00.000000Z"}]}]
})";

std::string paragraph_of(const std::string& text, const std::string& library)
{
    const auto begin = ("\n" + text).find("\n" + library + ": ");
    REQUIRE(begin != std::string::npos);
    const auto end = text.find("\n\n", begin);
    return text.substr(begin, end == std::string::npos ? end : end + 1 - begin);
}

StatusView view()
{
    auto status = read_status(sets);
    REQUIRE(status);
    return std::move(*status);
}

TEST_CASE("what is known about a set stands together, with the time at which the lights go out")
{
    CapturedTerminal captured;
    const auto text = token_text(view(), captured.terminal).bytes();
    CHECK(paragraph_of(text, "antwerp") == "antwerp: lost, generation 7, since 2024-01-06T04:00:00Z\n"
                                           "  the answer to the last refresh was lost\n"
                                           "  library        42, verified\n"
                                           "  service        https://api.example.com\n"
                                           "  access token   expires at 2024-01-06T09:00:00Z (in 3 h)\n"
                                           "  issued         2024-01-03T06:00:00Z (3 d ago)\n"
                                           "  deadline       2024-01-06T09:00:00Z (in 3 h): syncing stops unless a "
                                           "person acts; the first table will be late at 2024-01-06T09:30:00Z\n"
                                           "  scope: library\n"
                                           "  do this: shelfctl auth import antwerp\n");
    CHECK(paragraph_of(text, "bruges")
              .find("  access token   no longer works\n"
                    "  deadline       now: nothing is synced; some tables are already late\n") != std::string::npos);
    CHECK(paragraph_of(text, "ghent") == "ghent: good, generation 1, since 2024-01-06T00:00:00Z\n"
                                         "  library        unknown, not verified\n"
                                         "  service        https://api.example.com\n"
                                         "  access token   expires at 2024-01-13T00:00:00Z (in 6 d)\n"
                                         "  next refresh   2024-01-09T18:00:00Z (in 3 d)\n");
    CHECK(paragraph_of(text, "ostend")
              .find("  a refresh was sent\n"
                    "  the daemon asks the service again, and sends the refresh again if necessary; if it lasts, tell "
                    "support@service.test\n") != std::string::npos);
}

TEST_CASE("with --all each set has one line, the darkest first")
{
    CapturedTerminal captured;
    CHECK(token_table(view(), captured.terminal) ==
          "LIBRARY  TOKEN                         SINCE    ACCESS TOKEN    NEXT REFRESH  WHY                           "
          "           DO THIS\n"
          "bruges   used elsewhere                5 d ago  does not work   -             somebody else used it         "
          "           shelfctl auth import bruges\n"
          "antwerp  lost                          2 h ago  expires in 3 h  -             the answer to the last "
          "refresh was lost  shelfctl auth import antwerp\n"
          "ostend   in doubt                      -        expires in 2 d  -             a refresh was sent            "
          "           -\n"
          "damme    ends at 2024-01-08T06:00:00Z  -        expires in 2 d  -             works until the access token "
          "ends        shelfctl auth import damme\n"
          "ghent    good                          6 h ago  expires in 6 d  in 3 d        -                             "
          "           -\n");
    CHECK(token_table(StatusView(), captured.terminal) == "no library is configured\n");
}

}  // namespace
}  // namespace shelfd::ctl
