// Node-20-safe: runs where OpenClaw runs, for the two shell scripts beside it, which may pipe it into a container.
//   token                       prints the authorization header that OpenClaw has for Helmdeck
//   register <name> <url>       gives it to mcporter, in mcporter's own file; --dry-run only says what would change
// Exit codes: 2 no usable token, 3 mcporter's file cannot be read or written.
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';

const NO_TOKEN = 2;
const NOT_WRITTEN = 3;
const { env } = process;

const [task, ...given] = process.argv.slice(2);
if (task === 'token') console.log(header());
else if (task === 'register') register(given[0], given[1], given.includes('--dry-run'));
else fail(1, 'Usage: token | register <name> <url> [--dry-run]');

function fail(code, message) {
  console.error(message);
  process.exit(code);
}

/** OpenClaw's file is only ever read: OpenClaw owns it, and would refuse to start over a wrong key in it. */
function header() {
  const file =
    env.OPENCLAW_CONFIG_PATH ?? join(env.OPENCLAW_STATE_DIR ?? join(homedir(), '.openclaw'), 'openclaw.json');
  if (!existsSync(file)) fail(NO_TOKEN, `There is no ${file}. Start OpenClaw once, and add Helmdeck to it.`);
  let config;
  try {
    config = JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    fail(NO_TOKEN, `${file} is not plain JSON. "openclaw doctor --fix" rewrites it without comments.`);
  }
  const headers = config?.mcp?.servers?.helmdeck?.headers ?? {};
  const found = Object.entries(headers).find(([name]) => name.toLowerCase() === 'authorization')?.[1];
  if (typeof found !== 'string' || !/^Bearer \S+$/i.test(found.trim())) {
    fail(
      NO_TOKEN,
      `${file} has no token under mcp.servers.helmdeck.headers.authorization. Run "openclaw mcp add helmdeck …".`,
    );
  }
  const expiresMs = expiry(found);
  if (expiresMs !== undefined && expiresMs <= Date.now())
    fail(
      NO_TOKEN,
      `The token in ${file} expired on ${new Date(expiresMs).toISOString()}. Give OpenClaw a new one, then run this again.`,
    );
  return found.trim();
}

/** When a JWT ends; nothing for what is none, such as the name of a variable that mcporter fills in. */
function expiry(found) {
  try {
    const { exp } = JSON.parse(Buffer.from(found.split('.')[1], 'base64url').toString('utf8'));
    return typeof exp === 'number' ? exp * 1000 : undefined;
  } catch {
    return undefined;
  }
}

function register(name, url, dryRun) {
  const Authorization = header();
  const file = mcporterFile();
  const config = readMcporter(file);
  const servers = config.mcpServers ?? {};
  config.mcpServers = servers;
  const before = JSON.stringify(servers[name]);
  // Whatever else somebody put there stays; an older spelling of the two would win over ours.
  const { url: _url, headers: { authorization: _header, ...headers } = {}, ...rest } = servers[name] ?? {};
  servers[name] = { ...rest, baseUrl: url, headers: { ...headers, Authorization } };
  const change =
    before === undefined ? 'added' : before === JSON.stringify(servers[name]) ? 'unchanged' : 'updated';
  if (!dryRun && change !== 'unchanged') write(file, config);
  console.log(`${name} ${dryRun && change !== 'unchanged' ? `would be ${change}` : change} in ${file}`);
}

/** Where mcporter looks: the first of these that is there, or else the first. */
function mcporterFile() {
  const legacy = join(homedir(), '.mcporter');
  const xdg = env.XDG_CONFIG_HOME?.trim();
  const dirs = xdg && isAbsolute(xdg) ? [join(xdg, 'mcporter'), legacy] : [legacy];
  const files = dirs.flatMap((dir) => [join(dir, 'mcporter.json'), join(dir, 'mcporter.jsonc')]);
  return files.find((file) => existsSync(file)) ?? files[0];
}

function readMcporter(file) {
  if (!existsSync(file)) return {};
  try {
    const config = JSON.parse(readFileSync(file, 'utf8'));
    if (typeof config === 'object' && config !== null && !Array.isArray(config)) return config;
  } catch {
    // said below
  }
  return fail(
    NOT_WRITTEN,
    `${file} is not plain JSON; nothing was changed. Remove its comments and run this again.`,
  );
}

/** All or nothing, and readable by its owner only: it holds a token. */
function write(file, config) {
  const draft = `${file}.${process.pid}`;
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(draft, `${JSON.stringify(config, null, 2)}\n`, { mode: 0o600 });
    renameSync(draft, file);
  } catch (thrown) {
    if (existsSync(draft)) rmSync(draft);
    fail(NOT_WRITTEN, `${file} cannot be written (${thrown.code}).`);
  }
}
