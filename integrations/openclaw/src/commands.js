// @ts-check
import { createCorpus } from './corpus.js';

/** @import { Command, PluginApi } from './plugin-api.js' */
/** @import { Helmdeck } from './helmdeck.js' */

/**
 * @typedef {{ agent?: string, json?: boolean }} SharedOptions
 * @typedef {SharedOptions & { limit?: string }} SearchOptions
 */

const COMMAND = Object.freeze({
  name: 'helmdeck',
  description: "Search Helmdeck's memory and check the connection",
  hasSubcommands: true,
});
const DEFAULT_AGENT = 'main';

/**
 * `openclaw helmdeck search` and `openclaw helmdeck status`.
 * @param {PluginApi} api
 * @param {Helmdeck} helmdeck
 */
export function registerCommands(api, helmdeck) {
  api.registerCli(
    ({ program }) => {
      const root = program.command(COMMAND.name).description(COMMAND.description);
      withSharedOptions(
        root.command('search').argument('<query...>', 'a few words').description('Find facts and runs'),
      )
        .option('--limit <n>', 'at most this many (default: 10)')
        .action((/** @type {string[]} */ words, /** @type {SearchOptions} */ options) =>
          printing(() => search(helmdeck, words.join(' '), options)),
        );
      withSharedOptions(
        root
          .command('status')
          .description('Show the address of Helmdeck and the number of entries of this agent'),
      ).action((/** @type {SharedOptions} */ options) => printing(() => status(helmdeck, options)));
    },
    { descriptors: [COMMAND] },
  );
}

/** @param {Command} command */
const withSharedOptions = (command) =>
  command
    .option('--agent <id>', `as this agent (default: ${DEFAULT_AGENT})`)
    .option('--json', 'machine-readable output');

/**
 * @param {Helmdeck} helmdeck
 * @param {string} query
 * @param {SearchOptions} options
 */
async function search(helmdeck, query, { agent = DEFAULT_AGENT, limit, json }) {
  const maxResults = limit === undefined ? undefined : Number(limit);
  const results = await createCorpus(helmdeck).search({ query, maxResults, agentId: agent });
  if (json) return JSON.stringify({ results }, null, 2);
  if (results.length === 0) return 'Nothing found in Helmdeck.';
  return results.map((hit) => `${hit.score.toFixed(2)}  ${hit.path}\n${indented(hit.snippet)}`).join('\n\n');
}

/**
 * @param {Helmdeck} helmdeck
 * @param {SharedOptions} options
 */
async function status(helmdeck, { agent = DEFAULT_AGENT, json }) {
  const { baseUrl } = helmdeck.settings();
  /** @type {{ documents: number, collections: unknown }} */
  const { documents, collections } = await helmdeck.callTool({ agentId: agent }, 'status', {});
  if (json) return JSON.stringify({ url: baseUrl, agent, documents, collections }, null, 2);
  return `Helmdeck at ${baseUrl} holds ${documents} facts and runs for the agent "${agent}".`;
}

/** @param {string} text */
const indented = (text) =>
  text
    .replace(/[^\P{C}\n]/gu, ' ') // a fact must not control the terminal
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => `      ${line}`)
    .join('\n');

/**
 * Prints the result, or the error message.
 * @param {() => Promise<string>} work
 */
async function printing(work) {
  try {
    // OpenClaw sends console.log to standard error under --json.
    process.stdout.write(`${await work()}\n`);
  } catch (thrown) {
    console.error(/** @type {Error} */ (thrown).message);
    process.exitCode = 1;
  }
}
