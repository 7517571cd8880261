# One Firebird of `cargo xtask services`. The lines above say SERVER, SHELL, FOLDER, PORT, PASSWORD and OWNER (empty: ours).
MARK="$SERVER -e $FOLDER/root "
export FIREBIRD="$FOLDER/root" FIREBIRD_LOCK="$FOLDER/lock" FIREBIRD_TMP="$FOLDER" ISC_USER= ISC_PASSWORD=

# Users live in a security database of our own, made before the first start.
make_users() {
    "$SHELL" -quiet -user SYSDBA >>log 2>&1 <<END
CREATE DATABASE '$FOLDER/security.fdb';
COMMIT;
CREATE USER SYSDBA PASSWORD '$PASSWORD';
COMMIT;
END
    [ -z "$OWNER" ] || chown -R "$OWNER:" lock databases security.fdb root
    [ -z "$OWNER" ] || chown "$OWNER:" .
}

launch() {
    [ -f security.fdb ] || make_users
    setsid "$SERVER" -e "$FOLDER/root" -el "$FOLDER/lock" </dev/null >>log 2>&1 &
    echo $! >pid
}

# A database of its own is made and dropped: then it takes work.
answers() {
    "$SHELL" -quiet >/dev/null 2>&1 <<END
CREATE DATABASE '127.0.0.1/$PORT:$FOLDER/databases/answers.fdb' USER 'SYSDBA' PASSWORD '$PASSWORD';
DROP DATABASE;
END
}

