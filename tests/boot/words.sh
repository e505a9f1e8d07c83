# Words that the steps are written in: sourced by tests/boot/run.
# shellcheck shell=bash

remark=  # what a step adds to its line
readonly service_address=http://127.0.0.1:8099
readonly drop_in=/run/systemd/system/shelfd.service.d

# wait_until SECONDS COMMAND…
wait_until() {
    local patience=$(($1 * 10))
    shift
    until "$@"; do
        patience=$((patience - 1))
        [ "$patience" -gt 0 ] || return 1
        sleep 0.1
    done
}

# check WHAT COMMAND…: the command succeeds, or the test ends with what should have been.
check() {
    local what=$1 output
    shift
    output=$("$@" 2>&1) || fail "$what: $* (exit $?)
$output"
}

# refused WHAT COMMAND…: the command fails, and what it says is in $said.
refused() {
    local what=$1
    shift
    if said=$("$@" 2>&1); then
        fail "$what, but this succeeded: $*
$said"
    fi
}

# same WHAT EXPECTED FOUND
same() { [ "$2" = "$3" ] || fail "$1: $2 expected, found $3"; }

# holds TEXT PART
holds() { [[ $1 == *"$2"* ]]; }

ctl() { inside shelfctl "$@"; }

# as USER COMMAND…: with the groups that a new login has.
as() {
    local user=$1
    shift
    inside runuser -u "$user" -- "$@"
}

# ask CONTROL [ARGUMENT…]: what the simulator says at /sim/CONTROL.
ask() { inside /opt/test/shelfsim --ask "$service_address/sim/$1" "${@:2}"; }

# Of the service: how often its token endpoint was asked, and the number of a library's newest set.
token_posts() { ask audit --field token_posts; }
# How many requests of any kind it answered, and how many wait for their answer now.
all_requests() { ask audit --field total; }
is_in_flight() { [ "$(ask audit --field in_flight)" -ge 1 ]; }
generation() { ask "set?library=$1" --field generation; }

unit() { inside systemctl show --value -p "$1" "${2:-shelfd}"; }
is_active() { [ "$(unit ActiveState "${1:-shelfd}")" = active ]; }
is_stopped() { case $(unit ActiveState "${1:-shelfd}") in inactive | failed) return 0 ;; *) return 1 ;; esac; }

# write FILE: standard input becomes a file of the container.
write() { inside sh -c 'mkdir -p "$(dirname "$1")" && cat >"$1"' -- "$1"; }

# With what is on standard input as its drop-in, until forget_drop_ins.
drop_in() { write "$drop_in/$1.conf" && inside systemctl daemon-reload; }

forget_drop_ins() {
    inside rm -rf "$drop_in"
    inside systemctl daemon-reload
    restart
}

restart() { check "the daemon starts again" inside systemctl restart shelfd; }

# The commands of README's quick start, without their comments, in order.
quick_start() {
    sed -n '/^## Quick start/,/^## Reading/s/^       \([a-z].*\)$/\1/p' "$root/README.md" | sed 's/  *# .*$//'
}

# type_line LINE [FILE [CUSTOMER]]: what a person types: with sudo as root, otherwise as alice. FILE is what the person
# pastes, CUSTOMER whose credentials the line means.
type_line() {
    local line=$1 user=alice credentials=/opt/test/credentials/${3:-lib01}
    [[ $line != sudo\ * ]] || user=root
    # Their meaning for this machine: the built package, the service, and the files with what its owner gave out.
    line=${line//.\/build\/package\/shelfd_*.deb//opt/test/shelfd.deb}
    line=${line//https:\/\/example.com/$service_address}
    line=${line//SECRET/$credentials/client_secret}
    line=${line//--client-id ID /--client-id $(inside cat "$credentials/client_id") }
    line=${line//--token-file SET/--token-file $credentials/token.json}
    check "README's quick start" as "$user" sh -c "cd / && $line <${2:-/dev/null}"
}
