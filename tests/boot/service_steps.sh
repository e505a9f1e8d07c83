# The daemon as a service of systemd: sourced by tests/boot/run.
# shellcheck shell=bash

# Everything that README's quick start types until the package is there.
step_install() {
    local line before after
    before=$(inside systemctl list-units --plain --no-legend --state=active --type=service | awk '{ print $1 }')
    while IFS= read -r line; do
        ! holds "$line" .deb || type_line "$line"
    done < <(quick_start)
    after=$(inside systemctl list-units --plain --no-legend --state=active --type=service | awk '{ print $1 }')
    same "installing starts nothing" "$before" "$after"
    same "nor at the next boot" disabled "$(inside systemctl is-enabled shelfd || true)"
    same "nor for any user" disabled "$(inside systemctl --global is-enabled shelfd || true)"
    check "the user" inside id shelfd
    check "the groups" inside getent group shelfd-read shelfd-admin
    same "mode of the token store" "700 shelfd shelfd" "$(inside stat -c '%a %U %G' /var/lib/shelfd/tokens)"
    same "mode of the mirrors" "2750 shelfd shelfd-read" "$(inside stat -c '%a %U %G' /var/lib/shelfd/mirrors)"
    same "mode of the secrets" "750 root shelfd" "$(inside stat -c '%a %U %G' /etc/shelfd/secrets)"
    check "the manual" inside test -e /usr/share/man/man8/shelfd.8.gz
}

# The first way of README's second step, then the steps that follow it. What it made goes again: the next step takes the
# second way, on a system as it was installed.
step_init() {
    local line typed=0 posts
    while IFS= read -r line; do
        if holds "$line" "shelfctl init"; then
            type_line "$line" /dev/null lib24
            typed=$((typed + 1))
        fi
    done < <(quick_start)
    same "lines of README's quick start with init" 1 "$typed"
    is_active || fail "the unit is $(unit ActiveState) after init"
    same "what init enabled" enabled "$(inside systemctl is-enabled shelfd)"
    # The set was sealed, so the pasted copy no longer works; nothing else was refreshed.
    same "generation of the set" 2 "$(generation lib24)"
    same "mode of the client secret" "640 root shelfd" "$(inside stat -c '%a %U %G' /etc/shelfd/secrets/main)"
    same "what is left of the exploration" "" "$(inside find /run -maxdepth 1 -name 'shelfd-init-*')"
    check "the configuration" inside runuser -u shelfd -- shelfctl config check
    check "every list is filled" ctl wait demo --timeout 5m
    check "the status" ctl status
    same "rows" 300 "$(ctl sql demo --csv 'SELECT count(*) FROM recipes' | tail -n 1)"
    refused "init replaces nothing" inside shelfctl init http://127.0.0.1:8099 --client-id x
    holds "$said" "/etc/shelfd/shelfd.toml is there already" || fail "the refusal does not name the file: $said"
    # A further library of the same application needs no more than its name.
    check "library add takes the application" ctl library add second --no-set
    inside grep -q '^application = "main"$' /etc/shelfd/conf.d/second.toml || fail "the application is not that of init"
    posts=$(token_posts)
    check "the second library goes again" ctl library forget second --force
    same "refreshes" "$posts" "$(token_posts)"
    remark="$(inside find /etc/shelfd -name '*.toml' | wc -l) files of configuration, $(ctl sql demo --csv \
        'SELECT count(*) FROM freshness' | tail -n 1) tables"
    inside systemctl disable --quiet --now shelfd
    # shellcheck disable=SC2016  # expanded by the inner shell
    check "as it was installed" inside sh -c 'rm -rf /etc/shelfd/shelfd.toml /etc/shelfd/conf.d/* /etc/shelfd/secrets/* \
        /var/lib/shelfd/mirrors/* /var/lib/shelfd/mirrors/.[a-z]* /var/lib/shelfd/tokens/*'
}

# The second way, and the rest of it.
step_quick_start() {
    local line typed=0
    while IFS= read -r line; do
        case $line in
            contrib/package* | *.deb | *"shelfctl init"*) ;;
            *"auth import"*) type_line "$line" /opt/test/credentials/lib01/token.json ;;
            *minimal.toml*)
                type_line "$line"
                inside sed -i -e "s|https://api.example.com|$service_address|" \
                    -e "s|shelfd-demo|$(inside cat /opt/test/credentials/lib01/client_id)|" /etc/shelfd/shelfd.toml
                ;;
            *) type_line "$line" ;;
        esac
        typed=$((typed + 1))
    done < <(quick_start)
    [ "$typed" -ge 10 ] || fail "README's quick start has $typed commands only: is it indented by seven spaces?"
    same "rows for alice" 300 "$(as alice shelfctl sql demo --csv 'SELECT count(*) FROM recipes' | tail -n 1)"
    remark="$typed lines typed"
}

step_ready() {
    restart
    check "READY comes when the socket answers" ctl status
    is_active || fail "the unit is $(unit ActiveState)"
    same "the service manager is told by notification" notify "$(unit Type)"
    wait_until 60 status_text_counts || fail "STATUS= does not say that all tables are fresh: $(unit StatusText)"
    remark=$(unit StatusText)
    check "a pass" ctl sync demo recipes
    wait_until 20 journal_has_fields || fail "the journal has no line of a pass with its library, resource and run"
    same "the daemon uses the journal, not its text" "" "$(inside journalctl -u shelfd -o cat _TRANSPORT=stdout SHELFD_LIBRARY=demo -n 1 -q)"
}

status_text_counts() { holds "$(unit StatusText)" fresh; }
journal_has_fields() {
    holds "$(inside journalctl -u shelfd SHELFD_LIBRARY=demo SHELFD_RESOURCE=recipes PRIORITY=6 -o verbose -n 5 -q)" SHELFD_RUN_ID=
}

step_socket_rights() {
    inside adduser --quiet carol shelfd-admin
    check "a reader sees the status" as alice shelfctl status
    refused "a reader does not act" as alice shelfctl sync demo
    holds "$said" shelfd-admin || fail "the refusal names no group: $said"
    refused "others see nothing" as bob shelfctl status
    holds "$said" shelfd-read || fail "the refusal names no group: $said"
    check "an admin acts" as carol shelfctl sync demo
    refused "an admin without the readers' group does not read mirrors" as carol shelfctl sql demo "SELECT 1 FROM recipes"
    refused "others do not read mirrors" as bob cat /var/lib/shelfd/mirrors/demo/demo.db
    refused "readers do not write to mirrors" as alice sh -c ': >>/var/lib/shelfd/mirrors/demo/demo.db'
    refused "nobody else reads tokens" as carol ls /var/lib/shelfd/tokens
}

step_reload() {
    local process
    process=$(unit MainPID)
    write /etc/shelfd/conf.d/boot.toml <<'TOML'
[resource.ingredients]
path  = "/api/v2/library/ingredients/"
every = "15m"
TOML
    check "a good configuration is taken" inside systemctl reload shelfd
    check "the new table is filled" ctl wait demo ingredients --timeout 1m
    echo 'nonsense = 1' | inside sh -c 'cat >>/etc/shelfd/conf.d/boot.toml'
    refused "a bad configuration is refused" inside systemctl reload shelfd
    holds "$(inside journalctl -u shelfd -n 20 -o cat)" nonsense || fail "the journal does not name the fault"
    is_active || fail "a refused reload ended the service"
    inside sed -i '/nonsense/d' /etc/shelfd/conf.d/boot.toml
    check "the corrected one is taken" inside systemctl reload shelfd
    same "it is the same process" "$process" "$(unit MainPID)"
}

step_watchdog() {
    local posts began
    same "the watchdog of the unit" 1min "$(unit WatchdogUSec)"
    drop_in watchdog <<'UNIT'
[Service]
WatchdogSec=4
RestartSec=1
UNIT
    restart
    posts=$(token_posts)
    began=$SECONDS
    inside kill -STOP "$(unit MainPID)"
    wait_until 60 restarted_once || fail "a daemon that is stopped is not restarted: $(unit NRestarts) restarts"
    holds "$(inside journalctl -u shelfd _PID=1 -o cat -n 50 -q)" 'Watchdog timeout' || fail "the restart was not the watchdog's"
    remark="restarted after $((SECONDS - began)) s with WatchdogSec=4"
    check "it syncs" ctl sync demo
    same "no refresh was spent" "$posts" "$(token_posts)"
    forget_drop_ins
}

restarted_once() { [ "$(unit NRestarts)" -ge 1 ] && is_active; }

# begin_refresh LIBRARY NAME_AT_SERVICE: returns while the answer to a refresh is on its way.
begin_refresh() {
    local posts
    posts=$(token_posts)
    ask expire --post "{\"library\":\"$2\"}" >/dev/null
    ctl sync "$1" recipes --background >/dev/null || fail "sync $1 is refused"
    wait_until 30 posted_since "$posts" || fail "no refresh of $1 begins"
}

posted_since() { [ "$(token_posts)" -gt "$1" ]; }

step_more_libraries() {
    add_library second lib02
    add_library third lib03
    check "first passes" ctl wait --timeout 2m
}

# One library for one group, whatever group reads the others.
step_readers() {
    local rows="SELECT count(*) > 0 FROM recipes"
    inside groupadd bi-second
    inside adduser --quiet bob bi-second
    inside sed -i '1a readers       = ["bi-second"]' /etc/shelfd/conf.d/second.toml
    check "readers of one library" inside systemctl reload shelfd
    check "who is named reads it" as bob shelfctl sql second "$rows"
    check "with any program" as bob sqlite3 -readonly /var/lib/shelfd/mirrors/second/second.db "$rows"
    refused "and no other library" as bob shelfctl sql third "$rows"
    refused "readers of all do not read it" as alice shelfctl sql second "$rows"
    check "but the others" as alice shelfctl sql third "$rows"
    check "its status" as bob shelfctl status second
    refused "other libraries are not shown" as bob shelfctl status third
    ! holds "$(as bob shelfctl status --all)" third || fail "the status names a library of others"
    check "a reader acknowledges changes" as bob shelfctl changes second --consumer bi --since now --ack
    refused "but does not act" as bob shelfctl sync second
    ctl status second | grep -q 'second consumer bi has acknowledged all changes' || fail "the status does not name the consumer"
    inside sed -i '/^readers/d' /etc/shelfd/conf.d/second.toml
    check "readers taken away" inside systemctl reload shelfd
    refused "who is no longer named does not read it" as bob shelfctl sql second "$rows"
    check "readers of all read it again" as alice shelfctl sql second "$rows"
}

# Of twenty libraries, because the access token of one that was just refreshed is not refreshed again at once.
step_stop_in_refresh() {
    local i library name before spent longest=0 began took
    for i in {1..20}; do
        add_library "stop$i" "$(printf 'lib%02d' $((i + 3)))"
    done
    check "first passes" ctl wait --timeout 2m
    ask faults --post '{"path":"/oauth/token/","delay_after_ms":2000,"times":"forever"}' >/dev/null
    for i in {1..20}; do
        library=stop$i name=$(printf 'lib%02d' $((i + 3)))
        before=$(generation "$name")
        spent=$(token_posts)
        begin_refresh "$library" "$name"
        check "the exchange of stop $i is under way" is_in_flight
        began=$(date +%s%N)
        check "stop $i" inside systemctl stop shelfd
        took=$((($(date +%s%N) - began) / 1000000))
        [ "$took" -le "$longest" ] || longest=$took
        # The answer leaves the service two seconds after the request came.
        [ "$took" -ge 500 ] || fail "stop $i took $took ms: it did not wait for the exchange"
        same "result of stop $i" success "$(unit Result)"
        check "start $i" inside systemctl start shelfd
        check "the set that came last is used" ctl sync "$library" recipes
        same "refreshes of stop $i" $((spent + 1)) "$(token_posts)"
        same "sets of stop $i" $((before + 1)) "$(generation "$name")"
    done
    same "spent tokens that were sent again" 0 "$(ask audit --field reuses_of_spent)"
    ask faults --delete >/dev/null
    inside sh -c 'rm /etc/shelfd/conf.d/stop*.toml'
    check "twenty libraries go" inside systemctl reload shelfd
    remark="20 stops, 0 cancelled exchanges, longest stop $longest ms"
}

# add_library NAME NAME_AT_SERVICE: with its set.
add_library() {
    inside install -m 0640 -g shelfd "/opt/test/credentials/$2/client_secret" "/etc/shelfd/secrets/$1"
    write "/etc/shelfd/conf.d/$1.toml" <<TOML
[library.$1]
base_url      = "$service_address"
client_id     = "$(inside cat "/opt/test/credentials/$2/client_id")"
client_secret = { file = "/etc/shelfd/secrets/$1" }
TOML
    check "the library $1" inside systemctl reload shelfd
    check "its set" inside sh -c "shelfctl auth import $1 </opt/test/credentials/$2/token.json"
}

step_sandbox() {
    local report
    write /etc/shelfd/conf.d/sandbox.toml <<'TOML'
[hooks.sandbox]
command = ["/opt/test/inside_sandbox"]
timeout = "2m"
TOML
    check "the hook is configured" inside systemctl reload shelfd
    check "the hook is called" ctl hooks test sandbox
    report=$(inside cat /var/lib/shelfd/mirrors/.sandbox-report)
    holds "$report" done || fail "the hook did not end: $report"
    report=$(printf '%s\n' "$report" | sort -u |
        grep -vxE 'done|wrote (/run/shelfd|/var/lib/shelfd|/tmp|/var/tmp)(/.*)?' || true)
    same "what the daemon could do beyond its own places" "" "$report"
    refused "/tmp is private" inside test -e /tmp/sandbox-was-here
    inside rm /etc/shelfd/conf.d/sandbox.toml /var/lib/shelfd/mirrors/.sandbox-report
    check "the hook is forgotten" inside systemctl reload shelfd
}

step_exposure() {
    local level
    level=$(inside systemd-analyze security shelfd --no-pager | sed -n 's/.*Overall exposure level for shelfd.service: \([0-9.]*\).*/\1/p')
    awk -v level="$level" 'BEGIN { exit !(level != "" && level <= 1.2) }' || fail "exposure $level, more than 1.2"
    remark="exposure $level"
}

step_credentials() {
    local posts
    write /etc/shelfd/secrets/demo.credential <<<"$(inside cat /opt/test/credentials/lib01/client_secret)"
    inside chmod 0600 /etc/shelfd/secrets/demo.credential
    drop_in credential <<'UNIT'
[Service]
LoadCredential=demo:/etc/shelfd/secrets/demo.credential
UNIT
    inside sed -i.kept 's|^client_secret = .*|client_secret = { credential = "demo" }|' /etc/shelfd/shelfd.toml
    restart
    posts=$(token_posts)
    begin_refresh demo lib01
    check "the service accepts the secret" ctl sync demo recipes
    same "refreshes" $((posts + 1)) "$(token_posts)"
    inside mv /etc/shelfd/shelfd.toml.kept /etc/shelfd/shelfd.toml
    inside rm /etc/shelfd/secrets/demo.credential
    forget_drop_ins
}

# Mirrors on a mount of their own: no start without it, and a stop before it goes.
step_mounts() {
    inside install -d -o shelfd -g shelfd-read -m 2750 /srv/real
    inside mkdir -p /srv/mirrors
    write /run/systemd/system/srv-mirrors.mount <<'UNIT'
[Mount]
What=/srv/real
Where=/srv/mirrors
Type=none
Options=bind
UNIT
    write /etc/shelfd/conf.d/mount.toml <<'TOML'
[storage]
mirrors = "/srv/mirrors"
TOML
    drop_in mount <<'UNIT'
[Unit]
RequiresMountsFor=/srv/mirrors
[Service]
ReadWritePaths=/srv/mirrors
UNIT
    restart
    is_active srv-mirrors.mount || fail "the mount was not made for the daemon"
    check "mirrors are filled there" ctl wait --timeout 1m
    check "the mount goes" inside systemctl stop srv-mirrors.mount
    wait_until 30 is_stopped || fail "the daemon runs on without its mount"
    same "it stopped in order" success "$(unit Result)"
    inside mv /srv/real /srv/away
    refused "without the mount it does not start" inside systemctl start shelfd
    inside mv /srv/away /srv/real
    inside rm /etc/shelfd/conf.d/mount.toml
    forget_drop_ins
    inside rm /run/systemd/system/srv-mirrors.mount
}

# A file system of 32 MiB for mirrors: full, it makes no table wrong and costs no set; with room again, it goes on.
step_full_disk() {
    local posts
    inside mkdir -p /srv/small
    write /run/systemd/system/srv-small.mount <<'UNIT'
[Mount]
What=tmpfs
Where=/srv/small
Type=tmpfs
Options=size=32M,mode=2750,uid=shelfd,gid=shelfd-read
UNIT
    write /etc/shelfd/conf.d/small.toml <<'TOML'
[storage]
mirrors      = "/srv/small"
allow_unsafe = true
TOML
    drop_in small <<'UNIT'
[Unit]
RequiresMountsFor=/srv/small
[Service]
ReadWritePaths=/srv/small
UNIT
    restart
    check "mirrors fit" ctl wait --timeout 1m
    inside dd if=/dev/zero of=/srv/small/filler bs=4096 status=none 2>/dev/null || true
    ask rows --post '{"library":"lib02","path":"library/recipes","add":2000}' >/dev/null
    posts=$(token_posts)
    ask expire --post '{"library":"lib02"}' >/dev/null
    refused "a pass for which there is no room fails" ctl sync second recipes --timeout 1m
    holds "$said" "full" || fail "the reason is not named: $said"
    is_active || fail "a full disk ended the daemon"
    same "the set was refreshed none the less" $((posts + 1)) "$(token_posts)"
    same "the table is as it was" 300 "$(as alice shelfctl sql second --csv 'SELECT count(*) FROM recipes' | tail -n 1)"
    inside rm /srv/small/filler
    check "with room again it goes on" ctl sync second recipes --timeout 1m
    inside systemctl stop shelfd srv-small.mount
    inside rm /etc/shelfd/conf.d/small.toml /run/systemd/system/srv-small.mount
    forget_drop_ins
}

# A second daemon beside the first: its configuration names its directories and its socket.
step_second_instance() {
    inside install -d /etc/shelfd/two
    check "its set leaves the first daemon" inside sh -c '(umask 077; shelfctl auth move-out second >/run/moved)'
    check "the first daemon forgets it" inside sh -c 'rm /etc/shelfd/conf.d/second.toml && systemctl reload shelfd'
    write /etc/shelfd/two/shelfd.toml <<TOML
[storage]
mirrors = "/var/lib/shelfd-two/mirrors"
tokens  = "/var/lib/shelfd-two/tokens"
[control]
socket = "/run/shelfd-two/control.sock"
[library.second]
base_url      = "$service_address"
client_id     = "$(inside cat /opt/test/credentials/lib02/client_id)"
client_secret = { file = "/etc/shelfd/secrets/second" }
[resource.recipes]
path  = "/api/v2/library/recipes/"
every = "15m"
TOML
    check "it starts" inside systemctl start shelfd@two
    check "its set arrives" inside sh -c \
        'shelfctl --config /etc/shelfd/two/shelfd.toml auth move-in second </run/moved && rm /run/moved'
    check "it fills its mirror" ctl --config /etc/shelfd/two/shelfd.toml wait --timeout 1m
    check "readers read it" as alice ls /var/lib/shelfd-two/mirrors/second/second.db
    is_active || fail "the first daemon ended"
    check "it reloads" inside systemctl reload shelfd@two
}

# Everything is as before after a boot, and no refresh was spent for it.
step_reboot() {
    local posts
    posts=$(generation lib01)
    inside systemctl enable --quiet shelfd shelfd@two
    reboot_container
    wait_until 60 is_active || fail "the daemon does not start at boot"
    wait_until 60 is_active shelfd@two || fail "the second instance does not start at boot"
    check "it syncs" ctl sync demo
    same "sets" "$posts" "$(generation lib01)"
}
