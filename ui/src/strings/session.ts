/** Signing in, invitations and one's own password. */
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
    withProvider: (host: string) => `Sign in with ${host}`,
    or: 'or',
    problems: {
      not_allowed: 'The identity provider knows you, but you may not use this server. Ask its admin.',
      account_disabled: 'Your account here is disabled. Ask an admin.',
      expired: 'The sign-in took too long, or began in another browser. Try again.',
      provider_unreachable: 'The identity provider did not answer. Try again in a moment.',
      cancelled: 'The sign-in was cancelled.',
      failed: 'The sign-in with the identity provider failed. Try again, or tell an admin.',
    } as Record<string, string>,
  },
  invitation: {
    title: 'Welcome',
    lead: (name: string) => `You are invited. Your username is ${name}; choose a password.`,
    reading: 'Reading the invitation…',
    expires: (when: string) => `This link works once, until ${when}.`,
    submit: 'Set password and sign in',
    busy: 'Setting the password…',
    unusable: 'This link cannot be used',
    toSignIn: 'Go to the sign-in page',
  },
  account: {
    menu: 'Your account',
    change: 'Change password',
    everywhere: 'Sign out everywhere',
    title: 'Change password',
    lead: 'Your other sessions and logins end. Programs that you connected stay connected.',
    current: 'Current password',
    next: 'New password',
    repeat: 'New password again',
    rule: 'At least 12 characters.',
    differ: 'The two new passwords differ.',
    wrong: 'The current password is wrong.',
    save: 'Change password',
    cancel: 'Cancel',
    done: (sessions: number) =>
      sessions === 0
        ? 'Password changed.'
        : `Password changed; ${sessions === 1 ? '1 other session' : `${sessions} other sessions`} ended.`,
  },
} as const;

export const { signIn, invitation, account } = sessionStrings;
