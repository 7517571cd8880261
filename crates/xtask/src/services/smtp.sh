# Controls one mail server of `cargo xtask services`: control start|stop|kill|status.
# Each waits until it is done, and is no error when there is nothing to do.
# The lines above say PYTHON, FOLDER and PORT.

# A zombie has ended too: in a container nobody may ever collect it. A pid that another program got since is not ours.
running() {
    [ -f pid ] || return 1
    case "$(stat_of "$(cat pid)")" in
        "" | "Z "* | "X "*) return 1 ;;
    esac
    tr '\0' ' ' <"/proc/$(cat pid)/cmdline" 2>/dev/null | grep -q "aiosmtpd .*127.0.0.1:$PORT "
}

answers() {
    "$PYTHON" -c "import smtplib; smtplib.SMTP('127.0.0.1', $PORT, timeout=5).noop()" 2>/dev/null
}

stopped() {
    ! running
}

begin() {
    setsid "$PYTHON" -m aiosmtpd -n -l "127.0.0.1:$PORT" -c aiosmtpd.handlers.Mailbox "$FOLDER/mailbox" \
        </dev/null >log 2>&1 &
    echo $! >pid
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
