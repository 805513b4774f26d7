import { agentStrings } from './strings/agents.ts';
import { connectStrings } from './strings/connect.ts';
import { draftStrings } from './strings/drafts.ts';
import { healthStrings } from './strings/health.ts';
import { homeStrings } from './strings/home.ts';
import { memoryStrings } from './strings/memory.ts';
import { packStrings } from './strings/packs.ts';
import { pipelineStrings } from './strings/pipelines.ts';
import { routingStrings } from './strings/routing.ts';
import { sessionStrings } from './strings/session.ts';
import { shellStrings } from './strings/shell.ts';

/** Every English sentence of the UI, by page. Codes, keys and values come from the server and are not here. */
export const strings = {
  ...shellStrings,
  ...sessionStrings,
  ...memoryStrings,
  ...draftStrings,
  ...homeStrings,
  ...agentStrings,
  ...healthStrings,
  ...connectStrings,
  ...packStrings,
  ...pipelineStrings,
  ...routingStrings,
} as const;
