import type { CompletedCommand } from './command-tree.ts';

/** The manual page of the program in roff, from the same tree as the completion scripts. */
export function manPage(commands: readonly CompletedCommand[], version: string): string {
  const [program, ...others] = commands;
  const shown = others.filter(({ path }) => path !== 'help' && !path.startsWith('help '));
  const lines = [
    `.TH HELMDECK 1 "" "helmdeck ${escaped(version)}" "User Commands"`,
    '.SH NAME',
    `helmdeck \\- ${escaped(program!.about)}`,
    '.SH SYNOPSIS',
    '.B helmdeck',
    '.I command',
    '[options]',
    '.SH COMMANDS',
    ...shown.flatMap(({ path, about, options }) => [
      '.SS',
      escaped(`helmdeck ${path}`),
      '.P',
      escaped(about),
      ...options.flatMap(optionLines),
    ]),
    '.SH OPTIONS',
    ...program!.options.flatMap(optionLines),
    '.SH EXIT STATUS',
    '0 on success; every other code is listed in docs/reference/cli.md.',
    '.SH FILES',
    '.TP',
    escaped('./data/secrets.env'),
    'keys, admin password and first token of a server; keep a copy of it elsewhere',
    '.SH SEE ALSO',
    'The page /docs of a running server describes its REST routes.',
  ];
  return `${lines.join('\n')}\n`;
}

function optionLines({ flags, about, takesValue, choices }: CompletedCommand['options'][number]): string[] {
  const value = takesValue ? ` ${choices.length > 0 ? choices.join('|') : 'VALUE'}` : '';
  return ['.TP', `\\fB${flags.map(escaped).join('\\fR, \\fB')}\\fR${escaped(value)}`, escaped(about)];
}

/** A text without characters that roff takes as commands or cannot read. */
function escaped(text: string): string {
  const plain = text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll('\n', ' ')
    .replaceAll(/[^\0-\x7f]/gu, (letter) => {
      const code = letter.codePointAt(0)!.toString(16).toUpperCase();
      return `\\[u${code.padStart(4, '0')}]`;
    });
  return /^[.']/.test(plain) ? `\\&${plain}` : plain;
}
