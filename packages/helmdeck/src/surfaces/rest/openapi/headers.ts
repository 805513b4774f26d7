const text = { type: 'string' } as const;

/** The request headers that change what a route does. */
export const REQUEST_HEADERS = {
  'If-Match': {
    description: 'Write only over this version, such as "3"; 0 means that there must be none. Otherwise 412.',
    schema: text,
    example: '"3"',
  },
  'Idempotency-Key': {
    description:
      'Makes a retry safe for 24 hours: the same body again gets the first response, another body 409.',
    schema: { ...text, pattern: '^[\\x21-\\x7e]{1,255}$' },
    example: '0b7c4f5e-1',
  },
  'Cache-Control': {
    description: '`no-cache` runs the pack although its result is cached.',
    schema: text,
    example: 'no-cache',
  },
} as const;

/** The response headers that a client may use. */
export const RESPONSE_HEADERS = {
  'X-Request-Id': {
    description: 'Identifies the request in the log of the server; the one that was sent, if it is valid.',
    schema: text,
  },
  'Retry-After': { description: 'Seconds to wait, if the server knows.', schema: { type: 'integer' } },
  'WWW-Authenticate': { description: 'Says that a bearer token is needed.', schema: text },
  ETag: { description: 'The version of the fact, such as "3"; send it back in If-Match.', schema: text },
  'Idempotent-Replayed': {
    description: 'Present if this is the response to an earlier request with the same Idempotency-Key.',
    schema: { ...text, const: 'true' },
  },
  Location: { description: 'The path of the job.', schema: text },
  'Set-Cookie': { description: 'The cookie of the browser session.', schema: text },
  'Content-Disposition': { description: 'A file name for the export.', schema: text },
} as const;

export type RequestHeader = keyof typeof REQUEST_HEADERS;
export type ResponseHeader = keyof typeof RESPONSE_HEADERS;
