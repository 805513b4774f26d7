import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto';
import { AppError } from '../errors.ts';

/** 32 MiB and 0.13 s for one hash on an idle core: the cost that OWASP lists beside 128 MiB with p = 1. */
const COST = { logN: 15, r: 8, p: 3 };
const SALT_BYTES = 16;
const HASH_BYTES = 32;
const MIN_CHARS = 12;
const MAX_BYTES = 1024;

/** Throws `invalid_input` for a password that is too short, too long, or the name of its account. */
export function assertPassword(password: unknown, name: string): asserts password is string {
  if (typeof password !== 'string')
    throw new AppError('invalid_input', 'password is required, as a string.', { reason: 'bad_type' });
  const refuse = (message: string) => {
    throw new AppError('invalid_input', message, { reason: 'weak_password' });
  };
  if ([...password].length < MIN_CHARS) refuse(`A password has at least ${MIN_CHARS} characters.`);
  if (Buffer.byteLength(password) > MAX_BYTES) refuse(`A password has at most ${MAX_BYTES} bytes.`);
  if (password.toLowerCase().includes(name.toLowerCase()) && password.length < name.length + MIN_CHARS)
    refuse('A password must not consist of the name of its account.');
}

/** Hashes a password with a new salt; the text names its parameters, so that they can be raised later. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const hash = await derive(password, salt, COST);
  const { logN, r, p } = COST;
  return `$scrypt$ln=${logN},r=${r},p=${p}$${salt.toString('base64url')}$${hash.toString('base64url')}`;
}

/** Whether a password is the hashed one. Without a hash it takes the same time, so that time reveals no account. */
export async function isPassword(password: string, stored: string | undefined): Promise<boolean> {
  const match = /^\$scrypt\$ln=(\d+),r=(\d+),p=(\d+)\$([\w-]+)\$([\w-]+)$/.exec(stored ?? '');
  if (!match) {
    await derive(password, randomBytes(SALT_BYTES), COST);
    return false;
  }
  const [, logN, r, p, salt, hash] = match;
  const cost = { logN: Number(logN), r: Number(r), p: Number(p) };
  const expected = Buffer.from(hash!, 'base64url');
  return timingSafeEqual(await derive(password, Buffer.from(salt!, 'base64url'), cost), expected);
}

/** One hash at a time: many logins at once must take neither all RAM nor every thread of the pool. */
let last: Promise<unknown> = Promise.resolve();

function derive(password: string, salt: Buffer, { logN, r, p }: typeof COST): Promise<Buffer> {
  const N = 2 ** logN;
  const options: ScryptOptions = { N, r, p, maxmem: 256 * N * r };
  // The same characters, typed on different keyboards, may arrive composed or decomposed.
  const text = password.normalize('NFKC');
  const job = last.then(
    () =>
      new Promise<Buffer>((resolve, reject) => {
        scrypt(text, salt, HASH_BYTES, options, (error, key) => (error ? reject(error) : resolve(key)));
      }),
  );
  last = job.catch(() => undefined);
  return job;
}
