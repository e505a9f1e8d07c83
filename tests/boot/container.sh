# A system of its own, booted by systemd-nspawn: sourced by tests/boot/run.
# shellcheck shell=bash

container=          # process that runs systemd-nspawn, again after each reboot
container_root=
container_log=
simulator_process=  # holds the network that the container uses: both outlive a reboot

# Control groups of version 2, whatever the host has mounted: the container's systemd gets a group of its own.
# shellcheck disable=SC2016  # expanded by the inner shell
readonly enter_container='
    root=$1 network=$2
    if [ "$(stat -f -c %T /sys/fs/cgroup)" != cgroup2fs ]; then
        umount -R /sys/fs/cgroup 2>/dev/null
        mount -t cgroup2 cgroup2 /sys/fs/cgroup || exit 1
    fi
    group=/sys/fs/cgroup/shelfd-boot-$$
    mkdir "$group" && echo $$ >"$group/cgroup.procs" || exit 1
    export SYSTEMD_NSPAWN_UNIFIED_HIERARCHY=1
    ended=133  # what nspawn says of a system that wants to boot again
    while [ "$ended" = 133 ]; do
        ended=0
        systemd-nspawn --quiet --register=no --keep-unit --directory="$root" --machine=shelfd-boot --boot \
            --network-namespace-path="$network" --link-journal=no --console=pipe || ended=$?
    done
    exit "$ended"'

# can_boot: whether this machine lets us boot a container; prints the reason if not.
can_boot() {
    if [ "$(id -u)" != 0 ]; then
        echo "it needs root"
        return 1
    fi
    local tool
    for tool in systemd-nspawn mmdebstrap nsenter ip; do
        if ! command -v "$tool" >/dev/null; then
            echo "there is no $tool here"
            return 1
        fi
    done
    if ! unshare --mount --propagation private sh -c \
        '[ "$(stat -f -c %T /sys/fs/cgroup)" = cgroup2fs ] || { umount -R /sys/fs/cgroup; mount -t cgroup2 c /sys/fs/cgroup; } &&
         mkdir /sys/fs/cgroup/shelfd-boot-try-$$ && rmdir /sys/fs/cgroup/shelfd-boot-try-$$' 2>/dev/null; then
        echo "this machine lets nobody make control groups of version 2"
        return 1
    fi
}

# PID 1 of the container, as the host sees it; empty before it is there.
container_leader() {
    local nspawn
    # A shell replaces itself by its last command.
    if [ "$(cat "/proc/$container/comm" 2>/dev/null)" = systemd-nspawn ]; then
        nspawn=$container
    else
        nspawn=$(pgrep -P "$container" -x systemd-nspawn 2>/dev/null) || return 0
    fi
    pgrep -P "$nspawn" 2>/dev/null | head -n 1
}

# inside COMMAND…: as root, in the container.
inside() {
    nsenter --target "$(container_leader)" --mount --uts --ipc --net --pid --cgroup --root --wd -- \
        env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 \
        DEBIAN_FRONTEND=noninteractive "$@"
}

container_is_up() {
    case $(inside systemctl is-system-running 2>/dev/null) in
        running | degraded) return 0 ;;
    esac
    return 1
}

# start_simulator PROGRAM ROOT: the service, on port 8099 of a network of its own; ROOT/opt/test gets its credentials.
start_simulator() {
    # shellcheck disable=SC2016  # expanded by the inner shell
    unshare --net sh -c 'ip link set lo up && exec "$@"' -- "$1" --libraries 24 --seed 7 --rows 300 --port 8099 \
        --port-file "$2/opt/test/port" --write-credentials "$2/opt/test/credentials" >"${2%/*}/shelfsim.log" 2>&1 &
    simulator_process=$!
    wait_until 20 test -s "$2/opt/test/port" || fail "the simulator does not start: $(cat "${2%/*}/shelfsim.log")"
}

# boot ROOT LOG: returns when the system is up.
boot() {
    container_root=$1 container_log=$2
    unshare --mount --propagation private bash -c "$enter_container" -- "$container_root" \
        "/proc/$simulator_process/ns/net" </dev/null >"$container_log" 2>&1 &
    container=$!
    wait_until 60 container_is_up || fail "the container does not boot; its words are in $container_log"
}

# A boot that is over has another PID 1.
reboot_container() {
    local before
    before=$(container_leader)
    inside systemctl reboot || true
    wait_until 60 leader_changed "$before" || fail "the container does not reboot"
    wait_until 60 container_is_up || fail "the container does not come back; its words are in $container_log"
}

leader_changed() {
    local now
    now=$(container_leader)
    [ -n "$now" ] && [ "$now" != "$1" ]
}

end_simulator() {
    [ -z "$simulator_process" ] || kill "$simulator_process" 2>/dev/null || true
}

end_container() {
    [ -n "$container" ] && kill -0 "$container" 2>/dev/null || return 0
    inside systemctl poweroff >/dev/null 2>&1 || true
    for _ in {1..300}; do
        kill -0 "$container" 2>/dev/null || break
        sleep 0.1
    done
    # What does not end by itself.
    pkill -KILL -P "$container" 2>/dev/null || true
    kill -KILL "$container" 2>/dev/null || true
    wait "$container" 2>/dev/null || true
    remove_groups
}

# Groups that the container left are empty now.
remove_groups() {
    # shellcheck disable=SC2016  # expanded by the inner shell
    unshare --mount --propagation private sh -c '
        [ "$(stat -f -c %T /sys/fs/cgroup)" = cgroup2fs ] || { umount -R /sys/fs/cgroup; mount -t cgroup2 c /sys/fs/cgroup; }
        [ ! -d "/sys/fs/cgroup/shelfd-boot-$1" ] || find "/sys/fs/cgroup/shelfd-boot-$1" -depth -type d -exec rmdir {} +' \
        -- "$container" 2>/dev/null || true
}
