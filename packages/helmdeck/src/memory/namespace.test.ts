import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Caller,
  callerNamed,
  callerOf,
  fullCallerName,
  identityProblem,
  namespaceOf,
} from './namespace.ts';

const ISSUER = 'https://idp.example';
const part = fc
  .oneof(
    fc.constantFrom('a', 'b', 'a#b', `${ISSUER}#a`, ISSUER, '\u00e9'),
    fc.string({ minLength: 1, maxLength: 8 }),
  )
  .filter((text) => identityProblem('sub', text) === undefined);
const issuerName = part.filter((text) => identityProblem('iss', text) === undefined);
const caller: fc.Arbitrary<Caller> = fc.record(
  { issuer: issuerName, tenant: part, subject: part },
  { requiredKeys: ['subject'] },
);

describe('namespaceOf', () => {
  it('callers that differ in issuer, tenant or subject never share a namespace', () => {
    fc.assert(
      fc.property(caller, caller, (a, b) => {
        const isSame = a.issuer === b.issuer && a.tenant === b.tenant && a.subject === b.subject;
        expect(namespaceOf(a).equals(namespaceOf(b))).toBe(isSame);
        expect(callerOf(namespaceOf(a))).toEqual(a);
      }),
      { numRuns: 2_000 },
    );
  });

  it("the namespaces of this server's own subjects are the same as before issuers were part of them", () => {
    expect(namespaceOf({ subject: undefined })).toEqual(Buffer.from([0]));
    expect(namespaceOf({ subject: 'ada' })).toEqual(Buffer.from('\u0001ada'));
    expect(namespaceOf({ tenant: 'acme', subject: 'ada' })).toEqual(Buffer.from('\u0002\0\0\0\u0004acmeada'));
  });
});

describe('fullCallerName', () => {
  it("the name of a provider's caller leads back to that caller", () => {
    fc.assert(
      fc.property(part, fc.option(part, { nil: undefined }), (subject, tenant) => {
        const named: Caller = { issuer: ISSUER, ...(tenant === undefined ? {} : { tenant }), subject };
        expect(
          callerNamed(fullCallerName(named), { tenant, issuers: ['https://other.example', ISSUER] }),
        ).toEqual(named);
      }),
    );
  });
});
