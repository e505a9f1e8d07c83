// The verbs about the life of a library.
#include "ctl/line/verb_groups.hpp"

#include <CLI/App.hpp>

namespace shelfd::ctl {
namespace {

void add_add(VerbAdder& add, CLI::App& group)
{
    auto& command = add.command();
    auto& verb = add.verb(group, Verb::library_add, "add",
                          "add a library: writes conf.d/NAME.toml, reloads, and takes its token set");
    verb.add_option("NAME", command.library, "name of the new library")->required()->type_name("");
    verb.add_option("--application", command.life.application,
                    "of [application.NAME]; needed if there is more than one")
        ->type_name("NAME");
    verb.add_option("--id", command.life.library_id, "id that the service must report for it; asked for otherwise")
        ->type_name("ID");
    verb.add_option("--note", command.life.note, "for people, shown in the status")->type_name("TEXT");
    auto* login = verb.add_flag("--login", command.life.login, "get the token set by logging in with a browser");
    verb.add_flag("--no-set", command.life.without_set, "take no token set now")->excludes(login);
    verb.add_flag("--yes", command.life.agreed, "take whatever library the token set belongs to, without a question");
    add.json(verb, "as JSON");
}

}  // namespace

void add_library(VerbAdder& add)
{
    auto& command = add.command();
    auto* group = add.group("library", "add, rename, pause and forget libraries");
    group->require_subcommand(1)->fallthrough();

    add.json(add.verb(*group, Verb::library_list, "list", "list the libraries, configured or only kept"), "as JSON");
    add_add(add, *group);
    auto& rename = add.verb(*group, Verb::library_rename, "rename",
                            "rename a library: token set, mirror and request log move with it");
    add.library(rename, true);
    rename.add_option("NEW", command.life.new_name, "the new name")->required()->type_name("");
    add.json(rename, "as JSON");
    auto& pause = add.verb(*group, Verb::library_pause, "pause", "fetch nothing for a library; its token set is kept");
    add.library(pause, true);
    add.json(pause, "as JSON");
    auto& resume = add.verb(*group, Verb::library_resume, "resume", "fetch again for a library that was paused");
    add.library(resume, true);
    add.json(resume, "as JSON");
    auto& forget = add.verb(*group, Verb::library_forget, "forget",
                            "remove a library with its token set, mirror and snapshots, and revoke the set");
    add.library(forget, true);
    forget.add_flag("--no-revoke", command.life.without_revocation,
                    "do not ask the service to revoke the token set; needed if the library does not run");
    forget.add_flag("--force", command.force, "do not ask to type the name of the library");
    add.json(forget, "print the receipt as JSON");
}

}  // namespace shelfd::ctl
