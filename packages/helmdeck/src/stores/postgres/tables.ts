/** Parts of every large table; a namespace lies in one of them, by the hash of its number. */
const PARTITIONS = 8;

/**
 * The tables of a schema. Namespaces have numbers: one that is made again has another, so what a dropped one left is
 * nobody's while it is being removed. Bodies are noise, which is not worth compressing. Heads and counters change with
 * every write, so their pages keep room for that.
 */
export const tables = (s: string): string => `
CREATE TABLE ${s}.namespaces (
  ns bytea PRIMARY KEY, no bigint GENERATED ALWAYS AS IDENTITY UNIQUE, generation bigint NOT NULL,
  blob bytea NOT NULL, seq bigint NOT NULL, epoch bigint NOT NULL
) WITH (fillfactor = 50);
CREATE TABLE ${s}.rows (
  nsno bigint NOT NULL, id bytea NOT NULL, seq bigint NOT NULL, kind text COLLATE "C" NOT NULL, grp bytea,
  rev bigint NOT NULL, created bigint NOT NULL, updated bigint NOT NULL, expires bigint, body bytea NOT NULL,
  PRIMARY KEY (nsno, id)
) PARTITION BY HASH (nsno);
ALTER TABLE ${s}.rows ALTER COLUMN body SET STORAGE EXTERNAL;
CREATE INDEX rows_by_kind ON ${s}.rows (nsno, kind, seq);
CREATE INDEX rows_by_group ON ${s}.rows (nsno, grp, seq) WHERE grp IS NOT NULL;
CREATE INDEX rows_by_expiry ON ${s}.rows (expires) WHERE expires IS NOT NULL;
CREATE TABLE ${s}.usage (
  nsno bigint NOT NULL, kind text COLLATE "C" NOT NULL, rows bigint NOT NULL, bytes bigint NOT NULL,
  PRIMARY KEY (nsno, kind)
) PARTITION BY HASH (nsno);
CREATE TABLE ${s}.tombstones (
  nsno bigint NOT NULL, seq bigint NOT NULL, id bytea NOT NULL, at bigint NOT NULL, PRIMARY KEY (nsno, seq)
);
CREATE INDEX tombstones_by_age ON ${s}.tombstones (at);
CREATE TABLE ${s}.dropped (no bigint PRIMARY KEY);
CREATE TABLE ${s}.leases (
  name text COLLATE "C" PRIMARY KEY, holder text NOT NULL, until timestamptz NOT NULL
) WITH (fillfactor = 50);
CREATE TABLE ${s}.probe (no int PRIMARY KEY, at timestamptz NOT NULL);
${Array.from({ length: PARTITIONS }, (_, part) => partition(s, part)).join('')}`;

const partition = (s: string, part: number): string => `
CREATE TABLE ${s}.rows_${part} PARTITION OF ${s}.rows FOR VALUES WITH (MODULUS ${PARTITIONS}, REMAINDER ${part})
  WITH (autovacuum_vacuum_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.05);
CREATE TABLE ${s}.usage_${part} PARTITION OF ${s}.usage FOR VALUES WITH (MODULUS ${PARTITIONS}, REMAINDER ${part})
  WITH (fillfactor = 50);`;
