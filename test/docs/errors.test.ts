import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ERRORS, errorEnvelope, toAppError } from '../../packages/helmdeck/src/errors.ts';
import type { FactReason } from '../../packages/helmdeck/src/memory/facts/validate-fact.ts';

const PAGE = readFileSync(new URL('../../docs/reference/errors.md', import.meta.url), 'utf8');

/** Every reason; as a record, so that the compiler reports a missing one. */
const REASONS: Record<FactReason, true> = {
  missing_key: true,
  missing_value: true,
  reserved_category: true,
  reserved_key: true,
  ttl_too_short: true,
  ttl_too_long: true,
  bad_review_after: true,
  key_too_long: true,
  bad_key: true,
  value_too_long: true,
  bad_category: true,
  too_many_tags: true,
  bad_tag: true,
  bad_project: true,
  too_many_replaced: true,
  bad_type: true,
  unknown_field: true,
};

/** The codes of the wire contract, so that a rename in both code and docs fails this test. */
const CONTRACT: Record<number, string> = {
  400: 'invalid_input invalid_pipeline invalid_request invalid_grant unsupported_grant_type unsupported_response_type invalid_scope invalid_target invalid_redirect_uri invalid_client_metadata',
  401: 'missing_bearer invalid_token token_expired token_revoked invalid_credentials invalid_client',
  403: 'insufficient_scope forbidden_origin',
  404: 'not_found unknown_space',
  405: 'method_not_allowed',
  409: 'conflict schema_mismatch builtin_readonly not_cancellable',
  412: 'precondition_failed',
  413: 'payload_too_large',
  415: 'unsupported_media_type',
  422: 'secret_detected',
  424: 'credential_invalid',
  429: 'quota_exceeded rate_limited',
  500: 'internal',
  502: 'handler_failed invalid_output artifact_failed',
  503: 'memory_unavailable qmd_unavailable vault_unavailable session_unavailable resource_exhausted login_disabled',
  504: 'timeout',
};

function documentedRows(page: string): Record<string, object> {
  const rows: Record<string, object> = {};
  for (const line of page.split('\n')) {
    const cells = line.split('|').map((cell) => cell.trim());
    const code = /^`([a-z_]+)`$/.exec(cells[1] ?? '')?.[1];
    if (!code) continue;
    rows[code] = {
      http: Number(cells[2]),
      jsonRpc: Number(cells[3]),
      exit: Number(cells[4]),
      retryable: cells[5] === 'yes' ? true : cells[5] === 'no' ? false : cells[5],
      hint: cells[6],
    };
  }
  return rows;
}

describe('docs/reference/errors.md', () => {
  it('docs/reference/errors.md lists exactly the codes of the error table, with the same numbers and hints', () => {
    expect(documentedRows(PAGE)).toEqual({ ...ERRORS });
  });

  it('a code that is only in the docs, only in the code, or has another number makes the comparison fail', () => {
    const without = PAGE.replace(/^\| `not_found`.*\n/m, '');
    const renumbered = PAGE.replace('| `timeout` | 504', '| `timeout` | 500');
    for (const page of [without, renumbered, `${PAGE}\n| \`made_up\` | 400 | -1 | 2 | no | x |\n`]) {
      expect(page).not.toBe(PAGE);
      expect(documentedRows(page)).not.toEqual({ ...ERRORS });
    }
  });

  it('docs/reference/errors.md explains every reason for refusing a fact, and no other', () => {
    const section = PAGE.split('## Why a fact was refused')[1]!;
    const documented = [...section.matchAll(/^- `([a-z_]+)`: (.+)$/gm)];
    expect(documented.map(([, reason]) => reason)).toEqual(Object.keys(REASONS));
    for (const [, , line] of documented) expect(line!.length).toBeGreaterThan(20);
  });
});

describe('the error table', () => {
  it('the error table has the codes of the wire contract under their HTTP status', () => {
    const byStatus = Map.groupBy(Object.entries(ERRORS), ([, { http }]) => http);
    const joined = Object.fromEntries(
      [...byStatus].map(([http, entries]) => [http, entries.map(([code]) => code).join(' ')]),
    );
    expect(joined).toEqual(CONTRACT);
  });

  it('every error code has a non-zero exit code and a hint', () => {
    for (const [code, shape] of Object.entries(ERRORS)) {
      expect(shape.exit, code).toBeGreaterThan(0);
      expect(shape.exit, code).toBeLessThan(126);
      expect(shape.hint, code).toMatch(/\.$/);
      expect(shape.jsonRpc, code).toBeLessThan(0);
    }
  });

  it('error codes with the same HTTP status share exit code and JSON-RPC code', () => {
    const seen = new Map<number, string>();
    for (const { http, exit, jsonRpc } of Object.values(ERRORS)) {
      const pair = `${exit} ${jsonRpc}`;
      expect(seen.get(http) ?? pair).toBe(pair);
      seen.set(http, pair);
    }
  });

  it('an unexpected error never exposes its text', () => {
    const error = toAppError(new Error('SELECT secret FROM rows'));
    expect(errorEnvelope(error, 'r-1')).toEqual({
      error: 'internal',
      message: 'Something went wrong on the server.',
      hint: 'Look for the request id in the server log.',
      request_id: 'r-1',
    });
  });
});
