# One mail server of `cargo xtask services`. The lines above say PYTHON, FOLDER and PORT.
MARK="127.0.0.1:$PORT -c aiosmtpd"

launch() {
    setsid "$PYTHON" -m aiosmtpd -n -l "127.0.0.1:$PORT" -c aiosmtpd.handlers.Mailbox "$FOLDER/mailbox" \
        </dev/null >log 2>&1 &
    echo $! >pid
}

answers() {
    "$PYTHON" -c "import smtplib; smtplib.SMTP('127.0.0.1', $PORT, timeout=5).noop()" 2>/dev/null
}

