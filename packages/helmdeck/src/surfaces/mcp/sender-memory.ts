import { createMemory, type Memory } from '../../memory/memory.ts';
import { enterSpace } from '../../memory/spaces/enter-space.ts';
import { assertScope } from '../http/auth.ts';
import type { Sender } from '../mcp-message.ts';
import type { McpServices } from './mcp-services.ts';

/** The sender's own memory, if its token may read it. */
export function readableMemory(services: McpServices, { identity }: Sender): Memory {
  assertScope(identity, 'memory:read');
  return createMemory(services.memory().parts, identity.caller);
}

/** A space that the sender was granted, if its token may read. */
export async function readableSpace(
  services: McpServices,
  { identity }: Sender,
  slug: string,
): Promise<Memory> {
  assertScope(identity, 'memory:read');
  return enterSpace(services.memory(), identity, slug, 'reader');
}
