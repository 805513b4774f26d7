/** Signing in. */
const sessionStrings = {
  signIn: {
    title: 'Sign in',
    lead: 'See what your agents know about you.',
    password: 'Password',
    token: 'Token',
    username: 'Username',
    submit: 'Sign in',
    busy: 'Signing in…',
    ways: 'How to sign in',
    hintPassword: 'First start? The password is in the terminal that runs Helmdeck, or in',
    secretsFile: 'data/secrets.env',
    hintToken: 'The token is put into a cookie that this page cannot read. Nothing else keeps it.',
    ended: 'Your session has ended. Sign in again to return to the page you were on.',
    footer: 'Nothing leaves this server',
    loginDisabled: 'This server has no admin password. Sign in with a token.',
    wrong: 'Wrong username or password.',
    badToken: 'This token is not valid here. Copy all of it again.',
    expired: 'This token has expired or was revoked. Mint a new one.',
    locked: 'Too many attempts. Wait a minute, then try again.',
  },
} as const;

export const { signIn } = sessionStrings;
