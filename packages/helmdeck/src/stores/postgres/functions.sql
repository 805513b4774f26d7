-- Schema version 1: the functions. `__schema__` stands for the quoted name of the schema.
-- Databases in use were made with this file, so its effect never changes: a change is a new step in schema.ts.
--
-- Every write is one function call: one round trip, and locks that are held only while the call runs, however slow or
-- dead the client is. A statement inside a function sees everything that was committed before the statement began. So
-- each function first locks its namespaces, ordered by id so that no two calls deadlock, and reads rows after that.
--
-- Plans are cached per connection and must not depend on how small a table was at that moment: hence the SET clauses.

-- Applies many batches that only put rows, with no row in two of them, in a fixed number of statements. A batch whose
-- namespace is gone (alive = false) or whose preconditions fail (fits = false) is skipped; the others are written.
CREATE FUNCTION __schema__.put_rows(spaces json, ops json)
RETURNS TABLE (batch int, alive boolean, fits boolean, last_seq bigint)
LANGUAGE plpgsql SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $body$
BEGIN
  PERFORM 1 FROM __schema__.namespaces n
    WHERE n.ns = ANY (ARRAY(SELECT decode(value, 'hex') FROM json_array_elements_text(spaces)))
    ORDER BY n.ns FOR NO KEY UPDATE;
  RETURN QUERY
  WITH given AS (
    SELECT o.b, o.no AS at, decode(o.ns, 'hex') AS ns, o.generation, decode(o.id, 'hex') AS id, o.kind,
      decode(o.grp, 'hex') AS grp, o.rev, o.created, o.updated, o.expires, decode(o.body, 'hex') AS body, o.ifrev
    FROM ROWS FROM (json_to_recordset(ops) AS (b int, ns text, generation bigint, id text, kind text, grp text,
      rev bigint, created bigint, updated bigint, expires bigint, body text, ifrev bigint)) WITH ORDINALITY
      AS o (b, ns, generation, id, kind, grp, rev, created, updated, expires, body, ifrev, no)
  ), judged AS (
    SELECT given.*, space.no AS nsno, space.seq AS before_seq, before.rev AS old_rev, before.kind AS old_kind,
      before.bytes AS old_bytes,
      bool_and(space.generation IS NOT DISTINCT FROM given.generation) OVER one AS is_alive,
      bool_and(given.ifrev IS NULL OR given.ifrev = coalesce(before.rev, 0)) OVER one AS does_fit
    FROM given LEFT JOIN __schema__.namespaces space ON space.ns = given.ns
      LEFT JOIN LATERAL (SELECT r.rev, r.kind, octet_length(r.body) AS bytes FROM __schema__.rows r
        WHERE r.nsno = space.no AND r.id = given.id OFFSET 0) before ON true
    WINDOW one AS (PARTITION BY given.b)
  ), placed AS (
    SELECT judged.*, before_seq + row_number() OVER (PARTITION BY nsno ORDER BY at) AS seq
    FROM judged WHERE is_alive AND does_fit
  ), written AS (
    INSERT INTO __schema__.rows AS r (nsno, id, seq, kind, grp, rev, created, updated, expires, body)
    SELECT nsno, id, seq, kind, grp, rev, created, updated, expires, body FROM placed
    ON CONFLICT (nsno, id) DO UPDATE SET seq = excluded.seq, kind = excluded.kind, grp = excluded.grp,
      rev = excluded.rev, created = excluded.created, updated = excluded.updated, expires = excluded.expires,
      body = excluded.body
  ), counted AS (
    INSERT INTO __schema__.usage AS u (nsno, kind, rows, bytes)
    SELECT nsno, kind, sum(rows), sum(bytes) FROM (
      SELECT nsno, kind, 1 AS rows, octet_length(body) AS bytes FROM placed
      UNION ALL SELECT nsno, old_kind, -1, -old_bytes FROM placed WHERE old_rev IS NOT NULL) AS delta
    GROUP BY nsno, kind
    ON CONFLICT (nsno, kind) DO UPDATE SET rows = u.rows + excluded.rows, bytes = u.bytes + excluded.bytes
  ), moved AS (
    UPDATE __schema__.namespaces n SET seq = newest.seq
    FROM (SELECT ns, max(seq) AS seq FROM placed GROUP BY ns) newest WHERE n.ns = newest.ns
  )
  SELECT judged.b, bool_and(judged.is_alive), bool_and(judged.does_fit), max(placed.seq)
  FROM judged LEFT JOIN placed USING (b, at) GROUP BY judged.b;
END $body$;

-- Removes rows of one namespace with all their descendants, and subtracts them from its counters.
CREATE FUNCTION __schema__.remove_families(space bigint, ids bytea[]) RETURNS void LANGUAGE sql AS $body$
  WITH RECURSIVE family AS (
    SELECT id FROM __schema__.rows WHERE nsno = space AND id = ANY (ids)
    UNION SELECT r.id FROM family JOIN __schema__.rows r ON r.nsno = space AND r.grp = family.id
  ), gone AS (
    DELETE FROM __schema__.rows r USING family WHERE r.nsno = space AND r.id = family.id
    RETURNING r.kind, octet_length(r.body) AS bytes
  )
  UPDATE __schema__.usage u SET rows = u.rows - g.rows, bytes = u.bytes - g.bytes
  FROM (SELECT kind, count(*) AS rows, sum(bytes) AS bytes FROM gone GROUP BY kind) g
  WHERE u.nsno = space AND u.kind = g.kind;
$body$;

-- Applies one batch of any operations, in their order.
CREATE FUNCTION __schema__.apply_ops(the_ns bytea, the_generation bigint, ops json, now_ms bigint)
RETURNS TABLE (alive boolean, fits boolean, before_seq bigint, last_seq bigint, deleted bigint)
LANGUAGE plpgsql SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $body$
DECLARE
  space __schema__.namespaces%ROWTYPE;
  op record;
  before record;
  victims bytea[];
  removed bigint := 0;
  old_seq bigint;
BEGIN
  SELECT * INTO space FROM __schema__.namespaces n WHERE n.ns = the_ns FOR NO KEY UPDATE;
  IF NOT FOUND OR space.generation <> the_generation THEN
    RETURN QUERY SELECT false, false, 0::bigint, 0::bigint, 0::bigint;
    RETURN;
  END IF;
  PERFORM 1 FROM json_to_recordset(ops) AS o (id text, ifrev bigint)
    LEFT JOIN LATERAL (SELECT r.rev FROM __schema__.rows r
      WHERE r.nsno = space.no AND r.id = decode(o.id, 'hex') OFFSET 0) r ON true
    WHERE o.ifrev IS NOT NULL AND o.ifrev <> coalesce(r.rev, 0);
  IF FOUND THEN
    RETURN QUERY SELECT true, false, space.seq, space.seq, 0::bigint;
    RETURN;
  END IF;
  old_seq := space.seq;
  FOR op IN SELECT o.type, decode(o.id, 'hex') AS id, o.kind, decode(o.grp, 'hex') AS grp, o.rev, o.created, o.updated,
      o.expires, decode(o.body, 'hex') AS body, o.kinds, o.most
    FROM json_to_recordset(ops) AS o (type text, id text, kind text, grp text, rev bigint, created bigint,
      updated bigint, expires bigint, body text, kinds text[], most bigint)
  LOOP
    IF op.type = 'put' THEN
      SELECT r.kind, octet_length(r.body) AS bytes INTO before FROM __schema__.rows r
        WHERE r.nsno = space.no AND r.id = op.id;
      IF FOUND THEN
        UPDATE __schema__.usage u SET rows = u.rows - 1, bytes = u.bytes - before.bytes
          WHERE u.nsno = space.no AND u.kind = before.kind;
      END IF;
      space.seq := space.seq + 1;
      INSERT INTO __schema__.rows AS r (nsno, id, seq, kind, grp, rev, created, updated, expires, body)
        VALUES (space.no, op.id, space.seq, op.kind, op.grp, op.rev, op.created, op.updated, op.expires, op.body)
        ON CONFLICT (nsno, id) DO UPDATE SET seq = excluded.seq, kind = excluded.kind, grp = excluded.grp,
          rev = excluded.rev, created = excluded.created, updated = excluded.updated, expires = excluded.expires,
          body = excluded.body;
      INSERT INTO __schema__.usage AS u (nsno, kind, rows, bytes) VALUES (space.no, op.kind, 1, octet_length(op.body))
        ON CONFLICT (nsno, kind) DO UPDATE SET rows = u.rows + 1, bytes = u.bytes + excluded.bytes;
    ELSIF op.type = 'delete' THEN
      PERFORM 1 FROM __schema__.rows r WHERE r.nsno = space.no AND r.id = op.id;
      IF FOUND THEN
        PERFORM __schema__.remove_families(space.no, ARRAY[op.id]);
        space.seq := space.seq + 1;
        INSERT INTO __schema__.tombstones (nsno, seq, id, at) VALUES (space.no, space.seq, op.id, now_ms);
        removed := removed + 1;
      END IF;
    ELSE
      IF op.grp IS NOT NULL THEN
        victims := ARRAY(SELECT r.id FROM __schema__.rows r WHERE r.nsno = space.no AND r.grp = op.grp
          AND (op.kinds IS NULL OR r.kind = ANY (op.kinds)) LIMIT op.most);
      ELSIF op.kinds IS NOT NULL THEN
        victims := ARRAY(SELECT r.id FROM __schema__.rows r
          WHERE r.nsno = space.no AND r.kind = ANY (op.kinds) LIMIT op.most);
      ELSE
        victims := ARRAY(SELECT r.id FROM __schema__.rows r WHERE r.nsno = space.no LIMIT op.most);
      END IF;
      IF cardinality(victims) > 0 THEN
        PERFORM __schema__.remove_families(space.no, victims);
        space.seq := space.seq + 1;
        space.epoch := space.epoch + 1;
        removed := removed + cardinality(victims);
      END IF;
    END IF;
  END LOOP;
  IF space.seq <> old_seq THEN
    UPDATE __schema__.namespaces n SET seq = space.seq, epoch = space.epoch WHERE n.ns = the_ns;
  END IF;
  RETURN QUERY SELECT true, true, old_seq, space.seq, removed;
END $body$;

-- Deletes the record, and with it the only copy of the key, at once. The rows, which nothing can decrypt any more, are
-- removed afterwards.
CREATE FUNCTION __schema__.drop_namespace(the_ns bytea) RETURNS TABLE (no bigint, rows bigint)
LANGUAGE plpgsql SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $body$
DECLARE
  space bigint;
  had bigint;
BEGIN
  DELETE FROM __schema__.namespaces n WHERE n.ns = the_ns RETURNING n.no INTO space;
  IF NOT FOUND THEN
    RETURN;
  END IF;
  INSERT INTO __schema__.dropped (no) VALUES (space);
  SELECT coalesce(sum(u.rows), 0) INTO had FROM __schema__.usage u WHERE u.nsno = space;
  DELETE FROM __schema__.usage u WHERE u.nsno = space;
  DELETE FROM __schema__.tombstones t WHERE t.nsno = space;
  RETURN QUERY SELECT space, had;
END $body$;

-- Removes up to `most` expired rows with their descendants and returns them; prunes tombstones from `prunable_ms` and
-- earlier, and leases that ended more than a day ago.
CREATE FUNCTION __schema__.sweep_rows(now_ms bigint, most int, prunable_ms bigint)
RETURNS TABLE (ns bytea, id bytea, kind text, grp bytea, body bytea, seq bigint, rev bigint, created bigint,
  updated bigint, expires bigint)
LANGUAGE plpgsql SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $body$
DECLARE
  due bytea[];
  due_in bigint[];
  pruned bigint[];
  one record;
BEGIN
  SELECT array_agg(d.id), array_agg(d.nsno) INTO due, due_in FROM (
    SELECT r.id, r.nsno FROM __schema__.rows r WHERE r.expires <= now_ms
      AND EXISTS (SELECT 1 FROM __schema__.namespaces n WHERE n.no = r.nsno) ORDER BY r.expires LIMIT most) d;
  pruned := ARRAY(SELECT DISTINCT t.nsno FROM __schema__.tombstones t WHERE t.at <= prunable_ms);
  PERFORM 1 FROM __schema__.namespaces n WHERE n.no = ANY (due_in || pruned) ORDER BY n.ns FOR NO KEY UPDATE;
  FOR one IN SELECT d.nsno AS space, array_agg(d.id) AS ids FROM unnest(due, due_in) AS d (id, nsno) GROUP BY d.nsno
  LOOP
    -- Between the look and the lock a row may have been renewed.
    RETURN QUERY SELECT n.ns, r.id, r.kind, r.grp, r.body, r.seq, r.rev, r.created, r.updated, r.expires
      FROM __schema__.rows r JOIN __schema__.namespaces n ON n.no = r.nsno
      WHERE r.nsno = one.space AND r.id = ANY (one.ids) AND r.expires <= now_ms;
    INSERT INTO __schema__.tombstones (nsno, seq, id, at) SELECT r.nsno, r.seq, r.id, now_ms FROM __schema__.rows r
      WHERE r.nsno = one.space AND r.id = ANY (one.ids) AND r.expires <= now_ms AND r.rev > 1;
    PERFORM __schema__.remove_families(one.space, ARRAY(SELECT r.id FROM __schema__.rows r
      WHERE r.nsno = one.space AND r.id = ANY (one.ids) AND r.expires <= now_ms));
  END LOOP;
  DELETE FROM __schema__.tombstones t WHERE t.at <= prunable_ms AND t.nsno = ANY (pruned);
  UPDATE __schema__.namespaces n SET epoch = n.epoch + 1 WHERE n.no = ANY (pruned);
  DELETE FROM __schema__.leases l WHERE l.until < now() - interval '1 day';
END $body$;
