import { createMemory, type Memory } from '../../memory/memory.ts';
import { assertScope } from '../http/auth.ts';
import type { Sender } from '../mcp-message.ts';
import type { McpServices } from './mcp-services.ts';

/** The sender's own memory, if its token may read it. */
export function readableMemory(services: McpServices, { identity }: Sender): Memory {
  assertScope(identity, 'memory:read');
  return createMemory(services.memory().parts, identity.caller);
}
