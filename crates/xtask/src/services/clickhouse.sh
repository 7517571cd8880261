# One ClickHouse of `cargo xtask services`. The lines above say SERVER, FOLDER and PORT.
MARK="--config-file=$FOLDER/config.xml"

# Newer servers would start themselves anew as a child, which our pid would not be.
launch() {
    CLICKHOUSE_WATCHDOG_ENABLE=0 setsid "$SERVER" "--config-file=$FOLDER/config.xml" </dev/null >>log 2>&1 &
    echo $! >pid
}

answers() {
    python3 -c "import urllib.request; urllib.request.urlopen('http://127.0.0.1:$PORT/ping', timeout=5)" 2>/dev/null
}

