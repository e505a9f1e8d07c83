# Made by `shelfctl completion`; a test keeps it equal to the grammar of shelfctl.
_shelfctl()
{
    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} verb='' words='' word i
    COMPREPLY=()
    case $previous in
    --config | --textfile | --socket) mapfile -t COMPREPLY < <(compgen -f -- "$current"); return ;;
    --fresh | --timeout | --if-older) return ;;
    esac
    for ((i = 1; i < COMP_CWORD; i++)); do
        word=${COMP_WORDS[i]}
        case $word in
        --config | --socket | --fresh | --timeout | --window | --if-older | --since | --resource | --retype | --sample | --to | --textfile) i=$((i + 1)) ;;
        -*) ;;
        *)
            verb=${verb:+$verb }$word
            case $verb in auth | config | hooks) ;; *) break ;; esac
            ;;
        esac
    done
    case $verb in
    'auth') words='import login ask status token adopt move-out move-in forget' ;;
    'config') words='check show' ;;
    'hooks') words='list test' ;;
    '') words='status wait sync plan sql changes schema held snapshot explain verify get probe auth hooks silence metrics config reload completion version' ;;
    'status') words='--json --all --watch' ;;
    'wait') words='--fresh --timeout' ;;
    'sync') words='--full --window --background --if-older --dry-run --json' ;;
    'plan') words='--json' ;;
    'sql') words='--csv --json' ;;
    'changes') words='--since --resource --follow --json' ;;
    'schema') words='--retype --json' ;;
    'held') words='--accept --keep --json' ;;
    'snapshot') words='--json' ;;
    'explain') words='' ;;
    'verify') words='--sample --json' ;;
    'get') words='--raw' ;;
    'probe') words='--json' ;;
    'auth import') words='--no-seal --access-only --force' ;;
    'auth login') words='--open --paste --timeout' ;;
    'auth ask') words='' ;;
    'auth status') words='--json --all' ;;
    'auth token') words='' ;;
    'auth adopt') words='' ;;
    'auth move-out') words='--to --force' ;;
    'auth move-in') words='' ;;
    'auth forget') words='--force' ;;
    'hooks list') words='--json' ;;
    'hooks test') words='--json' ;;
    'silence') words='--json' ;;
    'metrics') words='--all --textfile --json' ;;
    'config check') words='' ;;
    'config show') words='--origin' ;;
    'reload') words='' ;;
    'completion') words='bash zsh fish' ;;
    'version') words='' ;;
    esac
    case $current in -*) words="$words --help --version --config --socket --no-color" ;; esac
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
}
complete -F _shelfctl shelfctl
