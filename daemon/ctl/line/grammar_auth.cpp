// The verbs about token sets.
#include "ctl/line/grammar.hpp"

#include <CLI/App.hpp>

namespace shelfd::ctl {

void Grammar::add_auth()
{
    auto* auth = app_->add_subcommand("auth", "token sets");
    auth->require_subcommand(1)->fallthrough();

    // Not named "import": clang-format takes that for a module.
    auto& hand_in =
        verb(*auth, Verb::auth_import, "import", "hand in a token set, from standard input or a hidden prompt");
    library(hand_in, true);
    auto* no_seal = hand_in.add_flag_callback(
        "--no-seal", [this] { command_.sealing = Sealing::no_seal; },
        "do not rotate it at once; whoever has a copy can still use it");
    auto* access_only = hand_in.add_flag_callback(
        "--access-only", [this] { command_.sealing = Sealing::access_only; },
        "keep no refresh token: works until the access token ends");
    access_only->excludes(no_seal);
    hand_in.add_flag("--force", command_.force, "with --access-only: destroy the refresh token that is there")
        ->needs(access_only);

    auto& login = verb(*auth, Verb::auth_login, "login", "get a token set by logging in with a browser");
    library(login, true);
    login.add_flag("--open", command_.open_browser, "open the address in a browser, too, when on a terminal");
    login.add_flag("--paste", command_.paste, "paste the code, even where redirect_uri leads to this machine");
    duration(login, "--timeout", "give up waiting for the browser after that time (10m); exit 75",
             [this](Duration value) { command_.timeout = value; });

    library(verb(*auth, Verb::auth_ask, "ask", "print the letter that asks the owner for a token set; needs no daemon"),
            true);

    auto& status = verb(*auth, Verb::auth_status, "status", "what is known about the token sets; nothing secret");
    library(status, false);
    json(status, "as JSON");
    status.add_flag("--all", command_.all, "a line for each library, worst first");
    library(verb(*auth, Verb::auth_token, "token", "print the access token for another script; never refreshes"), true);
    library(verb(*auth, Verb::auth_adopt, "adopt",
                 "use a token store that looks copied or restored, or take a set back that was moved out"),
            true);
    auto& move_out = verb(*auth, Verb::auth_move_out, "move-out",
                          "give the token set to another machine: prints it, and uses it no more");
    library(move_out, true);
    move_out.add_option("--to", command_.destination, "where it goes, for the status")->type_name("NAME");
    move_out.add_flag("--force", command_.force, "show it on a terminal, too");
    library(verb(*auth, Verb::auth_move_in, "move-in", "take what move-out printed, from standard input"), true);
    auto& forget =
        verb(*auth, Verb::auth_forget, "forget", "destroy the token set of a library; only a new one helps then");
    library(forget, true);
    forget.add_flag("--force", command_.force, "do not ask for the name of the library first");
}

}  // namespace shelfd::ctl
