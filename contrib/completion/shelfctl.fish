# Made by `shelfctl completion`; a test keeps it equal to the grammar of shelfctl.
complete -c shelfctl -f
function __shelfctl_names
    set -l verb ''
    set -l args
    set -l given
    set -l skip ''
    set -l whole ''
    for word in (commandline -opc)[2..-1]
        if test -n "$skip"
            test "$skip" = given; and set -a given $word
            set skip ''
        else
            switch $word
                case --config --socket
                    set -a given $word
                    set skip given
                case --config --socket --path --token-file --directory --timeout --client-id --client-secret-file --scope --library --resource --state --problem --html --fresh --as-of --window --if-older --since --retype --sample --to --textfile --lines
                    set skip value
                case '-*'
                case '*'
                    if test -n "$whole"
                        set -a args $word
                    else
                        set verb (string trim "$verb $word")
                        contains -- $verb auth config hooks; or set whole yes
                    end
            end
        end
    end
    if test (count $argv) -gt 0
        shelfctl $given completion tables $args[1] 2>/dev/null
        return
    end
    switch "$verb:"(count $args)
        case 'status:0' 'wait:0' 'sync:0' 'plan:0' 'sql:0' 'changes:0' 'schema:0' 'held:0' 'snapshot:0' 'explain:0' 'verify:0' 'get:0' 'probe:0' 'auth import:0' 'auth login:0' 'auth ask:0' 'auth status:0' 'auth token:0' 'auth adopt:0' 'auth move-out:0' 'auth move-in:0' 'auth forget:0' 'silence:0' 'metrics:0' 'log:0' 'completion:1'
            shelfctl $given completion libraries 2>/dev/null
        case 'wait:1' 'sync:1' 'schema:1' 'held:1' 'explain:1' 'verify:1' 'log:1'
            shelfctl $given completion tables $args[1] 2>/dev/null
    end
end
complete -c shelfctl -a '(__shelfctl_names)'
complete -c shelfctl -n 'not __fish_seen_subcommand_from try init status wait sync plan sql changes schema held snapshot explain verify get probe auth hooks silence metrics doctor bugreport log config help reload completion version' -a auth
complete -c shelfctl -n 'not __fish_seen_subcommand_from try init status wait sync plan sql changes schema held snapshot explain verify get probe auth hooks silence metrics doctor bugreport log config help reload completion version' -a config
complete -c shelfctl -n 'not __fish_seen_subcommand_from try init status wait sync plan sql changes schema held snapshot explain verify get probe auth hooks silence metrics doctor bugreport log config help reload completion version' -a hooks
complete -c shelfctl -l help -d 'print this help and exit'
complete -c shelfctl -l version -d 'print the version and exit'
complete -c shelfctl -l config -r -F -d 'configuration file (default: /etc/shelfd/shelfd.toml)'
complete -c shelfctl -l socket -r -F -d 'control socket (default: $SHELFD_SOCKET, else as configured)'
complete -c shelfctl -l no-color -d 'no colours, as with NO_COLOR'
complete -c shelfctl -n 'not __fish_seen_subcommand_from try init status wait sync plan sql changes schema held snapshot explain verify get probe auth hooks silence metrics doctor bugreport log config help reload completion version' -a try -d 'mirror one list of a service with an access token; needs no configuration and no root'
complete -c shelfctl -n '__fish_seen_subcommand_from try' -l path -r -F -d 'of the list: /api/v2/library/recipes/'
complete -c shelfctl -n '__fish_seen_subcommand_from try' -l token-file -r -F -d 'holds the access token (default: asked for, hidden)'
complete -c shelfctl -n '__fish_seen_subcommand_from try' -l directory -r -F -d 'where the mirror is written (default: shelfd-try)'
complete -c shelfctl -n '__fish_seen_subcommand_from try' -l timeout -x -d 'stop after that time; the mirror holds complete passes only'
complete -c shelfctl -n '__fish_seen_subcommand_from try' -l json -d 'print the result as JSON'
complete -c shelfctl -n 'not __fish_seen_subcommand_from try init status wait sync plan sql changes schema held snapshot explain verify get probe auth hooks silence metrics doctor bugreport log config help reload completion version' -a init -d 'write the first configuration: asks, or takes options'
complete -c shelfctl -n '__fish_seen_subcommand_from init' -l non-interactive -d 'ask nothing: what is needed must be an option'
complete -c shelfctl -n '__fish_seen_subcommand_from init' -l client-id -r -F -d 'of the application'
complete -c shelfctl -n '__fish_seen_subcommand_from init' -l client-secret-file -r -F -d 'holds the secret of the application'
complete -c shelfctl -n '__fish_seen_subcommand_from init' -l scope -r -F -d 'that the token set has, may be repeated'
complete -c shelfctl -n '__fish_seen_subcommand_from init' -l library -r -F -d 'how to call the first library'
complete -c shelfctl -n '__fish_seen_subcommand_from init' -l token-file -r -F -d 'holds a token set, which is imported'
complete -c shelfctl -n '__fish_seen_subcommand_from init' -l path -r -F -d 'of a list to mirror, may be repeated (default: all that are found)'
complete -c shelfctl -n '__fish_seen_subcommand_from init' -l allow-unsafe -d 'keep tokens on a network, memory-only or overlay file system, as in a container'
complete -c shelfctl -n '__fish_seen_subcommand_from init' -l json -d 'print the result as JSON'
complete -c shelfctl -n 'not __fish_seen_subcommand_from try init status wait sync plan sql changes schema held snapshot explain verify get probe auth hooks silence metrics doctor bugreport log config help reload completion version' -a status -d 'show how fresh the mirrors are, what is wrong, and what to do about it'
complete -c shelfctl -n '__fish_seen_subcommand_from status' -l json -d 'print everything the daemon knows, as JSON'
complete -c shelfctl -n '__fish_seen_subcommand_from status' -l all -d 'add a line for each library and each table'
complete -c shelfctl -n '__fish_seen_subcommand_from status' -l resource -r -F -d 'only this table, of every library'
complete -c shelfctl -n '__fish_seen_subcommand_from status' -l state -r -F -d 'only tables in this state'
complete -c shelfctl -n '__fish_seen_subcommand_from status' -l problem -r -F -d 'everything about one problem: its id, the id of its incident, or a word of causes'
complete -c shelfctl -n '__fish_seen_subcommand_from status' -l watch -d 'show it anew every two seconds, until interrupted'
complete -c shelfctl -n '__fish_seen_subcommand_from status' -l nagios -d 'print it as a plugin of Nagios, Icinga and Checkmk does'
complete -c shelfctl -n '__fish_seen_subcommand_from status' -l html -r -F -d 'write a page of HTML to FILE ("-": standard output)'
complete -c shelfctl -n 'not __fish_seen_subcommand_from try init status wait sync plan sql changes schema held snapshot explain verify get probe auth hooks silence metrics doctor bugreport log config help reload completion version' -a wait -d 'wait until the mirrors are fresh; starts no pass'
complete -c shelfctl -n '__fish_seen_subcommand_from wait' -l fresh -x -d 'wait for data at most that old, instead of the state fresh'
complete -c shelfctl -n '__fish_seen_subcommand_from wait' -l as-of -r -F -d 'wait for data as of that instant (or now) or later'
complete -c shelfctl -n '__fish_seen_subcommand_from wait' -l timeout -x -d 'give up after that time (default: 10m); exit 75'
complete -c shelfctl -n 'not __fish_seen_subcommand_from try init status wait sync plan sql changes schema held snapshot explain verify get probe auth hooks silence metrics doctor bugreport log config help reload completion version' -a sync -d 'bring a library, or one of its tables, up to date now'
complete -c shelfctl -n '__fish_seen_subcommand_from sync' -l all -d 'every library that is not paused, at the same time'
complete -c shelfctl -n '__fish_seen_subcommand_from sync' -l full -d 'walk the whole list, whatever the schedule says'
complete -c shelfctl -n '__fish_seen_subcommand_from sync' -l window -r -F -d 'of a ledger: walk these days or instants again, both ends included'
complete -c shelfctl -n '__fish_seen_subcommand_from sync' -l background -d 'request it and return'
complete -c shelfctl -n '__fish_seen_subcommand_from sync' -l if-older -x -d 'only tables with data older than that'
complete -c shelfctl -n '__fish_seen_subcommand_from sync' -l timeout -x -d 'stop waiting after that time, exit 75; the passes continue'
complete -c shelfctl -n '__fish_seen_subcommand_from sync' -l dry-run -d 'only print what would be requested, how often and why'
complete -c shelfctl -n '__fish_seen_subcommand_from sync' -l json -d 'progress as JSON lines'
complete -c shelfctl -n 'not __fish_seen_subcommand_from try init status wait sync plan sql changes schema held snapshot explain verify get probe auth hooks silence metrics doctor bugreport log config help reload completion version' -a plan -d 'compare the requests that the schedules need with the limit; needs no daemon'
complete -c shelfctl -n '__fish_seen_subcommand_from plan' -l json -d 'as JSON'
complete -c shelfctl -n 'not __fish_seen_subcommand_from try init status wait sync plan sql changes schema held snapshot explain verify get probe auth hooks silence metrics doctor bugreport log config help reload completion version' -a sql -d 'query a mirror; read-only, needs no daemon'
complete -c shelfctl -n '__fish_seen_subcommand_from sql' -l csv -d 'comma-separated, with a header'
complete -c shelfctl -n '__fish_seen_subcommand_from sql' -l json -d 'an array of objects'
complete -c shelfctl -n '__fish_seen_subcommand_from sql' -l vertical -d 'a line for each value, for wide rows'
complete -c shelfctl -n 'not __fish_seen_subcommand_from try init status wait sync plan sql changes schema held snapshot explain verify get probe auth hooks silence metrics doctor bugreport log config help reload completion version' -a changes -d 'print what was added, changed and deleted; needs no daemon'
complete -c shelfctl -n '__fish_seen_subcommand_from changes' -l since -r -F -d 'a position that was printed before, or now (only later changes)'
complete -c shelfctl -n '__fish_seen_subcommand_from changes' -l resource -x -a '(__shelfctl_names tables)' -d 'of one table only'
complete -c shelfctl -n '__fish_seen_subcommand_from changes' -l follow -d 'continue until interrupted'
complete -c shelfctl -n '__fish_seen_subcommand_from changes' -l json -d 'JSON lines'
complete -c shelfctl -n 'not __fish_seen_subcommand_from try init status wait sync plan sql changes schema held snapshot explain verify get probe auth hooks silence metrics doctor bugreport log config help reload completion version' -a schema -d 'print tables and columns, with what is known about them'
complete -c shelfctl -n '__fish_seen_subcommand_from schema' -l retype -r -F -d 'after drift: choose the kind again from the values in the table'
complete -c shelfctl -n '__fish_seen_subcommand_from schema' -l json -d 'as JSON'
complete -c shelfctl -n 'not __fish_seen_subcommand_from try init status wait sync plan sql changes schema held snapshot explain verify get probe auth hooks silence metrics doctor bugreport log config help reload completion version' -a held -d 'list rows that are missing from the list but not deleted'
complete -c shelfctl -n '__fish_seen_subcommand_from held' -l accept -d 'they were deleted at the service: delete them from the table now'
complete -c shelfctl -n '__fish_seen_subcommand_from held' -l keep -d 'they exist at the service: keep them, and do not ask again'
complete -c shelfctl -n '__fish_seen_subcommand_from held' -l json -d 'as JSON'
complete -c shelfctl -n 'not __fish_seen_subcommand_from try init status wait sync plan sql changes schema held snapshot explain verify get probe auth hooks silence metrics doctor bugreport log config help reload completion version' -a snapshot -d 'copy a mirror into one file that opens anywhere'
complete -c shelfctl -n '__fish_seen_subcommand_from snapshot' -l json -d 'as JSON'
complete -c shelfctl -n 'not __fish_seen_subcommand_from try init status wait sync plan sql changes schema held snapshot explain verify get probe auth hooks silence metrics doctor bugreport log config help reload completion version' -a explain -d 'explain how a table or a row came to be as it is; needs no daemon'
complete -c shelfctl -n 'not __fish_seen_subcommand_from try init status wait sync plan sql changes schema held snapshot explain verify get probe auth hooks silence metrics doctor bugreport log config help reload completion version' -a verify -d 'compare rows, value by value, with the service as it is now'
complete -c shelfctl -n '__fish_seen_subcommand_from verify' -l sample -r -F -d 'compare this many random rows, one request each'
complete -c shelfctl -n '__fish_seen_subcommand_from verify' -l json -d 'JSON lines'
complete -c shelfctl -n 'not __fish_seen_subcommand_from try init status wait sync plan sql changes schema held snapshot explain verify get probe auth hooks silence metrics doctor bugreport log config help reload completion version' -a get -d 'request one address of the service, with the library'\''s token'
complete -c shelfctl -n '__fish_seen_subcommand_from get' -l raw -d 'print the answer as received, not indented'
complete -c shelfctl -n 'not __fish_seen_subcommand_from try init status wait sync plan sql changes schema held snapshot explain verify get probe auth hooks silence metrics doctor bugreport log config help reload completion version' -a probe -d 'find the lists of the service, or explore lists'
complete -c shelfctl -n '__fish_seen_subcommand_from probe' -l all -d 'find the lists, and explore each of them'
complete -c shelfctl -n '__fish_seen_subcommand_from probe' -l configured -d 'explore the configured lists'
complete -c shelfctl -n '__fish_seen_subcommand_from probe' -l json -d 'JSON lines'
complete -c shelfctl -n '__fish_seen_subcommand_from auth; and not __fish_seen_subcommand_from import login ask status token adopt move-out move-in forget' -a import -d 'import a token set from standard input or a hidden prompt'
complete -c shelfctl -n '__fish_seen_subcommand_from auth; and __fish_seen_subcommand_from import' -l no-seal -d 'do not rotate it at once; the pasted copy stays usable'
complete -c shelfctl -n '__fish_seen_subcommand_from auth; and __fish_seen_subcommand_from import' -l access-only -d 'keep no refresh token: works until the access token expires'
complete -c shelfctl -n '__fish_seen_subcommand_from auth; and __fish_seen_subcommand_from import' -l force -d 'with --access-only: destroy the existing refresh token'
complete -c shelfctl -n '__fish_seen_subcommand_from auth; and __fish_seen_subcommand_from import' -l json -d 'the daemon'\''s report as JSON'
complete -c shelfctl -n '__fish_seen_subcommand_from auth; and not __fish_seen_subcommand_from import login ask status token adopt move-out move-in forget' -a login -d 'get a token set by logging in with a browser'
complete -c shelfctl -n '__fish_seen_subcommand_from auth; and __fish_seen_subcommand_from login' -l open -d 'also open the address in a browser, if on a terminal'
complete -c shelfctl -n '__fish_seen_subcommand_from auth; and __fish_seen_subcommand_from login' -l paste -d 'paste the code, even if redirect_uri leads to this machine'
complete -c shelfctl -n '__fish_seen_subcommand_from auth; and __fish_seen_subcommand_from login' -l timeout -x -d 'give up waiting for the browser after that time (default: 10m); exit 75'
complete -c shelfctl -n '__fish_seen_subcommand_from auth; and __fish_seen_subcommand_from login' -l json -d 'the daemon'\''s report as JSON; what a person must read goes to standard error'
complete -c shelfctl -n '__fish_seen_subcommand_from auth; and not __fish_seen_subcommand_from import login ask status token adopt move-out move-in forget' -a ask -d 'print the letter that asks the owner for a token set; needs no daemon'
complete -c shelfctl -n '__fish_seen_subcommand_from auth; and __fish_seen_subcommand_from ask' -l json -d 'the letter as a member of a JSON object'
complete -c shelfctl -n '__fish_seen_subcommand_from auth; and not __fish_seen_subcommand_from import login ask status token adopt move-out move-in forget' -a status -d 'show what is known about the token sets; nothing secret'
complete -c shelfctl -n '__fish_seen_subcommand_from auth; and __fish_seen_subcommand_from status' -l json -d 'as JSON'
complete -c shelfctl -n '__fish_seen_subcommand_from auth; and __fish_seen_subcommand_from status' -l all -d 'print a line for each library, worst first'
complete -c shelfctl -n '__fish_seen_subcommand_from auth; and not __fish_seen_subcommand_from import login ask status token adopt move-out move-in forget' -a token -d 'print the access token for another script; never refreshes'
complete -c shelfctl -n '__fish_seen_subcommand_from auth; and __fish_seen_subcommand_from token' -l json -d 'as a member of a JSON object'
complete -c shelfctl -n '__fish_seen_subcommand_from auth; and not __fish_seen_subcommand_from import login ask status token adopt move-out move-in forget' -a adopt -d 'use a token store that looks copied or restored, or take back a set that was moved out'
complete -c shelfctl -n '__fish_seen_subcommand_from auth; and __fish_seen_subcommand_from adopt' -l json -d 'the daemon'\''s report as JSON'
complete -c shelfctl -n '__fish_seen_subcommand_from auth; and not __fish_seen_subcommand_from import login ask status token adopt move-out move-in forget' -a move-out -d 'give the token set to another machine: prints it, and stops using it'
complete -c shelfctl -n '__fish_seen_subcommand_from auth; and __fish_seen_subcommand_from move-out' -l to -r -F -d 'where the set goes, shown in the status'
complete -c shelfctl -n '__fish_seen_subcommand_from auth; and __fish_seen_subcommand_from move-out' -l force -d 'print it even on a terminal'
complete -c shelfctl -n '__fish_seen_subcommand_from auth; and not __fish_seen_subcommand_from import login ask status token adopt move-out move-in forget' -a move-in -d 'import what move-out printed, from standard input'
complete -c shelfctl -n '__fish_seen_subcommand_from auth; and __fish_seen_subcommand_from move-in' -l json -d 'the daemon'\''s report as JSON'
complete -c shelfctl -n '__fish_seen_subcommand_from auth; and not __fish_seen_subcommand_from import login ask status token adopt move-out move-in forget' -a forget -d 'destroy the token set of a library; only the owner can issue another one'
complete -c shelfctl -n '__fish_seen_subcommand_from auth; and __fish_seen_subcommand_from forget' -l force -d 'do not ask to type the name of the library'
complete -c shelfctl -n '__fish_seen_subcommand_from auth; and __fish_seen_subcommand_from forget' -l json -d 'the daemon'\''s report as JSON'
complete -c shelfctl -n '__fish_seen_subcommand_from hooks; and not __fish_seen_subcommand_from list test' -a list -d 'hooks, their waiting calls, open incidents and silences'
complete -c shelfctl -n '__fish_seen_subcommand_from hooks; and __fish_seen_subcommand_from list' -l json -d 'as JSON'
complete -c shelfctl -n '__fish_seen_subcommand_from hooks; and not __fish_seen_subcommand_from list test' -a test -d 'call a hook now and wait for the outcome'
complete -c shelfctl -n '__fish_seen_subcommand_from hooks; and __fish_seen_subcommand_from test' -l json -d 'as JSON'
complete -c shelfctl -n 'not __fish_seen_subcommand_from try init status wait sync plan sql changes schema held snapshot explain verify get probe auth hooks silence metrics doctor bugreport log config help reload completion version' -a silence -d 'announce no trouble of a library for a while'
complete -c shelfctl -n '__fish_seen_subcommand_from silence' -l json -d 'as JSON'
complete -c shelfctl -n 'not __fish_seen_subcommand_from try init status wait sync plan sql changes schema held snapshot explain verify get probe auth hooks silence metrics doctor bugreport log config help reload completion version' -a metrics -d 'print the daemon'\''s metrics in Prometheus'\'' text format'
complete -c shelfctl -n '__fish_seen_subcommand_from metrics' -l all -d 'print every series of all libraries'
complete -c shelfctl -n '__fish_seen_subcommand_from metrics' -l textfile -r -F -d 'replace this file instead, for node_exporter'
complete -c shelfctl -n '__fish_seen_subcommand_from metrics' -l json -d 'as JSON'
complete -c shelfctl -n 'not __fish_seen_subcommand_from try init status wait sync plan sql changes schema held snapshot explain verify get probe auth hooks silence metrics doctor bugreport log config help reload completion version' -a doctor -d 'check the installation, without asking the service'
complete -c shelfctl -n '__fish_seen_subcommand_from doctor' -l fix -d 'correct modes and groups of files that are ours; deletes nothing'
complete -c shelfctl -n '__fish_seen_subcommand_from doctor' -l all -d 'print a line for each check, not only for findings'
complete -c shelfctl -n '__fish_seen_subcommand_from doctor' -l json -d 'as JSON'
complete -c shelfctl -n 'not __fish_seen_subcommand_from try init status wait sync plan sql changes schema held snapshot explain verify get probe auth hooks silence metrics doctor bugreport log config help reload completion version' -a bugreport -d 'write a report for developers, without secrets and data'
complete -c shelfctl -n '__fish_seen_subcommand_from bugreport' -l hosts -d 'keep the names of hosts'
complete -c shelfctl -n '__fish_seen_subcommand_from bugreport' -l json -d 'print the path of the file as JSON'
complete -c shelfctl -n 'not __fish_seen_subcommand_from try init status wait sync plan sql changes schema held snapshot explain verify get probe auth hooks silence metrics doctor bugreport log config help reload completion version' -a log -d 'print what happened to a library, newest last; needs no daemon'
complete -c shelfctl -n '__fish_seen_subcommand_from log' -l since -x -d 'only the last TIME (default: the last 50 events)'
complete -c shelfctl -n '__fish_seen_subcommand_from log' -l lines -r -F -d 'at most N events, the newest'
complete -c shelfctl -n '__fish_seen_subcommand_from log' -l all -d 'also passes that changed nothing'
complete -c shelfctl -n '__fish_seen_subcommand_from log' -l follow -d 'continue until interrupted'
complete -c shelfctl -n '__fish_seen_subcommand_from log' -l json -d 'JSON lines'
complete -c shelfctl -n '__fish_seen_subcommand_from config; and not __fish_seen_subcommand_from check show' -a check -d 'report every fault with file, line and column'
complete -c shelfctl -n '__fish_seen_subcommand_from config; and not __fish_seen_subcommand_from check show' -a show -d 'print the effective configuration, secrets as references'
complete -c shelfctl -n '__fish_seen_subcommand_from config; and __fish_seen_subcommand_from show' -l origin -d 'add where each value was written'
complete -c shelfctl -n 'not __fish_seen_subcommand_from try init status wait sync plan sql changes schema held snapshot explain verify get probe auth hooks silence metrics doctor bugreport log config help reload completion version' -a help -d 'print the usage of a verb, or the list of verbs'
complete -c shelfctl -n '__fish_seen_subcommand_from help' -a 'try init status wait sync plan sql changes schema held snapshot explain verify get probe auth hooks silence metrics doctor bugreport log config help reload completion version'
complete -c shelfctl -n 'not __fish_seen_subcommand_from try init status wait sync plan sql changes schema held snapshot explain verify get probe auth hooks silence metrics doctor bugreport log config help reload completion version' -a reload -d 'make the daemon reload its configuration, all or nothing'
complete -c shelfctl -n 'not __fish_seen_subcommand_from try init status wait sync plan sql changes schema held snapshot explain verify get probe auth hooks silence metrics doctor bugreport log config help reload completion version' -a completion -d 'print the completion of a shell'
complete -c shelfctl -n '__fish_seen_subcommand_from completion' -a 'bash zsh fish'
complete -c shelfctl -n 'not __fish_seen_subcommand_from try init status wait sync plan sql changes schema held snapshot explain verify get probe auth hooks silence metrics doctor bugreport log config help reload completion version' -a version -d 'print the version'
