// The verbs about token sets.
#include "ctl/line/verb_groups.hpp"

#include <CLI/App.hpp>

namespace shelfd::ctl {

void add_auth(VerbAdder& add)
{
    auto& command = add.command();
    auto* auth = add.group("auth", "token sets");
    auth->require_subcommand(1)->fallthrough();

    // Not named "import": clang-format takes that for a module.
    auto& hand_in =
        add.verb(*auth, Verb::auth_import, "import", "hand in a token set, from standard input or a hidden prompt");
    add.library(hand_in, true);
    auto* no_seal = hand_in.add_flag_callback(
        "--no-seal", [&command] { command.auth.sealing = Sealing::no_seal; },
        "do not rotate it at once; whoever has a copy can still use it");
    auto* access_only = hand_in.add_flag_callback(
        "--access-only", [&command] { command.auth.sealing = Sealing::access_only; },
        "keep no refresh token: works until the access token ends");
    access_only->excludes(no_seal);
    hand_in.add_flag("--force", command.force, "with --access-only: destroy the refresh token that is there")
        ->needs(access_only);

    auto& login = add.verb(*auth, Verb::auth_login, "login", "get a token set by logging in with a browser");
    add.library(login, true);
    login.add_flag("--open", command.auth.open_browser, "open the address in a browser, too, when on a terminal");
    login.add_flag("--paste", command.auth.paste, "paste the code, even where redirect_uri leads to this machine");
    add.duration(login, "--timeout", "give up waiting for the browser after that time (10m); exit 75",
                 [&command](Duration value) { command.timeout = value; });

    add.library(
        add.verb(*auth, Verb::auth_ask, "ask", "print the letter that asks the owner for a token set; needs no daemon"),
        true);

    auto& status = add.verb(*auth, Verb::auth_status, "status", "what is known about the token sets; nothing secret");
    add.library(status, false);
    add.json(status, "as JSON");
    status.add_flag("--all", command.all, "a line for each library, worst first");
    add.library(
        add.verb(*auth, Verb::auth_token, "token", "print the access token for another script; never refreshes"), true);
    add.library(add.verb(*auth, Verb::auth_adopt, "adopt",
                         "use a token store that looks copied or restored, or take a set back that was moved out"),
                true);
    auto& move_out = add.verb(*auth, Verb::auth_move_out, "move-out",
                              "give the token set to another machine: prints it, and uses it no more");
    add.library(move_out, true);
    move_out.add_option("--to", command.auth.destination, "where it goes, for the status")->type_name("NAME");
    move_out.add_flag("--force", command.force, "show it on a terminal, too");
    add.library(add.verb(*auth, Verb::auth_move_in, "move-in", "take what move-out printed, from standard input"),
                true);
    auto& forget =
        add.verb(*auth, Verb::auth_forget, "forget", "destroy the token set of a library; only a new one helps then");
    add.library(forget, true);
    forget.add_flag("--force", command.force, "do not ask for the name of the library first");
}

}  // namespace shelfd::ctl
