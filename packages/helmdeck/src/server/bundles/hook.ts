import { serverUrl } from '../../surfaces/cli/server-url.ts';
import { runHookProcess } from './hook-process.ts';
import { pluginServer } from './plugin-server.ts';

// Hooks of the plugins for Claude Code and Gemini CLI, as one file without dependencies. The program hands the address and
// the token over that the person entered when the plugin was installed.

await runHookProcess(process.argv.slice(2), process.env, async () => {
  const { url, token } = pluginServer(process.env);
  return token === undefined ? undefined : { url: serverUrl(url), token };
});
