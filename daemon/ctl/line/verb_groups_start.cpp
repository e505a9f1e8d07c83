// The verbs of the first ten minutes.
#include "ctl/line/verb_groups.hpp"

#include <CLI/App.hpp>

namespace shelfd::ctl {

void add_start(VerbAdder& add)
{
    auto& command = add.command();
    auto& trial = add.verb(Verb::try_list, "try",
                           "mirror one list of a service with an access token; needs no configuration and no root");
    trial.add_option("URL", command.start.url, "address of the service: https://api.example.com")
        ->required()
        ->type_name("");
    trial.add_option("--path", command.inquiry.paths, "of the list: /api/v2/library/recipes/")
        ->expected(1)
        ->type_name("PATH");
    trial.add_option("--key", command.key, "member that identifies a row (default: found by its name)")
        ->type_name("NAME");
    trial.add_option("--token-file", command.start.token_file, "holds the access token (default: asked for, hidden)")
        ->type_name("FILE");
    trial.add_option("--directory", command.start.directory, "where the mirror is written (default: shelfd-try)")
        ->type_name("DIR");
    add.duration(trial, "--timeout", "stop after that time; the mirror holds complete passes only",
                 [&command](Duration value) { command.sync.timeout = value; });
    add.json(trial, "print the result as JSON");

    auto& init =
        add.verb(Verb::init, "init", "write the first configuration: asks, or takes options; replaces no file");
    init.add_option("URL", command.start.url, "address of the service: https://api.example.com")->type_name("");
    init.add_flag("--non-interactive", command.start.non_interactive, "ask nothing: what is needed must be an option");
    init.add_option("--client-id", command.start.client_id, "client ID of the application")->type_name("ID");
    init.add_option("--client-secret-file", command.start.client_secret_file,
                    "file with the client secret of the application")
        ->type_name("FILE");
    init.add_option("--scope", command.start.scopes, "a scope of the token set; may be repeated")->type_name("SCOPE");
    init.add_option("--library", command.library, "name of the first library")->type_name("NAME");
    init.add_option("--token-file", command.start.token_file, "file with a token set to import")->type_name("FILE");
    init.add_option("--path", command.inquiry.paths,
                    "path of a list to mirror; may be repeated (default: all that are found)")
        ->type_name("PATH");
    init.add_flag("--allow-unsafe", command.start.allow_unsafe,
                  "keep tokens on a network, memory-only or overlay file system, as in a container");
    add.json(init, "print the result as JSON");
}

}  // namespace shelfd::ctl
