#include "app/configuration/reader_lookup.hpp"

#include "base/accounts/unknown_account.hpp"
#include "support/catch.hpp"

#include <memory>

using namespace shelfd;
using namespace shelfd::app;

namespace {

constexpr auto group = Account::Kind::group;
constexpr auto user = Account::Kind::user;

std::shared_ptr<config::Library> library(const std::string& name, std::vector<Account> readers)
{
    auto made = std::make_shared<config::Library>();
    made->name = name;
    made->readers = std::move(readers);
    return made;
}

// A name service with these accounts, or one that does not answer.
struct NameService {
    std::vector<Account> accounts = {};
    bool answers = true;

    FindAccount find() const
    {
        return [this](const std::string& name) -> Result<std::optional<Account>> {
            if (!answers) {
                return Error(ErrorKind::storage, "cannot look up the group " + name + ": Connection refused");
            }
            for (const auto& account : accounts) {
                if (account.name == name) {
                    return std::optional(account);
                }
            }
            return std::optional<Account>();
        };
    }
    AccountAnswers ask(const config::Libraries& libraries) const
    {
        return ask_for_accounts(reader_names(libraries, "shelfd-admin"), find());
    }
};

}  // namespace

TEST_CASE("names are asked for once, with the admins if a library has readers of its own")
{
    CHECK(reader_names({library("antwerp", {})}, "shelfd-admin").empty());
    const config::Libraries both = {library("antwerp", {unknown_account("bi")}),
                                    library("ghent", {{group, 3001, "bi"}, {user, 3002, "erik"}})};
    CHECK(reader_names(both, "shelfd-admin") == std::set<std::string>{"bi", "erik", "shelfd-admin"});
    CHECK(reader_names(both, "") == std::set<std::string>{"bi", "erik"});
    CHECK(has_unknown_reader(both));
    CHECK_FALSE(has_unknown_reader({both[1]}));
}

TEST_CASE("a reader becomes who the name service says, and stays who he was while it does not answer")
{
    NameService names{{{group, 3001, "bi"}, {group, 60, "shelfd-admin"}}};
    const config::Libraries before = {library("antwerp", {unknown_account("bi")}),
                                      library("ghent", {{user, 3002, "erik"}}), library("namur", {})};
    const auto known = with_accounts(before, "shelfd-admin", names.ask(before));
    CHECK(known[0]->readers == std::vector<Account>{{group, 3001, "bi"}});
    CHECK(known[0]->admins == Account{group, 60, "shelfd-admin"});
    CHECK(known[1]->readers == std::vector{unknown_account("erik")});  // deleted
    CHECK(known[2] == before[2]);                                      // the same object

    CHECK(with_accounts(known, "shelfd-admin", names.ask(known)) == known);
    names.answers = false;
    CHECK(with_accounts(known, "shelfd-admin", names.ask(known)) == known);
    names = {{{user, 60, "shelfd-admin"}, {group, 3009, "bi"}}};
    const auto changed = with_accounts(known, "shelfd-admin", names.ask(known));
    CHECK(changed[0]->readers == std::vector<Account>{{group, 3009, "bi"}});
    CHECK_FALSE(changed[0]->admins);  // a user is no group of admins
}

TEST_CASE("a configuration that is read again keeps the readers whom the name service does not answer for")
{
    const config::Libraries present = {library("antwerp", {{group, 3001, "bi"}})};
    config::Library same = *library("antwerp", {unknown_account("bi"), unknown_account("new")});
    config::Library renamed = *library("antwerpen", {unknown_account("bi")});
    renamed.formerly = "antwerp";
    NameService names;
    names.answers = false;
    std::vector<config::Library> next = {same, renamed};
    keep_unanswered(next, present, names.find());
    CHECK(next[0].readers == std::vector<Account>{{group, 3001, "bi"}, unknown_account("new")});
    CHECK(next[1].readers == std::vector<Account>{{group, 3001, "bi"}});

    // It answers that there is no such account any more.
    names.answers = true;
    next = {same};
    keep_unanswered(next, present, names.find());
    CHECK_FALSE(is_known(next[0].readers[0]));

    CHECK(had_reader(present, same, "bi"));
    CHECK(had_reader(present, renamed, "bi"));
    CHECK_FALSE(had_reader(present, same, "new"));
    CHECK_FALSE(had_reader(present, *library("ghent", {}), "bi"));
}

TEST_CASE("an unknown reader is one notice for all libraries that name him, with the cure and what the daemon does")
{
    NameService names;
    config::Libraries libraries;
    for (const auto* name : {"antwerp", "bruges", "ghent", "liege", "namur"}) {
        libraries.push_back(library(name, {unknown_account("bi")}));
    }
    libraries.push_back(library("mons", {{user, 3002, "erik"}}));
    const auto notices = describe_unknown_readers(libraries, names.ask(libraries));
    REQUIRE(notices.size() == 1);
    CHECK(notices[0].text == "`readers` of antwerp, bruges, ghent and 2 others names bi, who gets no access: "
                             "\"bi\" is neither a group nor a user of this machine");
    CHECK(notices[0].do_this == "sudo groupadd bi; or remove the name from readers, then: shelfctl reload");
    CHECK(notices[0].next == "looks the name up every minute, and grants the mirror once it is known");

    names.answers = false;
    const auto unanswered = describe_unknown_readers({libraries[0]}, names.ask(libraries));
    REQUIRE(unanswered.size() == 1);
    CHECK(unanswered[0].text == "`readers` of antwerp names bi, who gets no access: cannot look up the group "
                                "bi: Connection refused");
    CHECK(unanswered[0].do_this == "repair the name service (getent group bi; getent passwd bi)");
}
