import type { Command } from 'commander';
import { AppError } from '../../../errors.ts';
import { forgetConfirmation } from '../../../memory/erase/confirmation.ts';
import { parseScope, type Scope } from '../../../memory/erase/forget.ts';
import type { Receipt } from '../../../memory/erase/receipts.ts';
import type { Facets } from '../../../memory/facts/overview.ts';
import { defineCommand, screenOf, withCaller, withSpace } from '../define-command.ts';
import type { CliDeps } from '../deps.ts';
import { postJson, requestJson, withConnection, withQuery } from '../server-request.ts';
import { assertInteractive, confirmOrExit } from '../terminal/confirm.ts';
import { counted } from '../terminal/duration.ts';
import { createNewFile, type NewFile } from '../terminal/files.ts';
import type { Screen } from '../terminal/screen.ts';

interface ForgetOptions {
  yes?: boolean;
  receipt?: string;
  caller?: string;
  space?: string;
}

interface ForgetResponse {
  scope: string;
  deleted: number;
  receipt?: Receipt;
}

/** Scopes that may match more than the user expects. */
const CONFIRMED_SCOPES: readonly Scope['type'][] = ['all', 'facts', 'erase', 'prefix', 'tag', 'category'];

const SCOPES_HELP = `
Scopes:
  key:<exact-key>                        one fact with its history
  prefix:<p>  tag:<t>  category:<c>      facts that match
  facts                                  all facts
  packs  pipelines  pack:<id>  pipeline:<id>   run records
  cache  cache:<pack>                    cached results
  all                                    facts, history and run records
  erase                                  everything; destroys the key and issues a signed receipt`;

const withMemory = (command: Command) => withSpace(withCaller(command));

/** `helmdeck forget`: forgets a scope, after a confirmation where it may be large. */
export function addForgetCommand(program: Command, deps: CliDeps): void {
  withMemory(
    defineCommand(program, 'forget <scope>', 'forget the facts or records of a scope', [
      'forget key:user/editor',
      'forget prefix:project-x/',
      'forget erase --receipt receipt.json',
    ]),
  )
    .option('-y, --yes', 'do not ask for confirmation')
    .option('--receipt <file>', 'save the receipt of an erase')
    .addHelpText('after', SCOPES_HELP)
    .action((scope: string, options: ForgetOptions, command: Command) =>
      forget(deps, screenOf(deps, command), scope, options),
    );
}

async function forget(deps: CliDeps, screen: Screen, text: string, options: ForgetOptions): Promise<void> {
  const scope = scopeOf(text);
  if (options.receipt !== undefined && scope.type !== 'erase')
    throw new AppError('invalid_input', 'Only an erase has a receipt.', { hint: 'Omit --receipt.' });
  if (CONFIRMED_SCOPES.includes(scope.type) && !options.yes) {
    assertInteractive(screen, `Forgetting "${text}"`);
    const facts = await countFacts(deps, screen, scope, options);
    const whose = options.space === undefined ? options.caller : `the space ${options.space}`;
    await confirm(screen, text, whose, facts);
  }
  // The receipt is issued once and the erase is final: check first that the receipt can be saved.
  const file = options.receipt === undefined ? undefined : await createNewFile(options.receipt, false);
  const answer = await withConnection(deps, screen, (connection) =>
    postJson<ForgetResponse>(connection, withQuery('/api/v1/memory/forget', { space: options.space }), {
      scope: text,
      confirm: true,
      caller: options.caller,
    }),
  ).catch(async (thrown) => {
    await file?.discard();
    throw thrown;
  });
  await screen.result(answer, () => describe(answer));
  if (file) await saveReceipt(screen, file, answer, options.receipt!);
}

/** How many facts the scope names; undefined with a token that may write but not read. */
async function countFacts(
  deps: CliDeps,
  screen: Screen,
  scope: Scope,
  { caller, space }: Pick<ForgetOptions, 'caller' | 'space'>,
): Promise<number | undefined> {
  try {
    return await withConnection(deps, screen, async (connection) => {
      const facetsOf = (prefix: string) => {
        const path = withQuery('/api/v1/memory/facets', { prefix, caller, space });
        return requestJson<Facets>(connection, path);
      };
      return (await forgetConfirmation(scope, facetsOf)).facts;
    });
  } catch (thrown) {
    if (thrown instanceof AppError && thrown.code === 'insufficient_scope') return undefined;
    throw thrown;
  }
}

function scopeOf(text: string): Scope {
  try {
    return parseScope(text);
  } catch (thrown) {
    const { code, message, reason } = thrown as AppError;
    throw new AppError(code, message, { reason, hint: `One fact is "helmdeck forget key:${text}".` });
  }
}

function confirm(
  screen: Screen,
  scope: string,
  caller: string | undefined,
  facts: number | undefined,
): Promise<void> {
  const whose = caller === undefined ? '' : ` of ${caller}`;
  const what = scope === 'erase' ? `Erase everything${whose} for good` : `Forget "${scope}"${whose}`;
  const count = facts === undefined ? '' : ` (${counted(facts, 'fact')})`;
  return confirmOrExit(screen, {
    question: `${what}${count}?`,
    subject: `Forgetting "${scope}"`,
    onNo: 'Nothing was forgotten.',
  });
}

function describe(answer: ForgetResponse): string {
  if (answer.receipt) return JSON.stringify(answer.receipt, null, 2);
  return `Forgot ${counted(answer.deleted, 'entry', 'entries')}.`;
}

async function saveReceipt(
  screen: Screen,
  file: NewFile,
  answer: ForgetResponse,
  path: string,
): Promise<void> {
  await file.write(`${JSON.stringify(answer.receipt, null, 2)}\n`);
  await file.finish();
  screen.note(`Erased ${counted(answer.deleted, 'entry', 'entries')}; the receipt is in ${path}.`);
}
