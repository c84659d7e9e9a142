import { APPLICATION_IDS, type Migration, type StoreKind } from './migrations.ts'

const events: Migration = {
  version: 1,
  name: 'events',
  sql: `CREATE TABLE events (
    seq INTEGER PRIMARY KEY,
    stream TEXT NOT NULL,
    type TEXT NOT NULL,
    at TEXT NOT NULL,
    data TEXT NOT NULL,
    prev TEXT NOT NULL,
    hash TEXT NOT NULL
  ) STRICT;
  CREATE INDEX events_by_stream ON events (stream, seq);`,
}

const calls: Migration = {
  version: 2,
  name: 'calls',
  sql: `CREATE TABLE calls (
    id INTEGER PRIMARY KEY,
    at TEXT NOT NULL,
    surface TEXT NOT NULL,
    connection TEXT NOT NULL,
    client TEXT,
    method TEXT NOT NULL,
    request TEXT,
    input TEXT NOT NULL,
    output TEXT,
    error TEXT,
    duration_ms REAL NOT NULL
  ) STRICT;`,
}

const trust: Migration = {
  version: 2,
  name: 'trust',
  sql: `CREATE TABLE trust (
    project TEXT NOT NULL,
    digest TEXT NOT NULL,
    file TEXT NOT NULL,
    at TEXT NOT NULL,
    PRIMARY KEY (project, digest)
  ) STRICT;`,
}

const runs: Migration = {
  version: 3,
  name: 'runs',
  sql: `CREATE TABLE runs (
    id TEXT PRIMARY KEY,
    alias TEXT NOT NULL,
    record TEXT NOT NULL,
    status TEXT NOT NULL,
    fence INTEGER NOT NULL,
    owner TEXT,
    lease_until INTEGER NOT NULL,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL
  ) STRICT;
  CREATE INDEX runs_by_time ON runs (created_at, id);
  CREATE TABLE attempts (
    id TEXT PRIMARY KEY,
    run TEXT NOT NULL REFERENCES runs (id),
    subject TEXT NOT NULL,
    sequence INTEGER NOT NULL,
    status TEXT NOT NULL,
    operation_digest TEXT NOT NULL,
    fence INTEGER NOT NULL,
    record TEXT NOT NULL,
    reserved_at TEXT NOT NULL,
    settled_at TEXT,
    UNIQUE (subject, sequence)
  ) STRICT;
  CREATE UNIQUE INDEX one_reserved_per_subject ON attempts (subject) WHERE status = 'reserved';
  CREATE UNIQUE INDEX one_reserved_per_operation ON attempts (run, operation_digest) WHERE status = 'reserved';
  CREATE TABLE approvals (
    id TEXT PRIMARY KEY,
    run TEXT NOT NULL REFERENCES runs (id),
    status TEXT NOT NULL,
    record TEXT NOT NULL,
    requested_at TEXT NOT NULL
  ) STRICT;
  CREATE INDEX approvals_by_run ON approvals (run, status);
  CREATE TABLE checkpoints (
    run TEXT NOT NULL REFERENCES runs (id),
    sequence INTEGER NOT NULL,
    label TEXT NOT NULL,
    state TEXT NOT NULL,
    at TEXT NOT NULL,
    PRIMARY KEY (run, sequence)
  ) STRICT;
  CREATE TABLE budget_nodes (
    id TEXT PRIMARY KEY,
    parent TEXT REFERENCES budget_nodes (id),
    caps TEXT NOT NULL,
    settled TEXT NOT NULL,
    reserved TEXT NOT NULL,
    closed INTEGER NOT NULL,
    warned TEXT NOT NULL
  ) STRICT;
  CREATE TABLE budget_reservations (
    id INTEGER PRIMARY KEY,
    node TEXT NOT NULL REFERENCES budget_nodes (id),
    amounts TEXT NOT NULL,
    at TEXT NOT NULL
  ) STRICT;
  CREATE INDEX reservations_by_node ON budget_reservations (node);`,
}

const keptSnapshots: Migration = {
  version: 4,
  name: 'kept snapshots, and runs by alias',
  sql: `CREATE INDEX runs_by_alias ON runs (alias);
  CREATE INDEX attempts_by_run ON attempts (run);
  CREATE TABLE kept_objects (
    oid TEXT PRIMARY KEY,
    kind TEXT NOT NULL,
    size INTEGER NOT NULL,
    bytes BLOB NOT NULL
  ) STRICT;
  CREATE TABLE kept_refs (
    ref TEXT PRIMARY KEY,
    commit_oid TEXT NOT NULL
  ) STRICT;`,
}

/** What belongs to a project: in `.qed/qed.db`, shared by every process that works on it. */
export const projectStore: StoreKind = {
  name: 'project',
  applicationId: APPLICATION_IDS.project,
  migrations: [events, calls, runs, keptSnapshots],
}

/** What belongs to a person, across projects: in their own data folder. */
export const personalStore: StoreKind = { name: 'personal', applicationId: APPLICATION_IDS.personal, migrations: [events, trust] }
