import type { Machine } from '../deps.ts';
import type { Client, CurrentConnection } from './client.ts';
import { applyEdit } from './connect-plan.ts';
import { readConfig } from './formats/config-file.ts';

/** Reads the connection that a client has now; a file that cannot be parsed is an error. */
export async function readCurrentConnection(
  client: Client,
  machine: Machine,
): Promise<CurrentConnection | undefined> {
  const path = client.path(machine);
  const text = (await readConfig(path)) ?? '';
  let current: CurrentConnection | undefined;
  applyEdit(client, path, text, () => {
    current = client.current(text);
    return text;
  });
  return current;
}
