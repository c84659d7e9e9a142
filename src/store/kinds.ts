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

/** What belongs to a project: in `.qed/qed.db`, shared by every process that works on it. */
export const projectStore: StoreKind = { name: 'project', applicationId: APPLICATION_IDS.project, migrations: [events, calls] }

/** What belongs to a person, across projects: in their own data folder. */
export const personalStore: StoreKind = { name: 'personal', applicationId: APPLICATION_IDS.personal, migrations: [events, trust] }
