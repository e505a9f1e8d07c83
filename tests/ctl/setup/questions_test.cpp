#include "ctl/captured_terminal.hpp"
#include "ctl/setup/questions.hpp"
#include "support/catch.hpp"
#include "support/temp_directory.hpp"

#include <deque>

namespace shelfd::ctl {
namespace {

// A person who types these lines, one for each question.
struct Person {
    explicit Person(std::deque<std::string> lines, bool is_there = true)
        : answers(std::move(lines)), captured({.is_terminal = true, .can_ask = is_there})
    {
    }

    Context context()
    {
        auto read = [this](const std::string& question, auto...) -> Result<Secret> {
            asked.push_back(question);
            if (answers.empty()) {
                return Error(ErrorKind::usage, "no input was given");
            }
            auto line = answers.front();
            answers.pop_front();
            return Secret(std::move(line));
        };
        return {command, environment, captured.terminal, clock, read, read, {}, {}, read};
    }

    Command command;
    Environment environment;
    SystemClock clock;
    std::deque<std::string> answers;
    std::vector<std::string> asked;
    CapturedTerminal captured;
};

TEST_CASE("init asks for what no option gives, and again while an answer cannot be")
{
    Person person({"api.example.com", "https://API.example.com/", "partner", "hidden", "Antwerp", "antwerp", "maybe",
                   "login", "accounts library"});
    const auto plan = ask_for_plan(person.context());
    REQUIRE(plan);
    CHECK(plan->base_url == "https://api.example.com");
    CHECK(plan->client_id == "partner");
    CHECK(plan->client_secret.reveal() == "hidden");
    CHECK(plan->library == "antwerp");
    CHECK(plan->way == TokenWay::login);
    CHECK(plan->scopes == std::vector<std::string>{"accounts", "library"});
    CHECK(person.asked.size() == 9);
    CHECK(person.captured.err.find("\"Antwerp\" is not a name") != std::string::npos);
    CHECK(person.captured.err.find("hidden") == std::string::npos);
}

TEST_CASE("options are not asked for again, and a wrong one is an error with its name")
{
    TempDirectory directory;
    write_file(directory / "secret", "hidden\n");
    Person person({"paste"});
    person.command.start.url = "https://api.example.com";
    person.command.start.client_id = "partner";
    person.command.start.client_secret_file = directory / "secret";
    person.command.library = "antwerp";
    const auto plan = ask_for_plan(person.context());
    REQUIRE(plan);
    CHECK(plan->way == TokenWay::import_set);
    CHECK(plan->client_secret.reveal() == "hidden");
    CHECK(person.asked.size() == 1);
    person.command.library = "Antwerp!";
    const auto wrong = ask_for_plan(person.context());
    REQUIRE_FALSE(wrong);
    CHECK(wrong.error().text().find("--library: ") == 0);
    person.command.start.client_secret_file = directory / "none";
    CHECK(ask_for_plan(person.context()).error().text().find(directory / "none") != std::string::npos);
}

TEST_CASE("where nobody can answer, all missing options are named at once")
{
    for (const bool is_there : {false, true}) {
        Person person({}, is_there);
        person.command.start.non_interactive = is_there;
        const auto complaint = [&person] {
            const auto plan = ask_for_plan(person.context());
            REQUIRE_FALSE(plan);
            CHECK(plan.error().kind() == ErrorKind::usage);
            CHECK(person.asked.empty());
            return plan.error().text();
        };
        CHECK(complaint().find(
                  "URL, --client-id, --client-secret-file, --library and --path (or --token-file) are missing; ") == 0);
        person.command.start.token_file = "set.json";  // with which the lists are found
        CHECK(complaint().find("URL, --client-id, --client-secret-file and --library are missing; ") == 0);
        person.command.start.url = "https://api.example.com";
        person.command.start.client_id = "partner";
        person.command.start.client_secret_file = "secret";
        CHECK(complaint().find("--library is missing; ") == 0);
        person.command.start.url = "ftp://api.example.com";
        CHECK(complaint().find("URL: ") == 0);
        CHECK(*ask_for_lists(person.context(), {"/a/", "/b/"}) == std::vector<std::string>{"/a/", "/b/"});
    }
}

TEST_CASE("a library is not named lists, because its file would be that of the lists; a path counts once")
{
    Person person({"https://api.example.com", "partner", "hidden", "lists", "antwerp", "later"});
    person.command.inquiry.paths = {"/a/", "/b/", "/a/"};
    const auto plan = ask_for_plan(person.context());
    REQUIRE(plan);
    CHECK(plan->library == "antwerp");
    CHECK(person.captured.err.find("conf.d/lists.toml") != std::string::npos);
    CHECK(plan->paths == std::vector<std::string>{"/a/", "/b/"});
}

TEST_CASE("of the lists that were found, a person chooses all or some")
{
    Person all({"all"});
    CHECK(*ask_for_lists(all.context(), {"/a/", "/b/"}) == std::vector<std::string>{"/a/", "/b/"});
    Person some({"/c/", "/b/"});
    CHECK(*ask_for_lists(some.context(), {"/a/", "/b/"}) == std::vector<std::string>{"/b/"});
    CHECK(some.captured.err.find("/c/ was not found") != std::string::npos);
}

}  // namespace
}  // namespace shelfd::ctl
