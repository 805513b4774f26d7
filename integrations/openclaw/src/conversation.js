// @ts-check
/** @import { AgentRef, AgentEnd, HookContext, PromptBuild } from './plugin-api.js' */
/** @import { Helmdeck } from './helmdeck.js' */

/** The agent's run waits for the notes. Nothing waits for the capture, but it needs a timeout, too. */
const LIMITS = Object.freeze({
  notesMs: 500,
  captureMs: 5_000,
  promptChars: 20_000,
  turnChars: 20_000,
  turns: 200,
  toldSessions: 100,
  toldMarks: 500,
});

/**
 * Notes before a prompt, with autoRecall, and the conversation to the server after a run, with autoCapture. Neither ever
 * rejects: without Helmdeck a conversation goes on as if this plugin were not there.
 * @param {Helmdeck} helmdeck
 */
export function createConversation(helmdeck) {
  /** @type {Map<string, string[]>} What each session was told, which a restarted server does not know. */
  const toldIn = new Map();
  /**
   * @param {string | undefined} session
   * @param {string[] | undefined} marks
   */
  const remember = (session, marks = []) => {
    if (session === undefined || marks.length === 0) return;
    const told = [...(toldIn.get(session) ?? []), ...marks].slice(-LIMITS.toldMarks);
    toldIn.delete(session);
    toldIn.set(session, told);
    const [oldest] = toldIn.keys();
    if (toldIn.size > LIMITS.toldSessions && oldest !== undefined) toldIn.delete(oldest);
  };
  return {
    /**
     * @param {PromptBuild} event
     * @param {HookContext} context
     * @returns {Promise<{ prependContext: string } | undefined>}
     */
    async beforePrompt({ prompt, currentUserMessage }, context) {
      try {
        if (!helmdeck.settings().autoRecall) return undefined;
        const asked = currentUserMessage ?? prompt;
        if (typeof asked !== 'string' || asked.trim() === '') return undefined;
        const session = sessionOf(context);
        const told = session === undefined ? undefined : toldIn.get(session);
        const body = { prompt: ends(asked).toWellFormed(), session_id: session, ...(told && { told }) };
        const answer = await helmdeck.promptNotes(agentOf(context), body, LIMITS.notesMs);
        remember(session, answer.told);
        const { text } = answer;
        return text ? { prependContext: text } : undefined;
      } catch {
        return undefined;
      }
    },
    /**
     * @param {AgentEnd} event
     * @param {HookContext} context
     */
    async afterRun({ messages }, context) {
      try {
        if (!helmdeck.settings().autoCapture) return;
        const turns = lastTurns(messages);
        if (turns.length === 0) return;
        await helmdeck.harvest(agentOf(context), { turns, session_id: sessionOf(context) }, LIMITS.captureMs);
      } catch {
        // The server is not reachable, or does not harvest.
      }
    },
  };
}

/**
 * @param {HookContext} context
 * @returns {AgentRef}
 */
const agentOf = ({ agentId, sessionKey }) => ({ agentId, agentSessionKey: sessionKey });

/** @param {HookContext} context */
const sessionOf = ({ sessionId, sessionKey }) => (sessionId ?? sessionKey)?.slice(0, 200);

/**
 * The beginning and the end of a long text.
 * @param {string} text
 */
function ends(text) {
  const half = LIMITS.promptChars / 2;
  return text.length <= LIMITS.promptChars ? text : `${text.slice(0, half)}\n${text.slice(-half)}`;
}

/**
 * What was said in the run that ended: from the last message of the user on, without tools and their results.
 * @param {unknown[]} messages
 */
function lastTurns(messages) {
  const turns = messages.map(turnOf);
  const start = turns.findLastIndex((turn) => turn?.role === 'user');
  if (start < 0) return [];
  return turns
    .slice(start)
    .filter((turn) => turn !== undefined)
    .slice(0, LIMITS.turns);
}

/**
 * @param {unknown} message
 * @returns {{ role: 'user' | 'assistant', text: string } | undefined}
 */
function turnOf(message) {
  const { role, content } = /** @type {{ role?: unknown, content?: unknown }} */ (message ?? {});
  if (role !== 'user' && role !== 'assistant') return undefined;
  const parts = Array.isArray(content) ? content : [{ type: 'text', text: content }];
  const text = parts
    .filter((part) => part?.type === 'text' && typeof part.text === 'string')
    .map((part) => part.text)
    .join('\n')
    .trim();
  return text === '' ? undefined : { role, text: text.slice(0, LIMITS.turnChars).toWellFormed() };
}
