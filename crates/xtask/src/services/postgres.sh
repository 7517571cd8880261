# Controls one PostgreSQL server of `cargo xtask services`: control start|stop|kill|status.
# Each waits until it is done, and is no error when there is nothing to do.
# The lines above say whose it is (OWNER, empty: ours), BIN and FOLDER.
set -eu
# The server ends through this file, not with the processes of a run that are ended by their mark.
unset FASTNESS_XTASK_GUARD
cd "$FOLDER"

as_owner() {
    if [ -n "$OWNER" ]; then
        setpriv --reuid="$OWNER" --regid="$OWNER" --init-groups -- "$@"
    else
        "$@"
    fi
}

pg_ctl() {
    as_owner "$BIN/pg_ctl" --pgdata="$FOLDER/data" "$@"
}

running() {
    pg_ctl status >/dev/null 2>&1
}

# Prints the state letter and the parent of a process; nothing when it is gone.
state_and_parent() {
    line=$(cat "/proc/$1/stat" 2>/dev/null) || return 0
    # The name in brackets may hold blanks: count from its end.
    set -- ${line##*) }
    echo "$1 $2"
}

children_of() {
    for entry in /proc/[0-9]*; do
        pid=${entry#/proc/}
        case "$(state_and_parent "$pid")" in
            *" $1") echo "$pid" ;;
        esac
    done
}

# A zombie has ended too: in a container nobody may ever collect it.
wait_gone() {
    tries=0
    while :; do
        case "$(state_and_parent "$1")" in
            "" | Z* | X*) return 0 ;;
        esac
        tries=$((tries + 1))
        [ "$tries" -lt 600 ] || { echo "process $1 does not end" >&2; exit 1; }
        sleep 0.05
    done
}

# A crash: every process at once, so that nobody says goodbye. Stopped first, so that it cannot fork meanwhile.
# The lock files would hold a zombie's pid, which PostgreSQL takes for a living server.
crash() {
    postmaster=$(head -n 1 data/postmaster.pid)
    kill -STOP "$postmaster" 2>/dev/null || true
    family="$postmaster $(children_of "$postmaster")"
    kill -KILL $family 2>/dev/null || true
    for each in $family; do wait_gone "$each"; done
    rm -f data/postmaster.pid .s.PGSQL.*
}

case "${1:-}" in
    start) running || pg_ctl --wait --timeout=60 --log="$FOLDER/log" start >/dev/null ||
        { tail -n 20 "$FOLDER/log" >&2; exit 1; } ;;
    stop) ! running || pg_ctl --wait --timeout=30 --mode=fast stop >/dev/null ;;
    kill) [ ! -f data/postmaster.pid ] || crash ;;
    status) running ;;
    *) echo "usage: $0 start|stop|kill|status" >&2; exit 2 ;;
esac
