// The API documentation: renders /openapi.json and sends requests. No third-party code; everything is made as text nodes.

try {
  const theme = localStorage.getItem('helmdeck-theme');
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
} catch {
  // Storage may be blocked; then the system theme applies.
}

const byId = (id) => document.getElementById(id);

function make(name, properties = {}, ...children) {
  const node = Object.assign(document.createElement(name), properties);
  node.append(...children.filter((child) => child !== undefined));
  return node;
}

/** The OpenAPI document, once it is loaded. */
let api;

/** What a `$ref` stands for. */
function resolved(node) {
  if (node?.$ref === undefined) return node;
  const path = node.$ref.slice(2).split('/');
  return path.reduce((place, name) => place[name], api);
}

/** A schema as text that reads like a TypeScript type, with descriptions as comments. */
function typeText(given, indent = '') {
  const schema = resolved(given) ?? {};
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  const options = schema.anyOf ?? schema.oneOf;
  if (options) return [...new Set(options.map((option) => typeText(option, indent)))].join(' | ');
  if (Array.isArray(schema.type)) return schema.type.join(' | ');
  if (schema.type === 'array') {
    if (schema.prefixItems) return `[${schema.prefixItems.map((item) => typeText(item, indent)).join(', ')}]`;
    const item = typeText(schema.items, indent);
    return item.includes(' | ') && !item.startsWith('{') ? `(${item})[]` : `${item}[]`;
  }
  if (schema.type !== 'object') return schema.type ?? 'any';
  return objectText(schema, indent);
}

function objectText({ properties = {}, required = [], additionalProperties: rest }, indent) {
  const inner = `${indent}  `;
  const lines = Object.entries(properties).map(([name, property]) => {
    const { description = resolved(property).description } = property;
    const about = description ? `  // ${description}` : '';
    return `${inner}${name}${required.includes(name) ? '' : '?'}: ${typeText(property, inner)}${about}`;
  });
  if (rest && typeof rest === 'object') lines.push(`${inner}[name]: ${typeText(rest, inner)}`);
  return lines.length === 0 ? '{}' : `{\n${lines.join('\n')}\n${indent}}`;
}

/** A value that fits a schema: its own example, or one with the required properties. */
function exampleOf(given) {
  const schema = resolved(given) ?? {};
  if (schema.examples) return schema.examples[0];
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum[0];
  const options = schema.anyOf ?? schema.oneOf;
  if (options) return exampleOf(options[0]);
  if (schema.type === 'array') return [exampleOf(schema.items)];
  if (schema.type !== 'object')
    return { string: 'text', integer: 1, number: 1, boolean: true }[schema.type] ?? null;
  const required = Object.entries(schema.properties ?? {}).filter(([name]) =>
    schema.required?.includes(name),
  );
  return Object.fromEntries(required.map(([name, property]) => [name, exampleOf(property)]));
}

const firstContent = (node) => Object.entries(node?.content ?? {})[0] ?? [];

// What an operation takes and returns.

/** A line of text with its parts between backticks as code. */
const withCode = (line) =>
  line.split('`').map((part, index) => (index % 2 ? make('code', { textContent: part }) : part));

function statusesView(operation) {
  const entries = Object.entries(operation.responses).map(([status, response]) => [
    status,
    resolved(response),
  ]);
  return make(
    'dl',
    { className: 'statuses' },
    ...entries.flatMap(([status, { description, headers = {} }]) => {
      const named = Object.keys(headers).filter((name) => name !== 'X-Request-Id');
      const lines = description.split('\n\n');
      if (named.length > 0) lines.push(`Headers: ${named.map((name) => `\`${name}\``).join(', ')}`);
      const details = lines.map((line) => make('p', {}, ...withCode(line)));
      return [make('dt', { textContent: status }), make('dd', {}, ...details)];
    }),
  );
}

function referenceView(operation) {
  const [bodyType, body] = firstContent(operation.requestBody);
  const successes = Object.entries(operation.responses).filter(([status]) => status.startsWith('2'));
  const block = (title, text) => [
    make('h3', { textContent: title }),
    make('pre', { textContent: text, tabIndex: 0 }),
  ];
  const need = operation.requestBody?.required ? '' : ', optional';
  return make(
    'div',
    { className: 'reference' },
    make('p', { className: 'name' }, 'Operation ', make('code', { textContent: operation.operationId })),
    ...(body ? block(`Body (${bodyType}${need})`, typeText(body.schema)) : []),
    ...successes.flatMap(([status, response]) => {
      const [type, content] = firstContent(resolved(response));
      return block(`Response ${status} (${type})`, typeText(content.schema));
    }),
    make('h3', { textContent: 'Statuses' }),
    statusesView(operation),
  );
}

// Sending a request.

function fieldView(parameter) {
  const { name, required, description, schema, example = '' } = parameter;
  const choices = resolved(schema)?.enum;
  const input = choices
    ? make('select', {}, ...['', ...choices].map((value) => make('option', { value, textContent: value })))
    : make('input', { spellcheck: false, autocomplete: 'off', placeholder: example });
  input.required = required;
  const title = make('span', {}, make('code', { textContent: name }), required ? ' (required)' : '');
  const label = make(
    'label',
    {},
    title,
    input,
    description ? make('small', { textContent: description }) : undefined,
  );
  return { parameter, input, label };
}

/** The request that the fields describe. */
function requestOf(method, path, fields, body) {
  let url = path;
  const query = new URLSearchParams();
  const headers = {};
  for (const { parameter, input } of fields) {
    const { name, in: place } = parameter;
    if (place === 'path') url = url.replace(`{${name}}`, () => encodeURIComponent(input.value));
    else if (input.value === '') continue;
    else if (place === 'query') query.set(name, input.value);
    else headers[name] = input.value;
  }
  const token = byId('token').value.trim();
  if (token !== '') headers.authorization = `Bearer ${token}`;
  const text = body?.input.value.trim();
  if (text) headers['content-type'] = body.type;
  return [query.size > 0 ? `${url}?${query}` : url, { method, headers, body: text || undefined }];
}

const MAX_SHOWN_CHARS = 200_000;

/** Shows a body while it arrives: an event stream has no end. */
async function showBody(response, output) {
  let text = '';
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  for (let part = await reader?.read(); part && !part.done; part = await reader.read()) {
    text += part.value;
    if (text.length > MAX_SHOWN_CHARS) {
      await reader.cancel();
      output.textContent = `${text.slice(0, MAX_SHOWN_CHARS)}\n… the rest is not shown`;
      return;
    }
    output.textContent = text;
  }
  if (response.headers.get('content-type')?.startsWith('application/json'))
    output.textContent = JSON.stringify(JSON.parse(text), null, 2);
}

const SHOWN_HEADERS = ['etag', 'idempotent-replayed', 'location', 'retry-after', 'x-request-id'];

function tryView(method, path, operation) {
  const fields = operation.parameters.map(fieldView);
  const [type, content] = firstContent(operation.requestBody);
  const space = type === 'application/json' ? 2 : 0;
  const body = type && {
    type,
    input: make('textarea', {
      spellcheck: false,
      value: JSON.stringify(exampleOf(content.schema), null, space),
    }),
  };
  const status = make('p', { className: 'status', hidden: true, role: 'status' });
  const output = make('pre', { hidden: true, tabIndex: 0 });
  const stop = make('button', { type: 'button', className: 'stop', textContent: 'Stop', hidden: true });
  const form = make(
    'form',
    { className: 'try' },
    make('h3', { textContent: 'Try it' }),
    ...fields.map(({ label }) => label),
    body ? make('label', {}, 'Body', body.input) : undefined,
    make('div', { className: 'buttons' }, make('button', { textContent: 'Send' }), stop),
    status,
    output,
  );
  const report = (text, failed) => {
    status.hidden = false;
    status.textContent = text;
    status.classList.toggle('failed', failed);
  };
  let running = new AbortController();
  stop.onclick = () => running.abort();
  form.onsubmit = async (event) => {
    event.preventDefault();
    running.abort();
    running = new AbortController();
    const { signal } = running;
    stop.hidden = false;
    output.hidden = true;
    output.textContent = '';
    report('Sending …', false);
    try {
      const [url, options] = requestOf(method, path, fields, body);
      const response = await fetch(url, { ...options, signal });
      const headers = SHOWN_HEADERS.filter((name) => response.headers.has(name));
      const lines = headers.map((name) => `${name}: ${response.headers.get(name)}`);
      report([`${response.status} ${response.statusText}`, ...lines].join(' · '), !response.ok);
      output.hidden = false;
      await showBody(response, output);
    } catch (error) {
      if (!signal.aborted) report(`The server does not answer: ${error.message}`, true);
      else if (running.signal === signal) status.textContent += ' · stopped';
    }
    if (running.signal === signal) stop.hidden = true;
  };
  return form;
}

// The page.

const KINDS = { GET: 'read', DELETE: 'delete' };

function operationView(method, path, operation) {
  const view = make(
    'details',
    { className: 'operation', id: operation.operationId },
    make(
      'summary',
      {},
      make('span', { className: `method ${KINDS[method] ?? 'write'}`, textContent: method }),
      make('code', { textContent: path }),
      make('span', { className: 'scope', textContent: operation['x-scope'] ?? 'public' }),
      make('p', { textContent: operation.summary }),
    ),
  );
  // Made when it is opened: all of them at once would be thousands of elements.
  view.ontoggle = () => {
    if (!view.open) return;
    history.replaceState(null, '', `#${view.id}`);
    if (view.children.length > 1) return;
    view.append(
      make('div', { className: 'body' }, tryView(method, path, operation), referenceView(operation)),
    );
  };
  view.dataset.words = `${operation.operationId} ${method} ${path} ${operation.summary}`.toLowerCase();
  return view;
}

function sectionView({ name, description }, views) {
  return make(
    'section',
    {},
    make('h2', { textContent: name }),
    make('p', { textContent: description }),
    ...views,
  );
}

function contentsView({ name }, views) {
  const links = views.map(({ id }) => make('li', {}, make('a', { href: `#${id}`, textContent: id })));
  return make('div', {}, make('h2', { textContent: name }), make('ul', {}, ...links));
}

function filter() {
  const words = byId('filter').value.toLowerCase().split(/\s+/);
  for (const section of document.querySelectorAll('section')) {
    const views = [...section.querySelectorAll('.operation')];
    for (const view of views) view.hidden = !words.every((word) => view.dataset.words.includes(word));
    section.hidden = views.every((view) => view.hidden);
  }
}

function openFromAddress() {
  const view = byId(decodeURIComponent(location.hash.slice(1)));
  if (view?.className !== 'operation') return;
  view.open = true;
  view.scrollIntoView();
}

async function start() {
  const response = await fetch('/openapi.json');
  api = await response.json();
  const operations = Object.entries(api.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );
  const groups = api.tags.map((tag) => {
    const ofTag = operations.filter(({ operation }) => operation.tags[0] === tag.name);
    return [tag, ofTag.map(({ method, path, operation }) => operationView(method, path, operation))];
  });
  byId('version').textContent = `${api.info.version} · ${operations.length} operations`;
  byId('operations').replaceChildren(...groups.map(([tag, views]) => sectionView(tag, views)));
  byId('contents').replaceChildren(...groups.map(([tag, views]) => contentsView(tag, views)));
  byId('filter').oninput = filter;
  addEventListener('hashchange', openFromAddress);
  openFromAddress();
}

start().catch((error) => {
  byId('state')?.replaceChildren(`The documentation could not be loaded: ${error.message}`);
});
