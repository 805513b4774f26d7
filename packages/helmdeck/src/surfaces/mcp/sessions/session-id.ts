import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { type ClientCapabilities, SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/server';
import { type Caller, namespaceOf } from '../../../memory/namespace.ts';

const NONCE_BYTES = 12;
const MAC_BYTES = 16;
/** An id is taken up for this long after it was issued, so that it does not stay valid for ever. */
const MAX_AGE_MS = 90 * 86_400_000;
const FORMAT = /^1\.(\d{4}-\d{2}-\d{2})\.([eu]{0,2})\.([0-9a-z]{1,10})\.([\w-]{16})\.([\w-]{22})$/;

/** What the server needs to know of a client to serve its session. */
export interface SessionClient {
  protocolVersion: string;
  capabilities: ClientCapabilities;
}

/**
 * Ids of sessions that any process with the same key can take up: they carry what `initialize` said of the client and
 * are signed together with the caller and the endpoint, for which alone they are valid.
 */
export interface SessionIds {
  issue(endpoint: string, caller: Caller, client: SessionClient): string;
  /** Undefined for an id that no server with this key has issued to this caller at this endpoint. */
  read(endpoint: string, caller: Caller, id: string): SessionClient | undefined;
}

export function createSessionIds(key: Uint8Array, now: () => number): SessionIds {
  const sign = (endpoint: string, caller: Caller, content: string) =>
    createHmac('sha256', key)
      .update(`${endpoint}\0${content}\0`)
      .update(namespaceOf(caller))
      .digest()
      .subarray(0, MAC_BYTES);

  return {
    issue(endpoint, caller, { protocolVersion, capabilities }) {
      // As the server negotiates it: a version that it does not know becomes its latest.
      const version = SUPPORTED_PROTOCOL_VERSIONS.includes(protocolVersion)
        ? protocolVersion
        : SUPPORTED_PROTOCOL_VERSIONS[0]!;
      const issued = Math.floor(now() / 1000).toString(36);
      const nonce = randomBytes(NONCE_BYTES).toString('base64url');
      const content = ['1', version, elicitationModes(capabilities), issued, nonce].join('.');
      return `${content}.${sign(endpoint, caller, content).toString('base64url')}`;
    },
    read(endpoint, caller, id) {
      const [, protocolVersion, modes, issued, , mac] = FORMAT.exec(id) ?? [];
      if (protocolVersion === undefined || modes === undefined) return undefined;
      const signed = sign(endpoint, caller, id.slice(0, id.lastIndexOf('.')));
      if (!timingSafeEqual(signed, Buffer.from(mac!, 'base64url'))) return undefined;
      if (now() - Number.parseInt(issued!, 36) * 1000 > MAX_AGE_MS) return undefined;
      return { protocolVersion, capabilities: capabilitiesOf(modes) };
    },
  };
}

/** The only capability that the server makes use of: `e` for questions by form, `u` for those by URL. */
function elicitationModes({ elicitation }: ClientCapabilities): string {
  if (!elicitation) return '';
  const byForm = elicitation.form !== undefined || elicitation.url === undefined;
  return `${byForm ? 'e' : ''}${elicitation.url === undefined ? '' : 'u'}`;
}

function capabilitiesOf(modes: string): ClientCapabilities {
  if (modes === '') return {};
  return {
    elicitation: {
      ...(modes.includes('e') ? { form: {} } : {}),
      ...(modes.includes('u') ? { url: {} } : {}),
    },
  };
}
