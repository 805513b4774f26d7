import type { Check } from '../../surfaces/cli/deps.ts';

/** Creates the result of one check: passed, a warning or a failure with the way to fix it. */
export const ok = (name: string, message: string): Check => ({ name, status: 'ok', message });
export const warn = (name: string, message: string, fix: string): Check => ({
  name,
  status: 'warn',
  message,
  fix,
});
export const fail = (name: string, message: string, fix: string): Check => ({
  name,
  status: 'fail',
  message,
  fix,
});
