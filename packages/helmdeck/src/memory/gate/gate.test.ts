import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decide, GATE_MODES } from './gate.ts';
import { isLower, lowest, TRUST_CLASSES, trustOfSource } from './trust.ts';

const trust = fc.constantFrom(...TRUST_CLASSES);
const write = fc.record({
  trust,
  asked: fc.boolean(),
  proposeOnly: fc.boolean(),
  finding: fc.option(fc.constant({ rule: 'hidden_text', reason: 'It hides text.' }), { nil: undefined }),
});
const current = fc.option(fc.record({ trust, isSameText: fc.boolean() }), { nil: undefined });
const PLAIN = { asked: false, proposeOnly: false, finding: undefined };

describe('decide', () => {
  it('never lets a lower class replace another text of a higher one, unless the gate is open', () => {
    fc.assert(
      fc.property(fc.constantFrom('guarded', 'strict'), write, current, (mode, incoming, before) => {
        if (!before || before.isSameText || !isLower(incoming.trust, before.trust)) return;
        expect(decide(mode, incoming, before).status).not.toBe('active');
      }),
    );
  });

  it('lets nothing in that was asked to be proposed, or comes with a token that may only propose, in any mode', () => {
    fc.assert(
      fc.property(fc.constantFrom(...GATE_MODES), write, current, (mode, incoming, before) => {
        if (!incoming.asked && !incoming.proposeOnly) return;
        expect(decide(mode, incoming, before).status).not.toBe('active');
      }),
    );
  });

  it('quarantines what the screen found, in every mode but open', () => {
    fc.assert(
      fc.property(fc.constantFrom(...GATE_MODES), write, current, (mode, incoming, before) => {
        if (!incoming.finding) return;
        expect(decide(mode, incoming, before).status === 'quarantined').toBe(mode !== 'open');
      }),
    );
  });

  it.each([
    ['guarded', [false, false, true, true, true]],
    ['strict', [false, false, false, false, true]],
    ['open', [true, true, true, true, true]],
  ] as const)('in mode %s, new facts of these classes are active: %j', (mode, active) => {
    const statuses = TRUST_CLASSES.map((each) => decide(mode, { ...PLAIN, trust: each }, undefined).status);
    expect(statuses.map((status) => status === 'active')).toEqual(active);
  });

  it('names why a text waits', () => {
    const reasonOf = (more: object, before?: Parameters<typeof decide>[2]) =>
      decide('guarded', { ...PLAIN, trust: 'model_inference', ...more }, before);
    expect(reasonOf({ trust: 'untrusted_document' })).toMatchObject({ reason: 'external_source' });
    expect(reasonOf({}, { trust: 'direct_user', isSameText: false })).toMatchObject({
      reason: 'lower_trust',
    });
    expect(reasonOf({ proposeOnly: true })).toMatchObject({ reason: 'token_policy' });
    expect(reasonOf({ asked: true })).toMatchObject({ reason: 'asked' });
    expect(reasonOf({ finding: { rule: 'r', reason: '' } })).toMatchObject({ reason: 'screen:r' });
  });
});

describe('trust', () => {
  it('lowest is the lowest of its arguments and never above the first', () => {
    fc.assert(
      fc.property(trust, fc.array(fc.option(trust, { nil: undefined })), (first, others) => {
        const result = lowest(first, ...others);
        expect(isLower(first, result)).toBe(false);
        for (const other of others) if (other) expect(isLower(other, result)).toBe(false);
      }),
    );
  });

  it.each([
    [{ surface: 'rest' }, 'direct_user'],
    [{ surface: 'rest', client: 'cli' }, 'direct_user'],
    [{ surface: 'rest', client: 'claude-code' }, 'model_inference'],
    [{ surface: 'ui', client: 'first-token' }, 'direct_user'],
    [{ surface: 'mcp' }, 'model_inference'],
    [{ surface: 'mcp', client: 'cli' }, 'model_inference'],
    [{ surface: 'import' }, 'direct_user'],
    [undefined, 'model_inference'],
  ] as const)('a write from %j is %s', (source, expected) => {
    expect(trustOfSource(source)).toBe(expected);
  });
});
