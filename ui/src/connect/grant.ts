import type { ConnectCode, MintedToken } from '../api/generated/rest.ts';

/** What was made for a client: a token, or a code that the command line redeems for one. Both name the token's id. */
export type Grant = (MintedToken | ConnectCode) & {
  /** Whose memory it opens. */
  subject: string;
};
