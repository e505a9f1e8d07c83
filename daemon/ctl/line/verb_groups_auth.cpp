// The verbs about token sets.
#include "ctl/line/verb_groups.hpp"

#include <CLI/App.hpp>

namespace shelfd::ctl {

namespace {

void add_handover(VerbAdder& add, CLI::App& auth)
{
    auto& command = add.command();
    auto& move_out = add.verb(auth, Verb::auth_move_out, "move-out",
                              "give the token set to another machine: prints it, and stops using it");
    auto* given = add.library(move_out, false);
    given->description("name of the library");
    move_out.add_flag("--all", command.all, "the set of every library, a line each")->excludes(given);
    move_out.add_option("--to", command.auth.destination, "where the set goes, shown in the status")->type_name("NAME");
    move_out.add_flag("--force", command.force, "print it even on a terminal");
    add.json(move_out, "no effect: the set is always printed as JSON");
    auto& move_in = add.verb(auth, Verb::auth_move_in, "move-in", "import what move-out printed, from standard input");
    auto* taken = add.library(move_in, false);
    taken->description("name of the library");
    move_in.add_flag("--all", command.all, "every line of move-out --all, each into the library that it names")
        ->excludes(taken);
    add.json(move_in, "the daemon's report as JSON; with --all a line for each library");
    auto& forget = add.verb(auth, Verb::auth_forget, "forget",
                            "destroy the token set of a library; only the owner can issue another one");
    add.library(forget, true);
    forget.add_flag("--force", command.force, "do not ask to type the name of the library");
    add.json(forget, "the daemon's report as JSON");
}

}  // namespace

void add_auth(VerbAdder& add)
{
    auto& command = add.command();
    auto* auth = add.group("auth", "manage token sets");
    auth->require_subcommand(1)->fallthrough();

    // Not named "import": clang-format takes that for a module.
    auto& hand_in =
        add.verb(*auth, Verb::auth_import, "import", "import a token set from standard input or a hidden prompt");
    add.library(hand_in, true);
    auto* no_seal = hand_in.add_flag_callback(
        "--no-seal", [&command] { command.auth.sealing = Sealing::no_seal; },
        "do not rotate it at once; the pasted copy stays usable");
    auto* access_only = hand_in.add_flag_callback(
        "--access-only", [&command] { command.auth.sealing = Sealing::access_only; },
        "keep no refresh token: works until the access token expires");
    access_only->excludes(no_seal);
    hand_in.add_flag("--force", command.force, "with --access-only: destroy the existing refresh token")
        ->needs(access_only);
    add.json(hand_in, "the daemon's report as JSON");

    auto& login = add.verb(*auth, Verb::auth_login, "login", "get a token set by logging in with a browser");
    add.library(login, true);
    login.add_flag("--open", command.auth.open_browser, "also open the address in a browser, if on a terminal");
    login.add_flag("--paste", command.auth.paste, "paste the code, even if redirect_uri leads to this machine");
    add.duration(login, "--timeout", "give up waiting for the browser after that time (default: 10m); exit 75",
                 [&command](Duration value) { command.timeout = value; });
    add.json(login, "the daemon's report as JSON; what a person must read goes to standard error");

    auto& ask =
        add.verb(*auth, Verb::auth_ask, "ask", "print the letter that asks the owner for a token set; needs no daemon");
    auto* asked = add.library(ask, false);
    asked->description("name of the library");
    ask.add_flag("--all", command.all, "a letter for each library whose token set needs its owner")->excludes(asked);
    ask.add_option("--language", command.auth.language, "en, nl, fr, de, or a letter of your own (default: configured)")
        ->type_name("NAME");
    ask.add_option("--into", command.auth.folder, "write each letter to DIR/LIB.txt instead")->type_name("DIR");
    add.json(ask, "a JSON object for each letter");

    auto& status =
        add.verb(*auth, Verb::auth_status, "status", "show what is known about the token sets; nothing secret");
    add.library(status, false);
    add.json(status, "as JSON");
    status.add_flag("--all", command.all, "print a line for each library, worst first");
    auto& token =
        add.verb(*auth, Verb::auth_token, "token", "print the access token for another script; never refreshes");
    add.library(token, true);
    add.json(token, "as a member of a JSON object");
    auto& adopt = add.verb(*auth, Verb::auth_adopt, "adopt",
                           "use a token store that looks copied or restored, or take back a set that was moved out");
    auto* adopted = add.library(adopt, false);
    adopted->description("name of the library");
    adopt.add_flag("--all", command.all, "every library whose store looks copied")->excludes(adopted);
    add.json(adopt, "the daemon's report as JSON");
    add_handover(add, *auth);
}

}  // namespace shelfd::ctl
