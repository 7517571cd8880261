# Controls one RabbitMQ node of `cargo xtask services`: control start|stop|kill|status, and begin, which does not wait.
# Each waits until it is done, and is no error when there is nothing to do.
# The lines above say RABBITMQ, FOLDER, NODE, PORT, NODES_PORT, MAPPER_PORT and MAPPER_FOLDER. A port mapper in another folder than the
# node's own is that of a whole cluster: begun here if nobody did, and ended by whoever ends the cluster.

# A busy machine may take a minute.
TRIES_MAX=1800

# All that the node reads of its surroundings; nothing of the machine's own instance is among it.
settings() {
    HOME=$FOLDER RUNNING_UNDER_SYSTEMD=1 RABBITMQ_HOME=$RABBITMQ RABBITMQ_NODENAME=$NODE
    RABBITMQ_NODE_IP_ADDRESS=127.0.0.1 RABBITMQ_NODE_PORT=$PORT RABBITMQ_DIST_PORT=$NODES_PORT
    ERL_EPMD_ADDRESS=127.0.0.1 ERL_EPMD_PORT=$MAPPER_PORT
    RABBITMQ_MNESIA_BASE=$FOLDER/db RABBITMQ_LOG_BASE=$FOLDER/logs RABBITMQ_PID_FILE=$FOLDER/own-pid
    RABBITMQ_CONF_ENV_FILE=/dev/null RABBITMQ_CONFIG_FILE=$FOLDER/rabbitmq.conf
    RABBITMQ_ENABLED_PLUGINS_FILE=$FOLDER/enabled_plugins
    # Other nodes on loopback only; and a node that waits leaves the cores to others.
    RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS="-kernel inet_dist_use_interface {127,0,0,1} +sbwt none +sbwtdcpu none +sbwtdio none"
    export HOME RUNNING_UNDER_SYSTEMD RABBITMQ_HOME RABBITMQ_NODENAME RABBITMQ_NODE_IP_ADDRESS RABBITMQ_NODE_PORT \
        RABBITMQ_DIST_PORT ERL_EPMD_ADDRESS ERL_EPMD_PORT RABBITMQ_MNESIA_BASE RABBITMQ_LOG_BASE RABBITMQ_PID_FILE \
        RABBITMQ_CONF_ENV_FILE RABBITMQ_CONFIG_FILE RABBITMQ_ENABLED_PLUGINS_FILE RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS
}

# Whether the process whose pid a file holds is alive. A zombie has ended too: in a container nobody may ever collect it.
alive() {
    [ -f "$1" ] || return 1
    case "$(stat_of "$(cat "$1")")" in
        "" | "Z "* | "X "*) return 1 ;;
    esac
}

# Whether it is alive and was started in that folder, and is not one that got its pid since.
lives() {
    alive "$1" && grep -qzxF "HOME=$2" "/proc/$(cat "$1")/environ" 2>/dev/null
}

running() {
    lives pid "$FOLDER"
}

has_mapper() {
    lives "$MAPPER_FOLDER/mapper-pid" "$MAPPER_FOLDER"
}

# Another one's mapper is none of ours.
own_mapper() {
    [ "$MAPPER_FOLDER" = "$FOLDER" ] && has_mapper
}

# The node writes this line when it takes connections.
answers() {
    alive pid || { echo "$WHO ended" >&2; tail -n 20 log >&2; exit 1; }
    grep -q "Server startup complete" log
}

stopped() {
    ! running && ! own_mapper
}

begin() {
    settings
    if ! has_mapper; then
        HOME=$MAPPER_FOLDER setsid epmd -port "$MAPPER_PORT" -address 127.0.0.1 </dev/null >mapper-log 2>&1 &
        echo $! >"$MAPPER_FOLDER/mapper-pid"
    fi
    setsid sh "$RABBITMQ/sbin/rabbitmq-server" </dev/null >log 2>&1 &
    echo $! >pid
}

# The port mapper knows no goodbye.
end() {
    ! running || kill "-$1" "$(cat pid)" 2>/dev/null || true
    wait_until end eval '! running'
    ! own_mapper || kill -KILL "$(cat mapper-pid)" 2>/dev/null || true
    wait_until end stopped
    rm -f pid
}

case "${1:-}" in
    begin) running || begin ;;
    start) running || begin; wait_until answer answers ;;
    stop) stopped || end TERM ;;
    kill) stopped || end KILL ;;
    status) running ;;
    *) echo "usage: $0 start|stop|kill|status" >&2; exit 2 ;;
esac
