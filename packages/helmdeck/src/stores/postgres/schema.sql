-- Schema version 1: the tables. `__schema__` stands for the quoted name of the schema.
-- Databases in use were made with this file, so its effect never changes: a change is a new step in schema.ts.

-- A namespace has a number. One that is dropped and made again gets a new number, so the rows of its predecessor
-- belong to no namespace while they are being removed. seq, epoch and the counters in `usage` change with every write:
-- fillfactor leaves space in their pages for HOT updates.
CREATE TABLE __schema__.namespaces (
  ns bytea PRIMARY KEY, no bigint GENERATED ALWAYS AS IDENTITY UNIQUE, generation bigint NOT NULL,
  blob bytea NOT NULL, seq bigint NOT NULL, epoch bigint NOT NULL
) WITH (fillfactor = 50);

CREATE TABLE __schema__.rows (
  nsno bigint NOT NULL, id bytea NOT NULL, seq bigint NOT NULL, kind text COLLATE "C" NOT NULL, grp bytea,
  rev bigint NOT NULL, created bigint NOT NULL, updated bigint NOT NULL, expires bigint, body bytea NOT NULL,
  PRIMARY KEY (nsno, id)
) PARTITION BY HASH (nsno);
-- Bodies are ciphertext, which does not compress.
ALTER TABLE __schema__.rows ALTER COLUMN body SET STORAGE EXTERNAL;
CREATE INDEX rows_by_kind ON __schema__.rows (nsno, kind, seq);
CREATE INDEX rows_by_group ON __schema__.rows (nsno, grp, seq) WHERE grp IS NOT NULL;
CREATE INDEX rows_by_expiry ON __schema__.rows (expires) WHERE expires IS NOT NULL;

CREATE TABLE __schema__.usage (
  nsno bigint NOT NULL, kind text COLLATE "C" NOT NULL, rows bigint NOT NULL, bytes bigint NOT NULL,
  PRIMARY KEY (nsno, kind)
) PARTITION BY HASH (nsno);

CREATE TABLE __schema__.tombstones (
  nsno bigint NOT NULL, seq bigint NOT NULL, id bytea NOT NULL, at bigint NOT NULL, PRIMARY KEY (nsno, seq)
);
CREATE INDEX tombstones_by_age ON __schema__.tombstones (at);

-- Numbers of dropped namespaces whose rows are still to be removed.
CREATE TABLE __schema__.dropped (no bigint PRIMARY KEY);

CREATE TABLE __schema__.leases (
  name text COLLATE "C" PRIMARY KEY, holder text NOT NULL, until timestamptz NOT NULL
) WITH (fillfactor = 50);

-- One row that the health probe updates to prove that a commit works.
CREATE TABLE __schema__.probe (no int PRIMARY KEY, at timestamptz NOT NULL);

-- Eight hash partitions of each large table; all rows of a namespace are in one of them.
CREATE TABLE __schema__.rows_0 PARTITION OF __schema__.rows FOR VALUES WITH (MODULUS 8, REMAINDER 0)
  WITH (autovacuum_vacuum_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.05);
CREATE TABLE __schema__.rows_1 PARTITION OF __schema__.rows FOR VALUES WITH (MODULUS 8, REMAINDER 1)
  WITH (autovacuum_vacuum_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.05);
CREATE TABLE __schema__.rows_2 PARTITION OF __schema__.rows FOR VALUES WITH (MODULUS 8, REMAINDER 2)
  WITH (autovacuum_vacuum_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.05);
CREATE TABLE __schema__.rows_3 PARTITION OF __schema__.rows FOR VALUES WITH (MODULUS 8, REMAINDER 3)
  WITH (autovacuum_vacuum_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.05);
CREATE TABLE __schema__.rows_4 PARTITION OF __schema__.rows FOR VALUES WITH (MODULUS 8, REMAINDER 4)
  WITH (autovacuum_vacuum_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.05);
CREATE TABLE __schema__.rows_5 PARTITION OF __schema__.rows FOR VALUES WITH (MODULUS 8, REMAINDER 5)
  WITH (autovacuum_vacuum_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.05);
CREATE TABLE __schema__.rows_6 PARTITION OF __schema__.rows FOR VALUES WITH (MODULUS 8, REMAINDER 6)
  WITH (autovacuum_vacuum_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.05);
CREATE TABLE __schema__.rows_7 PARTITION OF __schema__.rows FOR VALUES WITH (MODULUS 8, REMAINDER 7)
  WITH (autovacuum_vacuum_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.05);

CREATE TABLE __schema__.usage_0 PARTITION OF __schema__.usage FOR VALUES WITH (MODULUS 8, REMAINDER 0)
  WITH (fillfactor = 50);
CREATE TABLE __schema__.usage_1 PARTITION OF __schema__.usage FOR VALUES WITH (MODULUS 8, REMAINDER 1)
  WITH (fillfactor = 50);
CREATE TABLE __schema__.usage_2 PARTITION OF __schema__.usage FOR VALUES WITH (MODULUS 8, REMAINDER 2)
  WITH (fillfactor = 50);
CREATE TABLE __schema__.usage_3 PARTITION OF __schema__.usage FOR VALUES WITH (MODULUS 8, REMAINDER 3)
  WITH (fillfactor = 50);
CREATE TABLE __schema__.usage_4 PARTITION OF __schema__.usage FOR VALUES WITH (MODULUS 8, REMAINDER 4)
  WITH (fillfactor = 50);
CREATE TABLE __schema__.usage_5 PARTITION OF __schema__.usage FOR VALUES WITH (MODULUS 8, REMAINDER 5)
  WITH (fillfactor = 50);
CREATE TABLE __schema__.usage_6 PARTITION OF __schema__.usage FOR VALUES WITH (MODULUS 8, REMAINDER 6)
  WITH (fillfactor = 50);
CREATE TABLE __schema__.usage_7 PARTITION OF __schema__.usage FOR VALUES WITH (MODULUS 8, REMAINDER 7)
  WITH (fillfactor = 50);
