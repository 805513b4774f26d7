import { before } from './value-shapes.ts';

/** Issuers by their leading digits, with the lengths of their numbers. */
const ISSUERS: readonly RegExp[] = [
  /^4(?:[0-9]{15}|[0-9]{18})$/, // Visa
  /^(?:5[1-5][0-9]{2}|222[1-9]|22[3-9][0-9]|2[3-6][0-9]{2}|27[01][0-9]|2720)[0-9]{12}$/, // Mastercard
  /^3[47][0-9]{13}$/, // American Express
  /^(?:6011|65[0-9]{2}|64[4-9][0-9])[0-9]{12}$/, // Discover
  /^35(?:2[89]|[3-8][0-9])[0-9]{12}$/, // JCB
  /^3(?:0[0-5]|[68][0-9])[0-9]{11}$/, // Diners Club
  /^62[0-9]{14,17}$/, // UnionPay
];

/** Numbers that payment providers publish for tests, apart from those with few different digits. */
const PUBLISHED = new Set([
  '378282246310005',
  '371449635398431',
  '5105105105105100',
  '2223003122003222',
  '5200828282828210',
]);

/** Words before a long number that is not a card's. */
const OTHER_NUMBER =
  /(?:order|invoice|ticket|tracking|parcel|shipment|reference|ref|case|issue|account|customer|user|device|serial|snowflake|imei|iccid|meter|page|post|tweet|message|job|run|build|timestamp|time|id|nr|number|no|#)[.:#)=]?\s{0,2}$/i;
const CARD_WORD = /card|visa|master|amex|discover|jcb|diners|credit|debit|pan\b|kart|carte|tarjeta|карт/i;

function hasCheckDigit(digits: string): boolean {
  let sum = 0;
  for (let i = 0; i < digits.length; i++) {
    const digit = Number(digits[digits.length - 1 - i]);
    sum += i % 2 === 0 ? digit : digit * 2 - (digit > 4 ? 9 : 0);
  }
  return sum % 10 === 0;
}

/** Whether a run of digits is the number of a real payment card: issuer, length, check digit, and no other number. */
export function isCardNumber(match: RegExpExecArray): boolean {
  const digits = match[0].replace(/[ -]/g, '');
  if (!ISSUERS.some((issuer) => issuer.test(digits)) || !hasCheckDigit(digits)) return false;
  if (new Set(digits).size <= 4 || PUBLISHED.has(digits)) return false;
  const context = before(match, 40);
  if (/\btest\b/i.test(context)) return false;
  return CARD_WORD.test(context) || !OTHER_NUMBER.test(context);
}
