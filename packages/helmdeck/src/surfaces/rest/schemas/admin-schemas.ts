import { z } from 'zod';
import { ACCESS_ACTIONS } from '../../../memory/access-audit.ts';
import { time } from './fact-schemas.ts';

// What only admins get: the access audit, backups, the clock.

const auditRecord = z
  .strictObject({
    n: z.int(),
    at: time,
    action: z.enum(ACCESS_ACTIONS),
    actor: z.string(),
    tenant: z.string().optional(),
    target: z.string().optional(),
    detail: z.string().optional(),
    prev: z.string(),
    hash: z.string(),
  })
  .meta({ id: 'AuditRecord' });
export const auditResponse = z
  .strictObject({ records: z.array(auditRecord), next_cursor: z.string().optional() })
  .meta({ id: 'AuditPage' });
export const auditVerifyResponse = z
  .strictObject({ ok: z.boolean(), records: z.int(), problem: z.string().optional() })
  .meta({ id: 'AuditVerification' });

export const backupsResponse = z
  .strictObject({
    possible: z.boolean().describe('false: the database is not a file; back it up with its own tools'),
    schedule: z
      .strictObject({
        address: z.string().describe('HELMDECK_BACKUP_URL'),
        every_seconds: z.number(),
        keep: z.int().describe('how many are kept'),
        last: z
          .strictObject({ at: time, bytes: z.int() })
          .nullable()
          .describe('the newest backup of this database at the address'),
        failed_at: time.nullable().describe('when the last attempt failed; null if it did not'),
      })
      .nullable()
      .describe('null: scheduled backups are off; backups made by hand elsewhere are not known'),
  })
  .meta({ id: 'Backups' });

export const clockResponse = z
  .strictObject({
    now: z.string().describe("The server's time"),
    trusted: z.boolean().describe('false: the clock leapt, and what expired is hidden but not deleted'),
  })
  .meta({ id: 'Clock' });
