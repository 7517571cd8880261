# Controls one chromedriver of `cargo xtask services` with its Chromiums: control start|stop|kill|status.
# Each waits until it is done, and is no error when there is nothing to do.
# The lines above say DRIVER, FOLDER and PORT.

# Whether a process was started from here; only the driver and the first process of each Chromium let themselves be asked.
ours() {
    grep -qzxF "TMPDIR=$FOLDER/t" "/proc/$1/environ" 2>/dev/null
}

# The driver has a session of its own, which every Chromium below it shares, also one whose parent is gone.
# A zombie has ended too: in a container nobody may ever collect it.
session() {
    [ -f pid ] || return 0
    leader=$(cat pid)
    for entry in /proc/[0-9]*; do
        pid=${entry#/proc/}
        # State, parent, group, session.
        set -- $(stat_of "$pid")
        case "${1:-} ${4:-}" in
            "Z "* | "X "*) ;;
            *" $leader") echo "$pid" ;;
        esac
    done
}

# When all of ours have ended, the pid may lead a session of somebody else.
family() {
    members=$(session)
    for each in $members; do
        if ours "$each"; then
            echo "$members"
            return 0
        fi
    done
}

running() {
    [ -f pid ] && ours "$(cat pid)"
}

# The driver writes this line when it takes requests.
answers() {
    grep -q "started successfully" log
}

gone() {
    [ -z "$(family)" ]
}

# Everything that Chromium writes of its own lies below this folder: profiles, caches, crash reports.
begin() {
    mkdir -p home t
    HOME="$FOLDER/home" TMPDIR="$FOLDER/t" XDG_RUNTIME_DIR="$FOLDER/t" \
        setsid "$DRIVER" "--port=$PORT" --allowed-ips=127.0.0.1 </dev/null >log 2>&1 &
    echo $! >pid
    wait_until answer answers
}

end() {
    for each in $(family); do kill "-$1" "$each" 2>/dev/null || true; done
    wait_until end gone
    rm -f pid
}

case "${1:-}" in
    start) running || begin ;;
    stop) gone || end TERM ;;
    kill) gone || end KILL ;;
    status) running ;;
    *) echo "usage: $0 start|stop|kill|status" >&2; exit 2 ;;
esac
