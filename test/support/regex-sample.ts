/** A text that the source of a regular expression matches, or nearly: `pick` chooses among `count` possibilities. */
export function sampleOf(source: string, pick: (count: number) => number): string {
  let at = 0;
  const text = alternatives();
  return text;

  function alternatives(): string {
    const options = [sequence()];
    while (source[at] === '|') {
      at++;
      options.push(sequence());
    }
    return options[pick(options.length)]!;
  }

  function sequence(): string {
    let text = '';
    while (at < source.length && source[at] !== '|' && source[at] !== ')') text += repeated(atom());
    return text;
  }

  function atom(): string {
    if (source[at] === '(') return group();
    if (source[at] === '[') return characterClass();
    const escaped = /\\(?:u\{([0-9a-f]+)\}|u([0-9a-f]{4})|p\{[^}]*\}|.)/y;
    escaped.lastIndex = at;
    const found = escaped.exec(source);
    if (!found) return '^$'.includes(source[at++]!) ? '' : source[at - 1]!;
    at += found[0].length;
    const code = found[1] ?? found[2];
    if (code) return String.fromCodePoint(Number.parseInt(code, 16));
    return (
      { '\\b': '', '\\s': ' ', '\\w': 'w', '\\W': '.', '\\d': '7', '\\n': '\n' }[found[0]] ??
      found[0].slice(1)
    );
  }

  function group(): string {
    const opening = /\((?:\?(?:[:=!]|<[=!]))?/y;
    opening.lastIndex = at;
    const [open] = opening.exec(source)!;
    at += open.length;
    const inner = alternatives();
    at++;
    return open === '(?:' || open === '(' ? inner : '';
  }

  function characterClass(): string {
    const end = /\[(?:\\.|[^\]\\])*\]/y;
    end.lastIndex = at;
    const [whole] = end.exec(source)!;
    at += whole.length;
    if (whole.startsWith('[^')) return ' ';
    const member = /\\u\{([0-9a-f]+)\}|\\u([0-9a-f]{4})|\\([a-zA-Z])|\\?([\s\S])/.exec(whole.slice(1))!;
    const code = member[1] ?? member[2];
    if (code) return String.fromCodePoint(Number.parseInt(code, 16));
    return member[3] ? ({ w: 'w', s: ' ', d: '7' }[member[3]] ?? 'a') : member[4]!;
  }

  function repeated(text: string): string {
    const quantifier = /(?:[?*+]|\{(\d+)(?:,(\d*))?\})\??/y;
    quantifier.lastIndex = at;
    const match = quantifier.exec(source);
    if (!match) return text;
    at += match[0].length;
    if (match[1] === undefined) return match[0].startsWith('+') || pick(2) ? text : '';
    const [least, most] = [Number(match[1]), Math.min(Number(match[2] || match[1]), 4)];
    return text.repeat(Math.max(least, pick(most + 1)));
  }
}
