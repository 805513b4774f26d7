import type { CompletedCommand, CompletedOption } from './command-tree.ts';

/** A completion script for fish. */
export function fishCompletion(tree: readonly CompletedCommand[]): string {
  const paths = tree.filter(({ path }) => path !== '').map(({ path }) => `'${path}'`);
  return `# Completion of helmdeck for fish. Load it with: helmdeck completion fish | source
function __helmdeck_at
    set -l words (commandline -opc)
    set -l at ''
    for word in $words[2..-1]
        set -l next (string trim -- "$at $word")
        contains -- $next ${paths.join(' ')}
        and set at $next
    end
    test "$at" = "$argv[1]"
end
complete -c helmdeck -f
${tree.flatMap(commandLines).join('\n')}
`;
}

function commandLines({ path, subcommands, options, choices, takesFile }: CompletedCommand): string[] {
  const start = `complete -c helmdeck -n "__helmdeck_at '${path}'"`;
  return [
    ...subcommands.map(({ name, about }) => `${start} -a ${name} -d '${about}'`),
    ...(choices.length > 0 ? [`${start} -a '${choices.join(' ')}'`] : []),
    ...(takesFile ? [`${start} -F`] : []),
    ...options.map((option) => `${start} ${optionText(option)}`),
  ];
}

function optionText({ flags, about, takesValue, choices, takesFile }: CompletedOption): string {
  const names = flags.map((flag) => (flag.startsWith('--') ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`));
  const value = takesValue
    ? [takesFile ? '-rF' : '-x', ...(choices.length > 0 ? [`-a '${choices.join(' ')}'`] : [])]
    : [];
  return [...names, ...value, `-d '${about}'`].join(' ');
}
