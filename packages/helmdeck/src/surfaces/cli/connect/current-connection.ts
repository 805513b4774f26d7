import type { Machine } from '../deps.ts';
import type { Client, Held } from './client.ts';
import { edited } from './connect-plan.ts';
import { readConfig } from './formats/config-file.ts';

/** What a program has been given; a file that cannot be read is said to be so. */
export async function heldBy(client: Client, machine: Machine): Promise<Held | undefined> {
  const path = client.path(machine);
  const text = await readConfig(path);
  let held: Held | undefined;
  edited(client, path, text, () => {
    held = client.held(text);
    return text;
  });
  return held;
}
