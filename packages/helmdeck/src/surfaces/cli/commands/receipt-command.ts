import type { Command } from 'commander';
import { AppError } from '../../../errors.ts';
import { type Receipt, receiptProblem } from '../../../memory/erase/receipts.ts';
import { defineCommand, screenOf } from '../define-command.ts';
import type { CliDeps } from '../deps.ts';
import { counted } from '../terminal/duration.ts';
import { CommandExit } from '../terminal/failure.ts';
import { readJsonFile } from '../terminal/files.ts';
import type { Screen } from '../terminal/screen.ts';

interface VerifyOptions {
  subject?: string;
  tenant?: string;
  issuer?: string;
  space?: string;
  keys?: string;
}

const SPACE_ID = /^[0-9a-f]{32}$/;

/** `helmdeck verify-receipt`: checks the receipt of an erase offline. */
export function addReceiptCommand(program: Command, deps: CliDeps): void {
  defineCommand(program, 'verify-receipt <file>', 'check the receipt of an erase, offline', [
    'verify-receipt receipt.json',
    'verify-receipt receipt.json --subject alice --keys helmdeck-receipts.json',
  ])
    .option('--subject <sub>', 'the caller it must be about')
    .option('--tenant <tenant>', "that caller's tenant")
    .option('--issuer <issuer>', "that caller's identity provider (HELMDECK_JWT_ISSUER)")
    .option('--space <id>', 'the id of the space it must be about, as the erase printed it')
    .option('--keys <file-or-url>', "the server's /.well-known/helmdeck-receipts.json, or a copy of it")
    .action((file: string, options: VerifyOptions, command: Command) =>
      verifyReceipt(deps, screenOf(deps, command), file, options),
    );
}

async function verifyReceipt(
  deps: CliDeps,
  screen: Screen,
  path: string,
  options: VerifyOptions,
): Promise<void> {
  const { subject, tenant, issuer, space } = options;
  if ((tenant !== undefined || issuer !== undefined) && subject === undefined)
    throw new AppError('invalid_input', '--tenant and --issuer need --subject.', { hint: 'Add --subject.' });
  if (space !== undefined && subject !== undefined)
    throw new AppError('invalid_input', 'A receipt is about a caller or about a space.', {
      hint: 'Omit --subject or --space.',
    });
  if (space !== undefined && !SPACE_ID.test(space))
    throw new AppError('invalid_input', 'The id of a space is 32 hexadecimal digits, not its name.', {
      hint: 'It is in what the erase printed.',
    });
  const read = await readJsonFile(path, deps.terminal.in);
  // Also accepts the output of `forget erase --json`, which contains the receipt.
  const input = (read as { receipt?: unknown } | null)?.receipt ?? read;
  const trusted = options.keys === undefined ? undefined : await readKeys(options.keys, deps);
  const named = subject === undefined ? undefined : { subject, tenant, issuer };
  const caller = space === undefined ? named : { subject: undefined, space };
  const problem = receiptProblem(input, trusted, caller);
  const receipt = input as Receipt;
  const answer =
    problem === undefined
      ? {
          valid: true,
          key_trusted: trusted !== undefined,
          caller_checked: caller !== undefined,
          receipt_id: receipt.receipt_id,
          rows: receipt.rows,
          erased_at: receipt.erased_at,
        }
      : { valid: false, problem };
  await screen.result(answer, () =>
    problem === undefined
      ? describeValid(screen, receipt, options)
      : `${screen.paint('red', 'NOT VALID')}  ${problem}`,
  );
  if (problem !== undefined) throw new CommandExit(1);
}

function describeValid(screen: Screen, receipt: Receipt, options: VerifyOptions): string {
  const lines = [
    `${screen.paint('green', 'valid')}  ${counted(receipt.rows, 'entry was', 'entries were')} erased at ${receipt.erased_at}.`,
  ];
  if (options.subject !== undefined) lines.push(`       It is about ${options.subject}.`);
  else if (options.space !== undefined) lines.push(`       It is about the space ${options.space}.`);
  else lines.push('       What it is about was not checked: pass --subject, or --space for a space.');
  lines.push(
    options.keys === undefined
      ? '       The key was not compared with the keys of your server: pass --keys.'
      : '       It was signed by one of the given keys.',
    '       Not covered:',
    ...receipt.not_covered.map((each) => `         - ${each}`),
  );
  return lines.join('\n');
}

async function readKeys(source: string, deps: CliDeps): Promise<string[]> {
  const input = /^https?:/.test(source)
    ? await fetchKeys(source)
    : await readJsonFile(source, deps.terminal.in);
  const keys = (input as { keys?: { public_key?: unknown }[] } | null)?.keys;
  if (!Array.isArray(keys) || !keys.every((key) => typeof key?.public_key === 'string')) {
    throw new AppError('invalid_input', `${source} is not a list of receipt keys.`, {
      hint: 'Use the server\'s address with "/.well-known/helmdeck-receipts.json".',
    });
  }
  return keys.map((key) => key.public_key as string);
}

async function fetchKeys(url: string): Promise<unknown> {
  try {
    const response = await fetch(url);
    if (response.ok) return await response.json();
  } catch {
    // Reported below.
  }
  throw new AppError('memory_unavailable', `The keys could not be read from ${url}.`, {
    reason: 'unreachable',
    hint: 'Check the address, or pass a file.',
  });
}
