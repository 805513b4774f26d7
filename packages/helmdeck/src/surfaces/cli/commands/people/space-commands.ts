import type { Command } from 'commander';
import type { PromotionAnswer, ProposedPromotion, SpaceRole } from '../../../../client/generated/rest.ts';
import { defineCommand, screenOf } from '../../define-command.ts';
import type { CliDeps } from '../../deps.ts';
import { callServer, withConnection } from '../../server-request.ts';
import { confirmOrExit } from '../../terminal/confirm.ts';
import { parseDuration, relativeTime } from '../../terminal/duration.ts';
import { createNewFile } from '../../terminal/files.ts';
import type { Screen } from '../../terminal/screen.ts';
import { printable, renderTable } from '../../terminal/table.ts';

/** `helmdeck space` and `promote`: memories that several people share. */
export function addSpaceCommands(program: Command, deps: CliDeps): void {
  const space = program.command('space').description('share a memory with a team');
  defineCommand(space, 'list', 'list the spaces that you have access to', ['space list']).action(
    (_options: object, command: Command) => list(deps, screenOf(deps, command)),
  );

  defineCommand(space, 'create <name>', 'make a space (admins)', ['space create platform --owner ada'])
    .option('--owner <sub>', 'who owns it (default: yourself)')
    .action(async (slug: string, { owner }: { owner?: string }, command: Command) => {
      const screen = screenOf(deps, command);
      const made = await withConnection(deps, screen, (connection) =>
        callServer(connection, 'POST /api/v1/spaces', { body: { slug, owner } }),
      );
      await screen.result(made, () => `Made the space ${printable(made.slug)}.`);
    });

  defineCommand(space, 'members <name>', 'list who has access to a space', ['space members platform']).action(
    (slug: string, _options: object, command: Command) => members(deps, screenOf(deps, command), slug),
  );

  defineCommand(space, 'grant <name> <who>', 'give a person, or group:<name>, a role in a space', [
    'space grant platform grace --role writer',
    'space grant platform group:engineering --role reader',
    'space grant platform contractor --role proposer --for 30d',
  ])
    .requiredOption('--role <role>', 'reader, proposer, writer or owner')
    .option('--for <time>', 'until it ends by itself: 30d, 12h, …', parseDuration)
    .action(async (slug: string, who: string, options: { role: string; for?: number }, command: Command) => {
      const screen = screenOf(deps, command);
      const expires_at =
        options.for === undefined ? null : new Date(deps.now() + options.for * 1000).toISOString();
      const grant = await withConnection(deps, screen, (connection) =>
        callServer(connection, 'PUT /api/v1/spaces/{slug}/grants/{principal}', {
          path: { slug, principal: who },
          // The server says which roles there are.
          body: { role: options.role as SpaceRole, expires_at },
        }),
      );
      await screen.result(grant, () => printable(`${grant.principal} is now ${grant.role} of ${slug}.`));
    });

  defineCommand(space, 'revoke <name> <who>', 'take a role in a space back', [
    'space revoke platform grace',
  ]).action(async (slug: string, who: string, _options: object, command: Command) => {
    const screen = screenOf(deps, command);
    const answer = await withConnection(deps, screen, (connection) =>
      callServer(connection, 'DELETE /api/v1/spaces/{slug}/grants/{principal}', {
        path: { slug, principal: who },
      }),
    );
    const text = answer.revoked
      ? `${who} has no access to ${slug} any more.`
      : `${who} had no role of their own.`;
    await screen.result(answer, () => printable(text));
  });

  defineCommand(space, 'proposals <name>', 'what you proposed to a space, and what became of it', [
    'space proposals platform',
  ]).action((slug: string, _options: object, command: Command) =>
    listProposals(deps, screenOf(deps, command), slug),
  );

  defineCommand(space, 'erase <name>', 'erase a space with everything in it, for good', [
    'space erase platform --receipt receipt.json',
  ])
    .option('-y, --yes', 'do not ask for confirmation')
    .option('--receipt <file>', 'save the receipt of the erase')
    .action((slug: string, options: EraseOptions, command: Command) =>
      erase(deps, screenOf(deps, command), slug, options),
    );

  defineCommand(program, 'promote <key>', 'copy a fact of your own into a space', [
    'promote deploy/target --space platform',
  ])
    .requiredOption('--space <name>', 'the space')
    .action(async (key: string, options: { space: string }, command: Command) => {
      const screen = screenOf(deps, command);
      const answer = await withConnection(deps, screen, (connection) =>
        callServer(connection, 'POST /api/v1/memory/facts/{key}/promote', {
          path: { key },
          body: { space: options.space },
        }),
      );
      await screen.result(answer, () => promotionText(answer, options.space));
    });
}

function promotionText(answer: PromotionAnswer | ProposedPromotion, space: string): string {
  const { status } = answer;
  if (status === 'active') return printable(`Copied to ${space}.`);
  if (status === 'declined') return 'Not copied: this text was declined there before.';
  return printable(`Proposed to ${space}: a writer there decides (${answer.reason}).`);
}

async function list(deps: CliDeps, screen: Screen): Promise<void> {
  const answer = await withConnection(deps, screen, (connection) =>
    callServer(connection, 'GET /api/v1/spaces', {}),
  );
  const columns = [
    { title: 'SPACE', flexible: true },
    { title: 'ROLE' },
    { title: 'FACTS', align: 'right' as const },
    { title: 'WAITING', align: 'right' as const },
  ];
  const rows = answer.spaces.map(({ slug, role, usage, inbox }) => [
    slug,
    role ?? '',
    String(usage.facts),
    inbox ? String(inbox.proposed + inbox.quarantined) : '',
  ]);
  await screen.result(answer, () => (rows.length === 0 ? 'No spaces.' : renderTable(screen, columns, rows)));
}

async function members(deps: CliDeps, screen: Screen, slug: string): Promise<void> {
  const answer = await withConnection(deps, screen, (connection) =>
    callServer(connection, 'GET /api/v1/spaces/{slug}/grants', { path: { slug } }),
  );
  const columns = [
    { title: 'WHO', flexible: true },
    { title: 'ROLE' },
    { title: 'GRANTED BY', flexible: true },
    { title: 'ENDS' },
  ];
  const rows = answer.grants.map(({ principal, role, by, expires_at }) => [
    principal,
    role,
    by,
    expires_at === null ? '' : relativeTime(expires_at, deps.now()),
  ]);
  await screen.result(answer, () => renderTable(screen, columns, rows));
}

async function listProposals(deps: CliDeps, screen: Screen, slug: string): Promise<void> {
  const answer = await withConnection(deps, screen, (connection) =>
    callServer(connection, 'GET /api/v1/spaces/{slug}/proposals', { path: { slug } }),
  );
  const columns = [
    { title: 'KEY', flexible: true },
    { title: 'STATUS' },
    { title: 'PROPOSED' },
    { title: 'DECIDED' },
    { title: 'BY' },
  ];
  const ago = (time: string | undefined) => (time === undefined ? '' : relativeTime(time, deps.now()));
  const rows = answer.proposals.map(({ key, status, proposed_at, decided_at, decided_by }) => [
    key,
    status,
    ago(proposed_at),
    ago(decided_at),
    decided_by ?? '',
  ]);
  await screen.result(answer, () =>
    rows.length === 0 ? 'You proposed nothing there.' : renderTable(screen, columns, rows),
  );
}

interface EraseOptions {
  yes?: boolean;
  receipt?: string;
}

async function erase(deps: CliDeps, screen: Screen, slug: string, options: EraseOptions): Promise<void> {
  if (!options.yes)
    await confirmOrExit(screen, {
      question: `Erase the space ${slug} with everything in it, for good?`,
      subject: `Erasing ${slug}`,
      onNo: 'Nothing was erased.',
    });
  // The receipt is issued once: check first that it can be saved.
  const file = options.receipt === undefined ? undefined : await createNewFile(options.receipt, false);
  const erased = await withConnection(deps, screen, (connection) =>
    callServer(connection, 'DELETE /api/v1/spaces/{slug}', { path: { slug } }),
  ).catch(async (thrown) => {
    await file?.discard();
    throw thrown;
  });
  await screen.result(erased, () => JSON.stringify(erased.receipt, null, 2));
  // Nothing else tells the id afterwards, and without it nobody can show which space the receipt is about.
  const named = `Erased ${printable(slug)}, the space ${erased.id}`;
  if (!file) return screen.note(`${named}.`);
  await file.write(`${JSON.stringify(erased.receipt, null, 2)}\n`);
  await file.finish();
  screen.note(`${named}; the receipt is in ${options.receipt}.`);
}
