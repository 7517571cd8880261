# The control file of a service that is one process: control start|stop|kill|status.
# Each waits until it is done, and is no error when there is nothing to do.
# What stands above says PORT, MARK (a text of the process's command line that no other has), `launch` and `answers`.

# A zombie has ended too: in a container nobody may ever collect it. A pid that another program got since is not ours.
running() {
    [ -f pid ] || return 1
    case "$(stat_of "$(cat pid)")" in
        "" | "Z "* | "X "*) return 1 ;;
    esac
    tr '\0' ' ' <"/proc/$(cat pid)/cmdline" 2>/dev/null | grep -qF -- "$MARK"
}

stopped() {
    ! running
}

begin() {
    launch
    wait_until answer answers
}

end() {
    kill "-$1" "$(cat pid)" 2>/dev/null || true
    wait_until end stopped
    rm -f pid
}

case "${1:-}" in
    start) running || begin ;;
    stop) ! running || end TERM ;;
    kill) ! running || end KILL ;;
    status) running ;;
    *) echo "usage: $0 start|stop|kill|status" >&2; exit 2 ;;
esac
