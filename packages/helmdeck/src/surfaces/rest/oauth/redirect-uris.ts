/** The longest redirect URI, and the most of one application. */
export const REDIRECT_LIMITS = Object.freeze({ maxChars: 2_048, maxUris: 20 });

const LOOPBACK_HOSTS = ['localhost', '127.0.0.1', '[::1]'];
/** A browser runs or reads these itself, or sends the code over an open connection. */
const REFUSED_SCHEMES = [
  'about:', 'blob:', 'data:', 'file:', 'filesystem:', 'ftp:', 'intent:', 'javascript:', 'mailto:', 'vbscript:',
  'view-source:', 'ws:', 'wss:',
]; // biome-ignore format: a list

/** Why an application may not register this redirect URI; undefined if it may. */
export function redirectProblem(uri: string): string | undefined {
  if (uri.length > REDIRECT_LIMITS.maxChars) return `is longer than ${REDIRECT_LIMITS.maxChars} characters`;
  // Browsers read some of these differently than other programs, which makes one address look like another.
  if (!/^[\x21-\x7e]+$/.test(uri) || uri.includes('\\')) return 'has characters that no URI may have';
  if (!URL.canParse(uri)) return 'is not a URI';
  const url = new URL(uri);
  if (uri.includes('#')) return 'has a fragment';
  if (url.username !== '' || url.password !== '') return 'has a user name or a password';
  if (REFUSED_SCHEMES.includes(url.protocol)) return `must not begin with ${url.protocol}`;
  if (url.protocol === 'http:' && !isLoopback(url))
    return 'must be https, except on this machine (localhost)';
  return undefined;
}

/**
 * Whether a requested redirect URI is one that the application registered: the same text, or on this machine the same
 * but for the port, because programs listen on any free one.
 */
export function isRegistered(requested: string, registered: readonly string[]): boolean {
  if (redirectProblem(requested) !== undefined) return false;
  if (registered.includes(requested)) return true;
  const url = new URL(requested);
  return isLoopback(url) && registered.some((each) => withoutPort(each) === withoutPort(requested));
}

/** How people are shown where an application is sent: the host, or the scheme of a program on their machine. */
export function redirectHost(uri: string): string {
  const url = new URL(uri);
  return url.protocol === 'https:' ? url.host : isLoopback(url) ? 'localhost' : url.protocol;
}

/** The redirect URI with the parameters of the response; what its query has already stays. */
export function redirectTo(uri: string, parameters: Record<string, string | undefined>): string {
  const url = new URL(uri);
  for (const [name, value] of Object.entries(parameters))
    if (value !== undefined) url.searchParams.set(name, value);
  return url.href;
}

const isLoopback = ({ protocol, hostname }: URL) => protocol === 'http:' && LOOPBACK_HOSTS.includes(hostname);

function withoutPort(uri: string): string | undefined {
  const url = new URL(uri);
  if (!isLoopback(url)) return undefined;
  url.port = '';
  return url.href;
}
