/** The API documentation: a page that renders `/openapi.json` and can send requests, with no third-party code. */
export const DOCS_HTML = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Helmdeck API</title>
<link rel="stylesheet" href="/docs/docs.css">
</head>
<body>
<header>
<h1>Helmdeck API</h1>
<p>One place for what your agents should remember. <a href="/openapi.json">openapi.json</a></p>
<label>Token <input id="token" type="password" autocomplete="off" placeholder="paste a token to try the calls below"></label>
</header>
<main id="operations"><p>Loading…</p></main>
<script type="module" src="/docs/docs.js"></script>
</body>
</html>
`;

export const DOCS_STYLE = `:root { color-scheme: light dark; --line: light-dark(#d8dce3, #343a46); --soft: light-dark(#f5f6f8, #1d2129); --accent: light-dark(#2453c4, #8fb0ff); }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 60rem; padding: 1.5rem; font: 16px/1.5 system-ui, sans-serif; background: light-dark(#fff, #14171d); color: light-dark(#1b1f27, #e6e9ef); }
h1 { margin: 0; }
h2 { margin-top: 2rem; }
a { color: var(--accent); }
header { border-bottom: 1px solid var(--line); padding-bottom: 1rem; }
input, textarea { width: 100%; padding: .4rem .6rem; border: 1px solid var(--line); border-radius: 6px; background: inherit; color: inherit; font: inherit; }
textarea, pre, code { font: 13px/1.5 ui-monospace, monospace; }
textarea { min-height: 8rem; }
details { border: 1px solid var(--line); border-radius: 8px; margin: .5rem 0; }
summary { padding: .6rem .8rem; cursor: pointer; display: flex; gap: .8rem; align-items: baseline; flex-wrap: wrap; }
details > div { padding: 0 .8rem .8rem; display: grid; gap: .6rem; }
.method { font-weight: 700; color: var(--accent); min-width: 4rem; }
.scope { margin-left: auto; font-size: .8rem; opacity: .75; }
pre { background: var(--soft); padding: .8rem; border-radius: 6px; overflow: auto; max-height: 24rem; margin: 0; white-space: pre-wrap; }
button { justify-self: start; padding: .4rem 1rem; border: 0; border-radius: 6px; background: var(--accent); color: light-dark(#fff, #14171d); font: inherit; cursor: pointer; }
`;

export const DOCS_SCRIPT = `const make = (name, props = {}, ...children) => {
  const node = Object.assign(document.createElement(name), props);
  node.append(...children);
  return node;
};

let named = {};
const resolve = (schema) => (schema?.$ref ? named[schema.$ref.split('/').at(-1)] : schema);
/** A schema with the schemas it refers to in place, so that each operation can be read on its own. */
const spelledOut = (schema) => JSON.parse(JSON.stringify(schema), (_, value) => (value?.$ref ? spelledOut(resolve(value)) : value));

const example = (given) => {
  const schema = resolve(given);
  if (!schema) return undefined;
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum[0];
  if (schema.anyOf) return example(schema.anyOf[0]);
  if (schema.type === 'object') {
    const required = new Set(schema.required ?? []);
    return Object.fromEntries(Object.entries(schema.properties ?? {}).filter(([name]) => required.has(name)).map(([name, value]) => [name, example(value)]));
  }
  if (schema.type === 'array') return [example(schema.items)];
  return { string: 'text', integer: 1, number: 1, boolean: true }[schema.type] ?? null;
};

const field = (label, input) => make('label', {}, label, input);

const tryForm = (method, path, operation) => {
  const inputs = operation.parameters.map((parameter) => {
    const input = make('input', { placeholder: parameter.description ?? '' });
    return { parameter, input, row: field(parameter.name + (parameter.required ? ' *' : ''), input) };
  });
  const [type, content] = Object.entries(operation.requestBody?.content ?? {})[0] ?? [];
  const body = type && make('textarea', { value: JSON.stringify(example(content.schema), null, type.includes('ndjson') ? 0 : 2) });
  const output = make('pre', { hidden: true });
  const button = make('button', { textContent: 'Send' });
  button.onclick = async () => {
    let target = path;
    const query = new URLSearchParams();
    for (const { parameter, input } of inputs) {
      if (parameter.in === 'path') target = target.replace('{' + parameter.name + '}', encodeURIComponent(input.value));
      else if (input.value) query.set(parameter.name, input.value);
    }
    const token = document.querySelector('#token').value.trim();
    const headers = { ...(token ? { authorization: 'Bearer ' + token } : {}), ...(type ? { 'content-type': type } : {}) };
    output.hidden = false;
    output.textContent = '…';
    try {
      const response = await fetch(target + (query.size ? '?' + query : ''), { method, headers, body: body?.value });
      const text = await response.text();
      let shown = text;
      try { shown = JSON.stringify(JSON.parse(text), null, 2); } catch {}
      output.textContent = response.status + ' ' + response.statusText + '\\n\\n' + shown;
    } catch (error) {
      output.textContent = 'The server does not answer: ' + error.message;
    }
  };
  return [...inputs.map(({ row }) => row), ...(body ? [field('Body (' + type + ')', body)] : []), button, output];
};

const operationView = (method, path, operation) => {
  const [, success] = Object.entries(operation.responses).find(([status]) => status.startsWith('2'));
  const answer = spelledOut(Object.values(success.content ?? {})[0]?.schema ?? null);
  return make('details', { id: operation.operationId },
    make('summary', {},
      make('span', { className: 'method', textContent: method.toUpperCase() }),
      make('code', { textContent: path }),
      make('span', { textContent: operation.summary }),
      make('span', { className: 'scope', textContent: operation['x-scope'] ?? 'public' })),
    make('div', {}, ...tryForm(method.toUpperCase(), path, operation),
      ...(answer ? [make('strong', { textContent: 'Answer' }), make('pre', { textContent: JSON.stringify(answer, null, 2) })] : [])));
};

const main = document.querySelector('#operations');
try {
  const { paths, components } = await (await fetch('/openapi.json')).json();
  named = components.schemas;
  const byTag = new Map();
  for (const [path, methods] of Object.entries(paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      const list = byTag.get(operation.tags[0]) ?? [];
      byTag.set(operation.tags[0], list);
      list.push(operationView(method, path, operation));
    }
  }
  main.replaceChildren(...[...byTag].map(([tag, list]) => make('section', {}, make('h2', { textContent: tag }), ...list)));
} catch (error) {
  main.textContent = 'openapi.json could not be loaded: ' + error.message;
}
`;
