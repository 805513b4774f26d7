import { MCP_PROFILES } from '../../surfaces/cli/commands/mcp-profiles.ts';
import { serverUrl } from '../../surfaces/cli/server-url.ts';
import { proxyStdio } from '../../surfaces/cli/stdio-proxy.ts';
import { connectTo } from '../process/http-connection.ts';
import { pluginServer } from './plugin-server.ts';

// `helmdeck mcp` for desktop programs, as one file without dependencies that any Node from 20 on runs.

const { url, token } = pluginServer(process.env);
const terminal = { in: process.stdin, out: process.stdout, err: process.stderr };
await proxyStdio(
  connectTo({ url: serverUrl(url), token, addressFrom: 'HELMDECK_URL' }),
  MCP_PROFILES.memory.path,
  terminal,
);
