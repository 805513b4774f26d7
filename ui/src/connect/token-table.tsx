import { useState } from 'react';
import type { Session, Token } from '../api/generated/rest.ts';
import { dayOf, exactly } from '../kit/dates.ts';
import { nameOfSource } from '../memory/list/source-name.ts';
import { DAY_MS, shortAge } from '../memory/list/time-left.ts';
import { useSession } from '../session/session-context.ts';
import { strings } from '../strings.ts';
import { worksAt } from './token-queries.ts';

const text = strings.connect;
const JUST_USED_MS = 60_000;
const ENDS_SOON_MS = 7 * DAY_MS;

interface TokenTableProps {
  tokens: Token[];
  nowMs: number;
  onRevoke?(jti: string): void;
  /** These are applications that were allowed in the browser. */
  applications?: boolean;
}

export function TokenTable({ tokens, nowMs, onRevoke, applications = false }: TokenTableProps) {
  const session = useSession();
  if (tokens.length === 0) return null;
  return (
    <table className="table">
      <thead>
        <tr>
          <th scope="col">{text.name}</th>
          <th scope="col" className="hide-m">
            {applications ? text.sendsTo : text.client}
          </th>
          <th scope="col" className="hide-s">
            {text.rights}
          </th>
          <th scope="col">{text.lastUsed}</th>
          <th scope="col" className="hide-s">
            {text.expires}
          </th>
          <th scope="col">
            <span className="sr">{applications ? text.disconnect : text.revoke}</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {tokens.map((token) => (
          <tr key={token.jti}>
            <td className="cut">
              <span className="row">
                <span className={`dot ${dotOf(token, nowMs)}`} />
                <span className="font-medium cut">{nameOf(token)}</span>
                {token.jti === session.jti && <span className="chip nowrap">{text.thisOne}</span>}
                {token.subject !== session.caller && <span className="chip cut">{token.subject}</span>}
              </span>
            </td>
            <td className="hide-m muted nowrap">
              {token.application?.redirect_host ??
                (token.client !== undefined && token.name !== undefined && nameOfSource(token.client))}
            </td>
            <td className="hide-s cut">
              <span className="chip" title={token.scopes.join(' ')}>
                {token.scopes.map((scope) => text.shortScopes[scope] ?? scope).join(', ')}
              </span>
            </td>
            <td
              className="muted nowrap"
              title={token.last_used_at === null ? undefined : exactly(token.last_used_at)}
            >
              {token.last_used_at === null ? text.neverUsed : shortAge(token.last_used_at, nowMs)}
            </td>
            <td className="hide-s muted nowrap" title={exactly(token.expires_at)}>
              {dayOf(token.expires_at)}
            </td>
            <td className="r">
              {onRevoke ? (
                token.jti !== session.jti &&
                mayRevoke(session, token) && (
                  <RevokeButton
                    name={nameOf(token)}
                    words={applications ? DISCONNECT : REVOKE}
                    onRevoke={() => onRevoke(token.jti)}
                  />
                )
              ) : (
                <span className="faint">{token.revoked_at === null ? text.expired : text.revoked}</span>
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const REVOKE = {
  short: text.revoke,
  one: text.revokeOne,
  forGood: text.revokeForGood,
  surely: text.revokeSurely,
};
const DISCONNECT = {
  short: text.disconnect,
  one: text.disconnectOne,
  forGood: text.disconnectForGood,
  surely: text.disconnectSurely,
};

interface RevokeButtonProps {
  name: string;
  words: typeof REVOKE | typeof DISCONNECT;
  onRevoke(): void;
}

/** Revoking cuts the client off at once and for good, so it takes a second click. */
function RevokeButton({ name, words, onRevoke }: RevokeButtonProps) {
  const [asking, setAsking] = useState(false);
  return (
    <button
      type="button"
      className={`btn btn-s nowrap ${asking ? 'btn-danger-solid' : 'btn-ghost'}`}
      aria-label={asking ? words.surely(name) : words.one(name)}
      onBlur={() => setAsking(false)}
      onClick={() => (asking ? onRevoke() : setAsking(true))}
    >
      {asking ? words.forGood : words.short}
    </button>
  );
}

/** A token may be revoked by a session that has all of its scopes. */
const mayRevoke = ({ scopes }: Session, token: Token) =>
  scopes.includes('admin') || token.scopes.every((scope) => scopes.includes(scope));

/** The state of a token: calling now, in use, about to expire, or never used. */
function dotOf(token: Token, nowMs: number): string {
  if (!worksAt(token, nowMs)) return '';
  const endMs = Date.parse(token.expires_at);
  // A login is short-lived by design, so its expiry needs no warning.
  const isLong = endMs - Date.parse(token.created_at) > ENDS_SOON_MS;
  if (isLong && endMs - nowMs < ENDS_SOON_MS) return 'dot-warn';
  if (token.last_used_at === null) return '';
  return nowMs - Date.parse(token.last_used_at) < JUST_USED_MS ? 'dot-live' : 'dot-ok';
}

const nameOf = (token: Token) =>
  token.name ?? (token.client === undefined ? text.unnamed : nameOfSource(token.client));
