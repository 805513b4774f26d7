import type { Receipt } from '../api/generated/rest.ts';

/** Whether a receipt's signature is valid; undefined if the browser cannot verify it. */
export async function receiptFits({ signature, ...signed }: Receipt): Promise<boolean | undefined> {
  try {
    const key = await crypto.subtle.importKey('spki', bytesOf(signed.public_key), 'Ed25519', false, [
      'verify',
    ]);
    return await crypto.subtle.verify('Ed25519', key, bytesOf(signature), signedText(signed));
  } catch {
    return undefined;
  }
}

/** The text that the server signs: the fields, sorted by name. */
function signedText(signed: Omit<Receipt, 'signature'>): Uint8Array<ArrayBuffer> {
  const sorted = Object.entries(signed).sort(([a], [b]) => (a < b ? -1 : 1));
  return new TextEncoder().encode(`helmdeck-receipt/1\n${JSON.stringify(Object.fromEntries(sorted))}`);
}

const bytesOf = (base64: string) => Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
