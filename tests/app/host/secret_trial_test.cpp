#include "app/host/secret_trial.hpp"

#include "support/catch.hpp"
#include "support/temp_directory.hpp"

#include <memory>

using namespace shelfd;
using namespace shelfd::app;

namespace {

std::shared_ptr<config::Library> library(const std::string& name, config::SecretReference secret)
{
    auto made = std::make_shared<config::Library>();
    made->name = name;
    made->application.client_secret = std::move(secret);
    return made;
}

}  // namespace

TEST_CASE("a secret whose program or file is missing at the start is told with its library, and stops no other")
{
    using Kind = config::SecretReference::Kind;
    const TempDirectory directory;
    write_file(directory / "secret", "s");
    const config::Libraries libraries = {
        library("antwerp", {Kind::command, "", {"/nonexistent/pass", "show"}, {"a.toml", 3, 1}}),
        library("bruges", {Kind::command, "", {"/bin/false"}, {}}),  // not run before it is needed
        library("ghent", {Kind::file, directory / "none", {}, {}}),
        library("namur", {Kind::file, directory / "secret", {}, {}}),
    };
    const auto bad = find_bad_secrets(libraries, "", Instant::from_seconds(0));
    REQUIRE(bad.size() == 2);
    CHECK(bad[0].notice.text == "the client secret of antwerp cannot be used: a.toml:3:1: /nonexistent/pass: No such "
                                "file or directory");
    CHECK(bad[0].notice.do_this == "correct that; the secret is read again before each refresh");
    CHECK(bad[1].notice.text.find("ghent") != std::string::npos);
    CHECK(check_secrets(bad, libraries.size()));
    CHECK_FALSE(check_secrets({bad[0]}, 1));
}
