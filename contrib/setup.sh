# Sourced by the scripts beside it: finds the repository, installs the distribution's packages that are missing. Run by
# itself it installs the groups that are named, else what the build needs. Needs nothing but Debian's base packages.
# SHELFD_NO_APT=1 installs nothing.
# shellcheck shell=bash

set -euo pipefail
umask 022

root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd -P)
started_at=$SECONDS

# The words of programs whose output is read, here and by cmake, do not depend on the caller's language.
export LC_ALL=C.UTF-8
# A compiler cache, where there is one, stays inside the tree as well.
export CCACHE_DIR=${CCACHE_DIR:-$root/build/ccache}

# Of this system, or the one whose packages are named (SHELFD_DEBIAN).
debian_release() {
    printf '%s' "${SHELFD_DEBIAN:-$(. /etc/os-release 2>/dev/null && printf '%s' "${VERSION_ID:-}")}"
}

package_group() {
    local boost='libboost1.81-dev libboost-json1.81-dev' runtime=libclang-rt-14-dev
    if [ "$(debian_release)" = 13 ]; then
        boost='libboost-dev libboost-json-dev' runtime=libclang-rt-dev
    fi
    case $1 in
        build)
            echo g++ cmake ninja-build pkg-config "$boost" libcurl4-openssl-dev \
                libsqlite3-dev libspdlog-dev libfmt-dev libtomlplusplus-dev libcli11-dev libsimdjson-dev \
                libacl1-dev zlib1g-dev libhowardhinnant-date-dev libsystemd-dev libssl-dev ca-certificates tzdata
            ;;
        package) echo debhelper dpkg-dev lintian python3 ;;
        systems) echo mmdebstrap ;;
        boot) echo mmdebstrap systemd-container util-linux iproute2 ;;
        container) echo mmdebstrap python3 sqlite3 ;;
        simulator) echo catch2 ;;
        test)
            echo sqlite3 strace python3 python3-yaml python3-django python3-django-filters python3-django-oauth-toolkit \
                python3-djangorestframework gunicorn zsh fish
            ;;
        bench) echo python3 sqlite-utils curl jq sqlite3 ;;
        sanitizers | fuzz) echo clang "$runtime" ;;
        format) echo clang-format ;;
        tidy) echo clang clang-tidy ;;
    esac
}

say() { printf '%s\n' "$*"; }

fail() {
    printf '%s: %s\n' "${0##*/}" "$*" >&2
    exit 1
}

elapsed() { printf '%d m %02d s' $(((SECONDS - $1) / 60)) $(((SECONDS - $1) % 60)); }

package_list() {
    local group
    for group in "$@"; do
        package_group "$group"
    done | tr -s ' ' '\n' | sort -u
}

missing_packages() {
    local package
    for package in "$@"; do
        [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || printf '%s\n' "$package"
    done
}

as_root() {
    if [ "$(id -u)" = 0 ]; then
        "$@"
    else
        sudo "$@"
    fi
}

apt_get() {
    as_root env DEBIAN_FRONTEND=noninteractive apt-get -q "$@" </dev/null
}

# planned_changes PACKAGE…: what apt-get would do, one line each: "install NAME", "upgrade NAME", "remove NAME".
planned_changes() {
    env DEBIAN_FRONTEND=noninteractive apt-get -s -q --no-upgrade --no-remove --no-install-recommends install "$@" \
        2>/dev/null | sed -n -e 's/^Inst \([^ ]*\) \[.*/upgrade \1/p' -e 's/^Inst \([^ ]*\) (.*/install \1/p' \
        -e 's/^Remv \([^ ]*\).*/remove \1/p'
}

# show_plan PACKAGE…: says what will change, before it does. Fails if packages that are installed would change and
# keep_installed is yes: a package may need a newer version of another.
show_plan() {
    local plan new upgraded
    plan=$(planned_changes "$@") || true
    new=$(printf '%s\n' "$plan" | sed -n 's/^install //p' | tr '\n' ' ')
    upgraded=$(printf '%s\n' "$plan" | sed -n -e 's/^upgrade //p' -e 's/^remove //p' | tr '\n' ' ')
    [ -z "$new" ] || say "packages     apt-get will install: ${new% }"
    if [ -n "$upgraded" ] && [ "${keep_installed:-no}" = yes ]; then
        say "packages     apt-get would also change what is installed here: ${upgraded% }"
        say "             That is yours to decide. Either: apt-get install $*, then ${0##*/} again; or a container of Debian 12."
        return 1
    fi
    [ -z "$upgraded" ] || say "packages     apt-get will upgrade: ${upgraded% }"
}

# Package lists are fetched when there are none; a list that has grown old shows itself by a failed download.
install_missing() {
    if ! ls /var/lib/apt/lists/*_Packages* >/dev/null 2>&1; then
        apt_get update
    fi
    show_plan "$@" || exit 1
    if ! apt_get install -y --no-install-recommends --no-upgrade --no-remove "$@"; then
        say "apt-get failed; the package lists may be old. Fetching them and trying once more."
        apt_get update
        show_plan "$@" || exit 1
        apt_get install -y --no-install-recommends --no-upgrade --no-remove "$@"
    fi
}

# ensure_packages GROUP…: afterwards every package of the groups is there, or the script has ended with the reason.
ensure_packages() {
    local wanted missing
    mapfile -t wanted < <(package_list "$@")
    if [ "${SHELFD_NO_APT:-}" = 1 ]; then
        say "packages     not looked at (SHELFD_NO_APT=1)"
        return
    fi
    if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
        say "This system has no apt. What is needed, in Debian 12's names:" "${wanted[@]}" >&2
        fail "install the equivalents, then run SHELFD_NO_APT=1 ${0##*/}"
    fi
    mapfile -t missing < <(missing_packages "${wanted[@]}")
    if [ ${#missing[@]} = 0 ]; then
        say "packages     ${#wanted[@]} wanted, all there"
        return
    fi
    require_known_system "${missing[@]}"
    say "packages     ${#wanted[@]} wanted, ${#missing[@]} missing: ${missing[*]}"
    if [ "$(id -u)" != 0 ] && ! command -v sudo >/dev/null; then
        fail "installing packages needs root, and there is no sudo. As root: apt-get install --no-install-recommends --no-remove ${missing[*]}"
    fi
    install_missing "${missing[@]}" || fail "apt-get could not install ${missing[*]} (its own words are above)"
    say "packages     installed in $(elapsed "$started_at")"
}

require_known_system() {
    local id version name
    id=$(. /etc/os-release 2>/dev/null && printf '%s' "${ID:-}")
    version=$(. /etc/os-release 2>/dev/null && printf '%s' "${VERSION_ID:-}")
    name=$(. /etc/os-release 2>/dev/null && printf '%s' "${PRETTY_NAME:-an unknown system}")
    if [ "$id $version" != "debian 12" ] && [ "$id $version" != "debian 13" ]; then
        say "These packages of Debian 12 are missing here ($name):" "$@" >&2
        fail "only Debian 12 and 13 are installed by themselves: install their equivalents, then run SHELFD_NO_APT=1 ${0##*/}"
    fi
}

# workflow PRESET [WRAPPER…]: configure, build and test as CMakePresets.json says.
workflow() {
    local preset=$1
    shift
    (cd -- "$root" && "$@" cmake --workflow --preset "$preset")
}

if [ "${BASH_SOURCE[0]}" = "$0" ]; then
    ensure_packages "${@:-build}"
fi
