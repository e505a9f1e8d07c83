# Made by `shelfctl completion`; a test keeps it equal to the grammar of shelfctl.
_shelfctl()
{
    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} verb='' words='' word i whole=''
    local -a args=() given=()
    COMPREPLY=()
    case $previous in
    --config | --token-file | --client-secret-file | --html | --textfile | --socket | --path) mapfile -t COMPREPLY < <(compgen -f -- "$current"); return ;;
    --timeout | --fresh | --if-older | --since) return ;;
    esac
    for ((i = 1; i < COMP_CWORD; i++)); do
        word=${COMP_WORDS[i]}
        case $word in
        --config | --socket) given+=("$word" "${COMP_WORDS[i + 1]}"); i=$((i + 1)) ;;
        --config | --socket | --path | --key | --token-file | --directory | --timeout | --client-id | --client-secret-file | --scope | --library | --resource | --state | --problem | --html | --fresh | --as-of | --window | --if-older | --since | --consumer | --ack-to | --retype | --sample | --language | --into | --to | --application | --id | --note | --textfile | --lines) i=$((i + 1)) ;;
        -*) ;;
        *)
            if [[ -n $whole ]]; then
                args+=("$word")
                continue
            fi
            verb=${verb:+$verb }$word
            case $verb in auth | config | hooks | library) ;; *) whole=yes ;; esac
            ;;
        esac
    done
    case $verb in
    'auth') words='import login ask status token adopt move-out move-in forget' ;;
    'config') words='check show' ;;
    'hooks') words='list test' ;;
    'library') words='list add rename pause resume forget' ;;
    '') words='try init status wait sync plan sql changes schema held snapshot explain verify get probe auth library hooks silence metrics doctor bugreport log config help reload completion version' ;;
    'try') words='--path --key --token-file --directory --timeout --json' ;;
    'init') words='--non-interactive --client-id --client-secret-file --scope --library --token-file --path --allow-unsafe --json' ;;
    'status') words='--json --all --resource --state --problem --watch --nagios --html' ;;
    'wait') words='--fresh --as-of --timeout --json' ;;
    'sync') words='--all --full --window --background --if-older --timeout --dry-run --json' ;;
    'plan') words='--json' ;;
    'sql') words='--csv --json --vertical' ;;
    'changes') words='--since --resource --follow --consumer --ack --ack-to --forget --json' ;;
    'schema') words='--retype --json' ;;
    'held') words='--accept --keep --json' ;;
    'snapshot') words='--json' ;;
    'explain') words='--json' ;;
    'verify') words='--sample --json' ;;
    'get') words='--raw --json' ;;
    'probe') words='--all --configured --json' ;;
    'auth import') words='--no-seal --access-only --force --json' ;;
    'auth login') words='--open --paste --timeout --json' ;;
    'auth ask') words='--all --language --into --json' ;;
    'auth status') words='--json --all' ;;
    'auth token') words='--json' ;;
    'auth adopt') words='--all --json' ;;
    'auth move-out') words='--all --to --force --json' ;;
    'auth move-in') words='--all --json' ;;
    'auth forget') words='--force --json' ;;
    'library list') words='--json' ;;
    'library add') words='--application --id --note --login --no-set --yes --json' ;;
    'library rename') words='--json' ;;
    'library pause') words='--json' ;;
    'library resume') words='--json' ;;
    'library forget') words='--no-revoke --force --json' ;;
    'hooks list') words='--json' ;;
    'hooks test') words='--json' ;;
    'silence') words='--json' ;;
    'metrics') words='--all --textfile --json' ;;
    'doctor') words='--fix --all --json' ;;
    'bugreport') words='--hosts --json' ;;
    'log') words='--since --lines --all --follow --json' ;;
    'config check') words='--json' ;;
    'config show') words='--origin --library --json' ;;
    'help') words='--json try init status wait sync plan sql changes schema held snapshot explain verify get probe auth library hooks silence metrics doctor bugreport log config help reload completion version' ;;
    'reload') words='--dry-run --json' ;;
    'completion') words='--json bash zsh fish' ;;
    'version') words='--json' ;;
    esac
    case $previous:$current:$verb:${#args[@]} in
    --resource:*) words=$(shelfctl "${given[@]}" completion tables "${args[0]}" 2>/dev/null) ;;
    *:-*) words="$words --help --version --config --socket --no-color" ;;
    *)
        case $verb:${#args[@]} in
        'status:0' | 'wait:0' | 'sync:0' | 'plan:0' | 'sql:0' | 'changes:0' | 'schema:0' | 'held:0' | 'snapshot:0' | 'explain:0' | 'verify:0' | 'get:0' | 'probe:0' | 'auth import:0' | 'auth login:0' | 'auth ask:0' | 'auth status:0' | 'auth token:0' | 'auth adopt:0' | 'auth move-out:0' | 'auth move-in:0' | 'auth forget:0' | 'library rename:0' | 'library pause:0' | 'library resume:0' | 'library forget:0' | 'silence:0' | 'metrics:0' | 'log:0' | 'completion:1') words="$words $(shelfctl "${given[@]}" completion libraries 2>/dev/null)" ;;
        'wait:1' | 'sync:1' | 'schema:1' | 'held:1' | 'explain:1' | 'verify:1' | 'log:1') words="$words $(shelfctl "${given[@]}" completion tables "${args[0]}" 2>/dev/null)" ;;
        esac
        ;;
    esac
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
}
complete -F _shelfctl shelfctl
