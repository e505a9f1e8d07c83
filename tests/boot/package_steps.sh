# The package comes, changes and goes: sourced by tests/boot/run.
# shellcheck shell=bash

# shellcheck disable=SC2034  # read by tests/boot/run
readonly all_steps=(install init quick_start ready socket_rights reload watchdog more_libraries readers stop_in_refresh
    sandbox exposure credentials mounts full_disk second_instance reboot upgrade upgrade_of_stopped downgrade remove purge)

installed_version() { inside dpkg-query -W -f '${Version}' shelfd; }

# install_package FILE [OPTION…]
install_package() { check "apt installs $1" inside apt-get install -y "${@:2}" "/opt/test/$1"; }

# look_before FILE: what README says to do first.
look_before() {
    local text
    inside sh -c 'rm -rf /tmp/new && dpkg-deb -x "$1" /tmp/new' -- "/opt/test/$1"
    text=$(inside /tmp/new/usr/sbin/shelfd --check-state 2>&1) || fail "--check-state of $1: $text"
    holds "$text" /var/lib/shelfd/mirrors/demo/demo.db || fail "--check-state does not name the mirror: $text"
    holds "$text" /var/lib/shelfd/tokens/demo/journal || fail "--check-state does not name the journal: $text"
}

# What runs is restarted, after the exchange that is under way.
step_upgrade() {
    local process second posts before began took
    process=$(unit MainPID) second=$(unit MainPID shelfd@two)
    look_before shelfd-next.deb
    same "looking restarts nothing" "$process" "$(unit MainPID)"
    ask faults --post '{"path":"/oauth/token/","delay_after_ms":15000,"times":1}' >/dev/null
    posts=$(token_posts) before=$(generation lib03)
    begin_refresh third lib03
    check "the exchange is under way" is_in_flight
    began=$(date +%s%N)
    install_package shelfd-next.deb
    took=$((($(date +%s%N) - began) / 1000000))
    # The answer leaves the service fifteen seconds after the request came.
    [ "$took" -ge 10000 ] || fail "apt was done after $took ms: the restart did not wait for the exchange"
    holds "$(installed_version)" +next || fail "$(installed_version) is installed"
    wait_until 30 is_active || fail "the daemon does not run after the upgrade"
    [ "$process" != "$(unit MainPID)" ] || fail "the daemon was not restarted"
    [ "$second" != "$(unit MainPID shelfd@two)" ] || fail "the second instance was not restarted"
    check "it syncs" ctl sync third
    same "refreshes" $((posts + 1)) "$(token_posts)"
    same "sets" $((before + 1)) "$(generation lib03)"
    same "spent tokens that were sent again" 0 "$(ask audit --field reuses_of_spent)"
    ask faults --delete >/dev/null
    remark="$took ms, with an exchange of 15 s"
}

step_upgrade_of_stopped() {
    inside systemctl stop shelfd@two
    inside systemctl disable --quiet --now shelfd
    install_package shelfd.deb --allow-downgrades
    install_package shelfd-next.deb
    is_stopped || fail "an upgrade started what did not run"
    is_stopped shelfd@two || fail "an upgrade started a second instance that did not run"
    same "what was disabled" disabled "$(inside systemctl is-enabled shelfd || true)"
    inside systemctl enable --quiet --now shelfd
}

# The way up and back costs no request: mirrors and token sets are taken as they are.
step_downgrade() {
    local posts requests before
    check "all tables are fresh" ctl wait
    posts=$(token_posts) before=$(inside shelfctl changes demo --since now)
    requests=$(all_requests)
    look_before shelfd.deb
    install_package shelfd.deb --allow-downgrades
    wait_until 30 is_active || fail "the daemon does not run after the downgrade"
    check "its status" ctl status
    install_package shelfd-next.deb
    wait_until 30 is_active || fail "the daemon does not run after the upgrade"
    check "its status" ctl status
    install_package shelfd.deb --allow-downgrades
    wait_until 30 is_active || fail "the daemon does not run after the second downgrade"
    check "its status" ctl status
    same "requests on the way up and back" "$requests" "$(all_requests)"
    check "it syncs" ctl sync demo
    same "refreshes" "$posts" "$(token_posts)"
    same "position of the change feed" "$before" "$(inside shelfctl changes demo --since now)"
}

# Everything that a person or the daemon wrote stays, and an exchange under way ends first.
step_remove() {
    local posts text before
    ask faults --post '{"path":"/oauth/token/","delay_after_ms":8000,"times":1}' >/dev/null
    before=$(generation lib01)
    begin_refresh demo lib01
    check "an exchange is under way" is_in_flight
    posts=$(token_posts)
    text=$(inside apt-get remove -y shelfd 2>&1) || fail "apt does not remove the package: $text"
    holds "$text" "shelfd: kept: configuration in /etc/shelfd" || fail "the removal does not say what it keeps: $text"
    [ -z "$(inside pgrep -x shelfd || true)" ] || fail "the daemon runs on"
    check "configuration, mirrors and tokens stay" inside test -s /etc/shelfd/shelfd.toml \
        -a -s /var/lib/shelfd/mirrors/demo/demo.db -a -s /var/lib/shelfd/tokens/demo/journal.a
    install_package shelfd.deb
    inside systemctl enable --quiet --now shelfd
    check "installed again, it goes on" ctl sync demo
    same "refreshes" "$posts" "$(token_posts)"
    same "sets" $((before + 1)) "$(generation lib01)"
    same "spent tokens that were sent again" 0 "$(ask audit --field reuses_of_spent)"
    ask faults --delete >/dev/null
}

step_purge() {
    local text
    text=$(inside apt-get purge -y shelfd 2>&1) || fail "apt does not purge the package: $text"
    holds "$text" "removing the configuration and the client secrets in /etc/shelfd" ||
        fail "the purge does not name the configuration: $text"
    holds "$text" "removing the mirrors in /var/lib/shelfd/mirrors (demo" || fail "the purge does not name the mirrors: $text"
    holds "$text" "kept: the token sets in /var/lib/shelfd/tokens (" || fail "the purge does not name the tokens: $text"
    check "token sets stay" inside test -s /var/lib/shelfd/tokens/demo/journal.a
    holds "$text" "kept: /var/lib/shelfd-two" || fail "the purge does not name the second instance: $text"
    refused "the configuration is gone" inside test -e /etc/shelfd
    refused "the mirrors are gone" inside test -e /var/lib/shelfd/mirrors
    refused "the unit is gone" inside systemctl cat shelfd
    inside rm -r /var/lib/shelfd-two
    # Nothing is left to keep once the owner of the machine has removed the token sets.
    install_package shelfd.deb
    inside rm -r /var/lib/shelfd/tokens
    check "a second purge" inside apt-get purge -y shelfd
    refused "nothing of the state is left" inside test -e /var/lib/shelfd
}
