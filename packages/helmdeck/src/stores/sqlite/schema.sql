-- The tables of a Helmdeck database in SQLite, schema version 1.
--
-- `seq` is the rowid: new and changed rows are appended, and every index ends with the rowid, so "newest first" and
-- "changed since" need no further index. Namespaces are referred to by small numbers to keep the indexes small.

CREATE TABLE namespaces (
  no INTEGER PRIMARY KEY AUTOINCREMENT, ns BLOB NOT NULL UNIQUE, generation INTEGER NOT NULL,
  blob BLOB NOT NULL, seq INTEGER NOT NULL, epoch INTEGER NOT NULL
);
CREATE TABLE rows (
  seq INTEGER PRIMARY KEY, nsno INTEGER NOT NULL, id BLOB NOT NULL, kind TEXT NOT NULL, grp BLOB,
  rev INTEGER NOT NULL, created INTEGER NOT NULL, updated INTEGER NOT NULL, expires INTEGER, body BLOB NOT NULL
);
CREATE UNIQUE INDEX rows_by_id ON rows (nsno, id);
CREATE INDEX rows_by_kind ON rows (nsno, kind);
CREATE INDEX rows_by_group ON rows (nsno, grp) WHERE grp IS NOT NULL;
CREATE INDEX rows_by_expiry ON rows (expires) WHERE expires IS NOT NULL;
CREATE TABLE tombstones (seq INTEGER PRIMARY KEY, nsno INTEGER NOT NULL, id BLOB NOT NULL, at INTEGER NOT NULL);
CREATE INDEX tombstones_by_namespace ON tombstones (nsno);
CREATE TABLE usage (
  nsno INTEGER NOT NULL, kind TEXT NOT NULL, rows INTEGER NOT NULL, bytes INTEGER NOT NULL, PRIMARY KEY (nsno, kind)
) WITHOUT ROWID;
-- Namespaces whose key is gone and whose rows are still being removed.
CREATE TABLE dropped (no INTEGER PRIMARY KEY);
CREATE TABLE probe (no INTEGER PRIMARY KEY, body BLOB NOT NULL);
