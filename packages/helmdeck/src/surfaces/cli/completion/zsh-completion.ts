import type { CompletedCommand } from './command-tree.ts';

/** A completion script for zsh; works in a folder of `fpath` and with `source`. */
export function zshCompletion(tree: readonly CompletedCommand[]): string {
  const paths = tree.filter(({ path }) => path !== '').map(({ path }) => `'${path}'`);
  return `#compdef helmdeck
# Completion of helmdeck for zsh. Load it after compinit with: source <(helmdeck completion zsh)
_helmdeck() {
  local at='' i
  local -a names flags
  for ((i = 2; i < CURRENT; i++)); do
    case "\${at:+$at }\${words[i]}" in
      (${paths.join('|')}) at="\${at:+$at }\${words[i]}" ;;
    esac
  done
  case "$at \${words[CURRENT-1]}" in
${tree.flatMap(valueCases).join('\n')}
  esac
  case "$at" in
${tree.map(commandCase).join('\n')}
  esac
  if [[ \${words[CURRENT]} == -* ]]; then _describe option flags; return; fi
  (( \${#names} )) && _describe command names
}
if [[ \${funcstack[1]} == _helmdeck ]]; then _helmdeck "$@"; else compdef _helmdeck helmdeck; fi
`;
}

function valueCases({ path, options }: CompletedCommand): string[] {
  return options
    .filter(({ takesValue }) => takesValue)
    .map(({ flags, choices, takesFile }) => {
      const patterns = flags.map((flag) => `'${path} ${flag}'`).join('|');
      const values = takesFile ? '_files' : choices.length > 0 ? `compadd -- ${choices.join(' ')}` : ':';
      return `    (${patterns}) ${values}; return ;;`;
    });
}

function commandCase({ path, subcommands, options, choices, takesFile }: CompletedCommand): string {
  const described = (name: string, about: string) => `'${name}:${about}'`;
  const names = [
    ...subcommands.map(({ name, about }) => described(name, about)),
    ...choices.map((choice) => `'${choice}'`),
  ];
  const flags = options.flatMap((option) => option.flags.map((flag) => described(flag, option.about)));
  const files = takesFile ? ` [[ \${words[CURRENT]} == -* ]] || { _files; return };` : '';
  return `    ('${path}')${files} names=(${names.join(' ')}) flags=(${flags.join(' ')}) ;;`;
}
