-- Processes (WFL-2). start is the task that it begins with; first the number of that task in the present run: a restart begins above all
-- numbers of the runs before, so that nobody's late result fits. recovery: when to look whether all is well (listening time of the store).
-- parent: the task of another process that waits for this one.
CREATE TABLE wfl_process (
    id {text} NOT NULL PRIMARY KEY,
    type {text} NOT NULL,
    custom_id {text},
    start_key {text},
    start {text} NOT NULL,
    starter {text} NOT NULL,
    first {int} NOT NULL,
    parent {text},
    state {text} NOT NULL,
    started_at {int} NOT NULL,
    ended_at {int},
    ended {int},
    changed {int} NOT NULL,
    value {text},
    error_class {text},
    error {text},
    recovery {int},
    CHECK (state IN ('ACTIVE', 'FINISHED', 'BROKEN', 'ABORTED')),
    CHECK ((state IN ('FINISHED', 'ABORTED')) = (ended IS NOT NULL))
) {clustered};
CREATE UNIQUE INDEX wfl_process_key ON wfl_process (type, start_key) WHERE start_key IS NOT NULL;
CREATE INDEX wfl_process_custom ON wfl_process (custom_id, id) WHERE custom_id IS NOT NULL;
CREATE INDEX wfl_process_of ON wfl_process (type, id);
CREATE INDEX wfl_process_open ON wfl_process (state, id) WHERE state <> 'FINISHED';
CREATE INDEX wfl_process_old ON wfl_process (state, type, ended, id) WHERE ended IS NOT NULL;
CREATE INDEX wfl_process_broken ON wfl_process (type, id) WHERE state = 'BROKEN';
CREATE INDEX wfl_process_recovery ON wfl_process (recovery, id) WHERE recovery IS NOT NULL;

-- Tasks (WFL-3), numbered within their process. parent laid it out and called it local. attempt is the fence (WFL-26): it only grows.
CREATE TABLE wfl_task (
    process {text} NOT NULL,
    number {int} NOT NULL,
    parent {int} NOT NULL,
    local {text},
    actor {text} NOT NULL,
    list {text} NOT NULL,
    method {text} NOT NULL,
    attempt {int} NOT NULL DEFAULT 0,
    accept_fail {int} NOT NULL,
    timeout_ms {int},
    start_at {int},
    rules {text},
    args {text} NOT NULL,
    PRIMARY KEY (process, number)
) {clustered};

-- Decisions (WFL-4), one of each task that is ready or was. pass and attempt are of who took it last. recovery: until when somebody has
-- to be heard of (listening time of the store). broken_at: it ended with an error that nobody accepts.
CREATE TABLE wfl_decision (
    process {text} NOT NULL,
    number {int} NOT NULL,
    state {text} NOT NULL,
    attempt {int} NOT NULL,
    pass {text},
    worker {text},
    queue {text} NOT NULL,
    queued {int} NOT NULL,
    restarted {int},
    taken {int},
    recovery {int},
    failures {int} NOT NULL DEFAULT 0,
    checkpoint {text},
    value {text},
    error_class {text},
    error {text},
    tasks {text},
    ready_at {int} NOT NULL,
    taken_at {int},
    finished_at {int},
    broken_at {int},
    PRIMARY KEY (process, number),
    CHECK (state IN ('REGISTERED', 'WORK', 'FINISH')),
    CHECK (state = 'FINISH' OR broken_at IS NULL)
) {clustered};
CREATE INDEX wfl_decision_recovery ON wfl_decision (recovery, process, number) WHERE recovery IS NOT NULL;
CREATE INDEX wfl_decision_broken ON wfl_decision (broken_at, process, number) WHERE broken_at IS NOT NULL;

-- Queues: one of each actor and task list. at: from when on it may be taken, and its place (listening time of the store).
CREATE TABLE wfl_queue (
    queue {text} NOT NULL,
    at {int} NOT NULL,
    process {text} NOT NULL,
    number {int} NOT NULL,
    PRIMARY KEY (queue, at, process, number)
) {clustered};

-- Graphs (WFL-5). data: what waits for what (see graph/). open, ready and done count its unfinished, its ready and its finished items.
CREATE TABLE wfl_graph (
    process {text} NOT NULL PRIMARY KEY,
    version {int} NOT NULL,
    recovery {int},
    changed {int} NOT NULL,
    open {int} NOT NULL,
    ready {int} NOT NULL,
    done {int} NOT NULL,
    data {text} NOT NULL
) {clustered};
CREATE INDEX wfl_graph_recovery ON wfl_graph (recovery, process) WHERE recovery IS NOT NULL;

-- Signals that came before somebody waited for them (WFL-9).
CREATE TABLE wfl_signal (
    process {text} NOT NULL,
    name {text} NOT NULL,
    id {text} NOT NULL,
    value {text} NOT NULL,
    PRIMARY KEY (process, name, id)
) {clustered};

-- What happened beyond the usual: failed attempts, late results, repairs with their source (WFL-19).
CREATE TABLE wfl_history (
    process {text} NOT NULL,
    id {text} NOT NULL,
    number {int},
    attempt {int},
    at {int} NOT NULL,
    kind {text} NOT NULL,
    source {text} NOT NULL,
    text {text} NOT NULL,
    PRIMARY KEY (process, id)
) {clustered};

-- Actors (WFL-10, WFL-21): what is not said is as usual.
CREATE TABLE wfl_actor (
    id {text} NOT NULL PRIMARY KEY,
    blocked {int} NOT NULL DEFAULT 0,
    work_timeout_ms {int},
    restart_after_work_timeout {int},
    task_timeout_ms {int},
    force_finish_after_task_timeout {int},
    accept_first {int}
) {strict};
CREATE TABLE wfl_type (
    id {text} NOT NULL PRIMARY KEY,
    process_timeout_ms {int},
    idle_timeout_ms {int},
    on_inconsistency {text},
    kept_ms {int}
) {strict};

-- Who polls: polled is the queueing time of the last item that was handed out, or the time of a poll that found nothing (WFL-13), in
-- listening time of the store.
CREATE TABLE wfl_polled (
    queue {text} NOT NULL PRIMARY KEY,
    actor {text} NOT NULL,
    list {text} NOT NULL,
    polled {int} NOT NULL,
    first_at {int} NOT NULL,
    last {int} NOT NULL,
    last_at {int} NOT NULL
) {strict};

-- What was counted of actors up to a moment (listening time of the store), so that rates of an hour and a day can be told (WFL-21).
CREATE TABLE wfl_rate (
    actor {text} NOT NULL,
    at {int} NOT NULL,
    given {int} NOT NULL,
    done {int} NOT NULL,
    failed {int} NOT NULL,
    PRIMARY KEY (actor, at)
) {clustered};
CREATE INDEX wfl_rate_old ON wfl_rate (at, actor);

-- Queues whose alert is open: work waits and nobody polls (WFL-21).
CREATE TABLE wfl_unpolled (
    queue {text} NOT NULL PRIMARY KEY,
    since {int} NOT NULL
) {strict};

-- Searches that somebody gave a name (WFL-18).
CREATE TABLE wfl_search (
    name {text} NOT NULL PRIMARY KEY,
    search {text} NOT NULL,
    saved_at {int} NOT NULL,
    saved_by {text} NOT NULL
) {strict};

-- The last number that was given, of each kind of thing that is numbered; none is given twice.
CREATE TABLE wfl_number (
    name {text} NOT NULL PRIMARY KEY,
    last {int} NOT NULL
) {strict};

-- Jobs of operators (WFL-16, WFL-28). part and after: the place up to which it came; until: what was started later is not its business.
-- pace: when its next change is due, in microseconds of listening time. task: the task of the kernel that runs it.
CREATE TABLE wfl_job (
    number {int} NOT NULL PRIMARY KEY,
    state {text} NOT NULL,
    wish {text} NOT NULL,
    priority {int} NOT NULL,
    rate {int} NOT NULL,
    task {text} NOT NULL,
    part {int} NOT NULL DEFAULT 0,
    after {text} NOT NULL DEFAULT '',
    begun {text} NOT NULL DEFAULT '',
    until {text} NOT NULL,
    pace {int} NOT NULL,
    found {int} NOT NULL DEFAULT 0,
    examined {int} NOT NULL DEFAULT 0,
    changed {int} NOT NULL DEFAULT 0,
    skipped {int} NOT NULL DEFAULT 0,
    failed {int} NOT NULL DEFAULT 0,
    results {int} NOT NULL DEFAULT 0,
    created_at {int} NOT NULL,
    created_by {text} NOT NULL,
    ended_at {int},
    ended {int},
    CHECK (state IN ('RUNNING', 'PAUSED', 'DONE', 'CANCELLED')),
    CHECK ((state IN ('DONE', 'CANCELLED')) = (ended IS NOT NULL))
) {strict};
CREATE INDEX wfl_job_open ON wfl_job (priority, number) WHERE state = 'RUNNING';
CREATE INDEX wfl_job_old ON wfl_job (ended, number) WHERE ended IS NOT NULL;

-- What a job did, or why not, process by process.
CREATE TABLE wfl_job_result (
    job {int} NOT NULL,
    place {int} NOT NULL,
    process {text} NOT NULL,
    outcome {text} NOT NULL,
    text {text} NOT NULL,
    PRIMARY KEY (job, place)
) {clustered};

-- Starts by the calendar (WFL-29). next: the next due moment; task: the task of the kernel that waits for it.
CREATE TABLE wfl_schedule (
    id {text} NOT NULL PRIMARY KEY,
    wish {text} NOT NULL,
    paused {int} NOT NULL DEFAULT 0,
    next {int} NOT NULL,
    task {text},
    runs {int} NOT NULL DEFAULT 0,
    missed {int} NOT NULL DEFAULT 0,
    last_at {int},
    last_process {text},
    created_at {int} NOT NULL,
    created_by {text} NOT NULL
) {strict};
