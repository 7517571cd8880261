# One Redis of `cargo xtask services`. The lines above say SERVER, CLIENT, FOLDER and PORT.
MARK="redis-server --port $PORT "

# Everything that was answered is on the disk, so that a test may kill it and see what it kept; a test that wants one that
# forgot empties it (`FLUSHALL`).
launch() {
    setsid "$SERVER" --port "$PORT" --bind 127.0.0.1 --dir "$FOLDER" --save "" --appendonly yes --appendfsync always \
        --set-proc-title no </dev/null >>log 2>&1 &
    echo $! >pid
}

answers() {
    [ "$("$CLIENT" -p "$PORT" ping 2>/dev/null)" = PONG ]
}

