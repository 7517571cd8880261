# What the control files of services do alike. The lines above say FOLDER, and WHO is controlled.
set -eu
# The service ends through this file, not with the processes of a run that are ended by their mark.
unset FASTNESS_XTASK_GUARD
cd "$FOLDER"

# What the kernel says of a process behind its name, from the letter of its state on; nothing when it is gone.
stat_of() {
    line=$(cat "/proc/$1/stat" 2>/dev/null) || return 0
    # The name in brackets may hold blanks: count from its end.
    echo "${line##*) }"
}

# wait_until WHAT COMMAND…: at most 30 s, or TRIES_MAX tenths of a second.
wait_until() {
    what=$1
    shift
    tries=0
    until "$@"; do
        tries=$((tries + 1))
        [ "$tries" -lt "${TRIES_MAX:-300}" ] || { echo "$WHO does not $what" >&2; tail -n 20 log >&2; exit 1; }
        sleep 0.1
    done
}

