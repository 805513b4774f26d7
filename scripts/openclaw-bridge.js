// Node-20-safe: runs on the machine or in the container of OpenClaw; the two shell scripts in this folder pipe it there.
//   token                       prints OpenClaw's authorization header for Helmdeck
//   register <name> <url>       writes it to mcporter's configuration; --dry-run only prints what would change
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

/** Never writes OpenClaw's file: OpenClaw refuses to start with an unknown key in it. */
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

/** The expiry of a JWT; undefined for anything else, such as a variable that mcporter substitutes. */
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
  // Keeps other fields, but removes the older spellings of these two, which would take precedence.
  const { url: _url, headers: { authorization: _header, ...headers } = {}, ...rest } = servers[name] ?? {};
  servers[name] = { ...rest, baseUrl: url, headers: { ...headers, Authorization } };
  const change =
    before === undefined ? 'added' : before === JSON.stringify(servers[name]) ? 'unchanged' : 'updated';
  if (!dryRun && change !== 'unchanged') write(file, config);
  console.log(`${name} ${dryRun && change !== 'unchanged' ? `would be ${change}` : change} in ${file}`);
}

/** The configuration file that mcporter uses: the first that exists, or else the first. */
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
    // reported below
  }
  return fail(
    NOT_WRITTEN,
    `${file} is not plain JSON; nothing was changed. Remove its comments and run this again.`,
  );
}

/** Writes the file atomically and readable only by its owner, because it contains a token. */
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
