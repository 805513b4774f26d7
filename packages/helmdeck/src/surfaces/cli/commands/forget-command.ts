import type { Command } from 'commander';
import { AppError } from '../../../errors.ts';
import { parseScope, type Scope } from '../../../memory/erase/forget.ts';
import type { Receipt } from '../../../memory/erase/receipts.ts';
import { postJson, withConnection } from '../ask-server.ts';
import { defineCommand, screenOf, withCaller } from '../define-command.ts';
import type { CliDeps } from '../deps.ts';
import { Outcome } from '../terminal/failure.ts';
import { createNewFile, type NewFile } from '../terminal/files.ts';
import type { Screen } from '../terminal/screen.ts';

interface ForgetOptions {
  yes?: boolean;
  receipt?: string;
  caller?: string;
}

interface ForgetAnswer {
  scope: string;
  deleted: number;
  receipt?: Receipt;
}

/** Scopes that may take more with them than a person has in mind. */
const ASK_FIRST: readonly Scope['type'][] = ['all', 'facts', 'erase', 'prefix', 'tag', 'category'];

const SCOPES_HELP = `
Scopes:
  key:<exact-key>                        one fact with its history
  prefix:<p>  tag:<t>  category:<c>      facts that match
  facts                                  all facts
  packs  pipelines  pack:<id>  pipeline:<id>   what was run
  cache  cache:<pack>                    cached results
  all                                    facts, history and what was run
  erase                                  everything, its key destroyed, with a signed receipt`;

export function addForgetCommand(program: Command, deps: CliDeps): void {
  withCaller(
    defineCommand(program, 'forget <scope>', 'forget what a scope names', [
      'forget key:user/editor',
      'forget prefix:project-x/',
      'forget erase --receipt receipt.json',
    ]),
  )
    .option('-y, --yes', 'do not ask')
    .option('--receipt <file>', 'save the receipt of an erasure')
    .addHelpText('after', SCOPES_HELP)
    .action((scope: string, options: ForgetOptions, command: Command) =>
      forget(deps, screenOf(deps, command), scope, options),
    );
}

async function forget(deps: CliDeps, screen: Screen, text: string, options: ForgetOptions): Promise<void> {
  const scope = parseScope(text);
  if (options.receipt !== undefined && scope.type !== 'erase')
    throw new AppError('invalid_input', 'Only an erasure has a receipt.', { hint: 'Leave --receipt away.' });
  if (ASK_FIRST.includes(scope.type) && !options.yes) await insist(screen, text, options.caller);
  // The receipt is given once: be sure that it can be kept before there is nothing left to go back to.
  const file = options.receipt === undefined ? undefined : await createNewFile(options.receipt, false);
  const answer = await withConnection(deps, screen, (connection) =>
    postJson<ForgetAnswer>(connection, '/api/v1/memory/forget', {
      scope: text,
      confirm: true,
      caller: options.caller,
    }),
  ).catch(async (thrown) => {
    await file?.discard();
    throw thrown;
  });
  await screen.result(answer, () => describe(answer));
  if (file) await keepReceipt(screen, file, answer, options.receipt!);
}

/** Asks, or refuses where nobody can be asked. */
async function insist(screen: Screen, scope: string, caller: string | undefined): Promise<void> {
  if (!screen.interactive) {
    throw new AppError('invalid_input', `Forgetting "${scope}" needs a yes, and nobody is here to ask.`, {
      reason: 'confirmation_needed',
      hint: 'Add --yes.',
    });
  }
  const whose = caller === undefined ? '' : ` of ${caller}`;
  const what = scope === 'erase' ? `Erase everything${whose} for good` : `Forget "${scope}"${whose}`;
  if (await screen.confirm(`${what}?`)) return;
  screen.note('Nothing was forgotten.');
  throw new Outcome(1);
}

function describe(answer: ForgetAnswer): string {
  if (answer.receipt) return JSON.stringify(answer.receipt, null, 2);
  return answer.deleted === 1 ? 'Forgot 1 entry.' : `Forgot ${answer.deleted} entries.`;
}

async function keepReceipt(screen: Screen, file: NewFile, answer: ForgetAnswer, path: string): Promise<void> {
  await file.write(`${JSON.stringify(answer.receipt, null, 2)}\n`);
  await file.finish();
  screen.note(`Erased ${answer.deleted} entries; the receipt is in ${path}.`);
}
