import type { ErrorCode, ErrorEnvelope } from './generated/rest.ts';

/** An error response of the server, or the failure to reach it. */
export class HelmdeckError extends Error {
  override readonly name: string = 'HelmdeckError';
  /** The HTTP status; 0 if there was no response. */
  readonly status: number;
  readonly code: ErrorCode | 'unreachable';
  /** A finer code. */
  readonly reason: string | undefined;
  /** What to do about it. */
  readonly hint: string | undefined;
  readonly requestId: string | undefined;

  constructor(status: number, envelope: Partial<ErrorEnvelope>, options?: ErrorOptions) {
    super(envelope.message ?? '', options);
    this.status = status;
    this.code = envelope.error ?? 'unreachable';
    this.reason = envelope.reason;
    this.hint = envelope.hint;
    this.requestId = envelope.request_id;
  }

  /** The server could not be reached at all. */
  get unreachable(): boolean {
    return this.status === 0;
  }
}

/** The error of a response that is not a success; a proxy's error page has no envelope. */
export async function errorOf(response: Response): Promise<HelmdeckError> {
  const envelope = (await response.json().catch(() => ({}))) as Partial<ErrorEnvelope>;
  const message = envelope.message ?? `The server responded with status ${response.status}.`;
  return new HelmdeckError(response.status, { ...envelope, message });
}
