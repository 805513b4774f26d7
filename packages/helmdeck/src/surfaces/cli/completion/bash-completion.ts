import type { CompletedCommand } from './command-tree.ts';

/** A completion script for bash 3.2 (that of macOS) and later. */
export function bashCompletion(tree: readonly CompletedCommand[]): string {
  const paths = tree.filter(({ path }) => path !== '').map(({ path }) => `'${path}'`);
  return `# Completion of helmdeck for bash. Load it with: source <(helmdeck completion bash)
_helmdeck() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" prev="\${COMP_WORDS[COMP_CWORD-1]}" at='' i
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "\${at:+$at }\${COMP_WORDS[i]}" in
      ${paths.join(' | ')}) at="\${at:+$at }\${COMP_WORDS[i]}" ;;
    esac
  done
  case "$at $prev" in
${tree.flatMap(valueCases).join('\n')}
  esac
  local words=''
  case "$at" in
${tree.map(commandCase).join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -F _helmdeck helmdeck
`;
}

/** `compopt` exists since bash 4 and completes names with spaces well. */
const FILES = `compopt -o default 2>/dev/null || { local IFS=$'\\n'; COMPREPLY=($(compgen -f -- "$cur")); }`;

/** What follows an option that takes a value. */
function valueCases({ path, options }: CompletedCommand): string[] {
  return options
    .filter(({ takesValue }) => takesValue)
    .map(({ flags, choices, takesFile }) => {
      const patterns = flags.map((flag) => `'${path} ${flag}'`).join(' | ');
      const values = takesFile
        ? FILES
        : choices.length > 0
          ? `COMPREPLY=($(compgen -W '${choices.join(' ')}' -- "$cur"))`
          : ':';
      return `    ${patterns}) ${values}; return ;;`;
    });
}

function commandCase({ path, subcommands, options, choices, takesFile }: CompletedCommand): string {
  const flags = options.flatMap((option) => option.flags).join(' ');
  const names = [...subcommands.map(({ name }) => name), ...choices].join(' ');
  const files = takesFile ? `[[ $cur == -* ]] || { ${FILES}; return; }; ` : '';
  return `    '${path}') ${files}if [[ $cur == -* ]]; then words='${flags}'; else words='${names}'; fi ;;`;
}
