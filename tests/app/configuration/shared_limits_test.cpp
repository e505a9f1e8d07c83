#include "app/configuration/shared_limits.hpp"

#include "support/catch.hpp"
#include "support/temp_directory.hpp"

#include <memory>

using namespace shelfd;
using namespace shelfd::app;

namespace {

struct Wanted {
    std::string name;
    std::string group = {};  // limit_group; "" = the default
    std::string formerly = {};
    std::optional<std::uint32_t> rate = 100;
    std::uint32_t leave = 0;
    std::string origin = "https://service.test";
    bool has_user_field = true;
};

config::Libraries libraries(const std::vector<Wanted>& wanted)
{
    config::Libraries all;
    for (const auto& one : wanted) {
        config::Library library;
        library.name = one.name;
        library.formerly = one.formerly;
        library.service.base_url = one.origin;
        library.service.limit_group = one.group.empty() ? one.name : one.group;
        library.service.requests_per_minute = one.rate;
        library.service.leave = one.leave;
        library.service.identity = config::Identity{"/me/", "id", one.has_user_field ? "user.id" : ""};
        all.push_back(std::make_shared<const config::Library>(std::move(library)));
    }
    return all;
}

LibraryUsers::All users(const std::vector<std::pair<std::string, std::string>>& known)
{
    LibraryUsers::All all;
    for (const auto& [library, user] : known) {
        all[library] = {"https://service.test", user};
    }
    return all;
}

// "antwerp:antwerp ghent:antwerp": which library has which limit.
std::string groups(const config::Libraries& all)
{
    std::string text;
    for (const auto& library : all) {
        text += (text.empty() ? "" : " ") + library->name + ":" + library->limit_group();
    }
    return text;
}

}  // namespace

TEST_CASE("libraries of one origin and user share a limit unless their configuration says otherwise")
{
    struct Row {
        const char* what;
        std::vector<Wanted> libraries;
        std::vector<std::pair<std::string, std::string>> users;
        const char* groups;
    };
    const auto row = GENERATE(values<Row>({
        {"one user", {{"a"}, {"b"}}, {{"a", "7"}, {"b", "7"}}, "a:a b:a"},
        {"two users", {{"a"}, {"b"}}, {{"a", "7"}, {"b", "8"}}, "a:a b:b"},
        {"a user that is not known", {{"a"}, {"b"}}, {{"a", "7"}}, "a:a b:b"},
        {"another origin", {{"a"}, {"b", "", "", 100, 0, "https://other.test"}}, {{"a", "7"}, {"b", "7"}}, "a:a b:b"},
        {"a group of its own", {{"a"}, {"b", "tills"}, {"c"}}, {{"a", "7"}, {"b", "7"}, {"c", "7"}}, "a:a b:tills c:a"},
        {"the group of others", {{"a"}, {"b"}, {"c", "a"}}, {{"a", "7"}, {"b", "7"}, {"c", "8"}}, "a:a b:b c:a"},
        {"no user_field any more",
         {{"a"}, {"b", "", "", 100, 0, "https://service.test", false}},
         {{"a", "7"}, {"b", "7"}},
         "a:a b:b"},
        {"a former name", {{"a"}, {"c", "", "b"}}, {{"a", "7"}, {"b", "7"}}, "a:a c:a"},
    }));
    INFO(row.what);
    CHECK(groups(share_limits(libraries(row.libraries), users(row.users)).libraries) == row.groups);
}

TEST_CASE("a group that is in use stays when a library joins, and follows its library to a new name")
{
    auto known = users({{"b", "7"}, {"c", "7"}});
    auto sharing = share_limits(libraries({{"a"}, {"b"}, {"c"}}), known);
    CHECK(groups(sharing.libraries) == "a:a b:b c:b");
    known = sharing.users;
    known["a"] = {"https://service.test", "7"};
    const auto joined = share_limits(sharing.libraries, known);
    CHECK(groups(joined.libraries) == "a:b b:b c:b");
    // Nobody else is opened again for that.
    CHECK(joined.libraries[1] == sharing.libraries[1]);
    CHECK(joined.libraries[2] == sharing.libraries[2]);
    CHECK(describe_sharing(sharing.libraries, joined.libraries).front().starts_with("a, b and c are one user of "));
    const auto renamed = share_limits(libraries({{"a"}, {"bb", "", "b"}, {"c"}}), joined.users);
    CHECK(groups(renamed.libraries) == "a:bb bb:bb c:bb");
    CHECK(renamed.users.count("b") == 0);
    const auto alone = share_limits(libraries({{"c"}}), joined.users);
    CHECK(groups(alone.libraries) == "c:c");
    CHECK(alone.users.at("c").group.empty());
}

TEST_CASE("the smallest limit applies, less what is left to others, and a limit is smaller than none")
{
    struct Row {
        Wanted a, b;
        std::optional<std::uint32_t> per_minute;
        std::uint32_t leave;
    };
    const auto row = GENERATE(values<Row>({
        {{"a"}, {"b", "", "", 60}, 60, 0},
        {{"a", "", "", 100, 50}, {"b", "", "", 60}, 100, 50},
        {{"a", "", "", std::nullopt}, {"b", "", "", 60, 10}, 60, 10},
        {{"a", "", "", std::nullopt}, {"b", "", "", std::nullopt}, std::nullopt, 0},
    }));
    const auto sharing = share_limits(libraries({row.a, row.b}), users({{"a", "7"}, {"b", "7"}}));
    for (const auto& library : sharing.libraries) {
        REQUIRE(library->shared_limit);
        CHECK(library->shared_limit->requests_per_minute == row.per_minute);
        CHECK(library->shared_limit->leave == row.leave);
    }
}

TEST_CASE("users of libraries survive a restart, and a damaged file is as none")
{
    TempDirectory mirrors;
    LibraryUsers users(mirrors.path());
    const auto all = libraries({{"a"}, {"b"}});
    users.record(*all[0], "7");
    users.record(*all[1], "7");
    users.record(*all[1], "");
    CHECK(users.changes() == 2);
    users.settle(share_limits(all, users.all()).users, all);
    REQUIRE(users.save(users.all()));
    LibraryUsers again(mirrors.path());
    again.load();
    CHECK(again.all() == users.all());
    CHECK(again.all().at("b").group == "a");
    write_file(mirrors / ".requests/.users", "a\thttps://service.test\n");
    again.load();
    CHECK(again.all().empty());
    users.forget("a");
    CHECK(users.all().count("a") == 0);
    CHECK(users.changes() == 3);
}
