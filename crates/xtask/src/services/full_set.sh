# Controls the parts of the full set together: control stop|kill ends those that a test left; start and status have nothing to do,
# since whoever wants a part starts it by the control file in its own folder. The lines above say FOLDER.
set -eu
cd "$FOLDER"

# The port mapper of the cluster knows no goodbye, and is ended last.
end_mapper() {
    [ -f mapper-pid ] || return 0
    if grep -qzxF "HOME=$FOLDER" "/proc/$(cat mapper-pid)/environ" 2>/dev/null; then
        kill -KILL "$(cat mapper-pid)" 2>/dev/null || true
    fi
    rm -f mapper-pid
}

end() {
    for part in */control; do "$FOLDER/$part" "$1"; done
    end_mapper
}

case "${1:-}" in
    start | status) ;;
    stop | kill) end "$1" ;;
    *) echo "usage: $0 start|stop|kill|status" >&2; exit 2 ;;
esac
