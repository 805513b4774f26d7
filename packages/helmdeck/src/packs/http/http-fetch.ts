import { z } from 'zod';
import { definePack, type Pack } from '../../engine/pack/pack.ts';
import { type TextEncoding, textOrBase64 } from '../artifacts/text-or-base64.ts';
import { FETCH_LIMITS } from '../egress/guarded-fetch.ts';

/** `http.fetch`: one HTTP request to a public address. */
export function httpFetchPack(): Pack {
  return definePack({
    name: 'http.fetch',
    version: 'v1',
    description:
      'Send an HTTP request to a public address and get status, headers and body. ${vault:NAME} in the URL, a header or the body stands for a secret of your vault and is filled in on the way out.',
    input: z.strictObject({
      url: z.string().max(FETCH_LIMITS.maxUrlChars).describe('http or https address; no private networks'),
      method: z
        .enum(['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'HEAD'])
        .optional()
        .describe('HTTP method; default GET'),
      headers: z
        .record(z.string(), z.string())
        .optional()
        .describe('Request headers; "Authorization": "Bearer ${vault:NAME}" sends a secret'),
      body: z.string().optional().describe('Request body'),
    }),
    output: z.object({
      status: z.int(),
      headers: z.record(z.string(), z.string()).describe('Lower-case names, first value of each, no cookies'),
      body: z.string(),
      truncated: z.boolean().describe('true when the body was longer than 16 MiB and was cut'),
      encoding: z.enum(['utf-8', 'base64']).describe('How body is written: base64 when it is no text'),
      content_type: z.string().describe('Type of body as it is here: text is UTF-8, whatever it was before'),
    }),
    metadata: {
      accepts: ['url'],
      produces: ['text', 'html', 'json'],
      intent_keywords: ['fetch a page', 'download', 'call an api', 'http request', 'get the url'],
      typical_use: 'Reading a page or calling an API that has no pack of its own.',
      limitations: ['Public addresses only.', 'No JavaScript is run.', '30 seconds and 16 MiB at most.'],
    },
    async handler({ input, fetch }) {
      const { url, ...init } = input;
      const response = await fetch(url, init);
      const type = response.headers['content-type'] ?? '';
      const { text, encoding } = textOrBase64(response.body, type, response.truncated);
      return {
        status: response.status,
        headers: response.headers,
        body: text,
        truncated: response.truncated,
        encoding,
        content_type: contentType(type, encoding),
      };
    },
  });
}

const MEDIA_TYPE = /^\s*([a-z0-9][\w!#$&^.+-]{0,62}\/[a-z0-9][\w!#$&^.+-]{0,62})\s*(?:;|$)/i;

/** A valid content type, even if the server sent none or a malformed one. */
function contentType(given: string, encoding: TextEncoding): string {
  const plain = MEDIA_TYPE.exec(given)?.[1]?.toLowerCase();
  if (encoding === 'base64') return plain ?? 'application/octet-stream';
  return `${plain ?? 'text/plain'}; charset=utf-8`;
}
