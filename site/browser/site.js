// Search and the recording. Everything else of the site works without a script.
const root = document.documentElement.dataset.root;
const dialog = document.querySelector('dialog.search');
const input = dialog.querySelector('input');
const list = dialog.querySelector('ul');
const note = dialog.querySelector('.search-note');
const MAX_HITS = 12;

/** Loaded at the first use: the index is built here, from the text of every section. */
let index;
function loadIndex() {
  index ??= (async () => {
    const [{ default: MiniSearch }, response] = await Promise.all([
      import(new URL(`${root}minisearch.js`, location.href).href),
      fetch(`${root}search.json`),
    ]);
    const sections = await response.json();
    const built = new MiniSearch({
      idField: 'url',
      fields: ['title', 'page', 'text'],
      storeFields: ['title', 'page', 'text'],
      searchOptions: { prefix: true, fuzzy: 0.2, boost: { title: 4, page: 2 }, combineWith: 'AND' },
    });
    built.addAll(sections);
    return built;
  })();
  return index;
}

function excerpt(text, terms) {
  const lower = text.toLowerCase();
  const at = Math.max(0, Math.min(...terms.map((term) => lower.indexOf(term)).filter((place) => place >= 0)));
  const start = Number.isFinite(at) ? Math.max(0, at - 40) : 0;
  return (start > 0 ? '…' : '') + text.slice(start, start + 140) + (text.length > start + 140 ? '…' : '');
}

function item(hit, number) {
  const link = document.createElement('a');
  link.href = root + hit.id;
  link.tabIndex = -1;
  link.id = `hit-${number}`;
  link.setAttribute('role', 'option');
  const title = document.createElement('strong');
  title.textContent = hit.title === hit.page ? hit.page : `${hit.page} › ${hit.title}`;
  const text = document.createElement('span');
  text.textContent = excerpt(hit.text, hit.terms);
  link.append(title, text);
  const row = document.createElement('li');
  row.setAttribute('role', 'presentation');
  row.append(link);
  return row;
}

async function search() {
  const words = input.value.trim();
  const built = await loadIndex();
  if (input.value.trim() !== words) return;
  let hits = words ? built.search(words) : [];
  if (words && hits.length === 0) hits = built.search(words, { combineWith: 'OR' });
  list.replaceChildren(...hits.slice(0, MAX_HITS).map(item));
  note.textContent = !words ? '' : hits.length === 0 ? 'Nothing found.' : `${hits.length} found`;
  choose(0);
}

let chosen = 0;
function choose(number) {
  const rows = [...list.querySelectorAll('a')];
  chosen = rows.length === 0 ? 0 : (number + rows.length) % rows.length;
  rows.forEach((row, place) => {
    row.setAttribute('aria-selected', String(place === chosen));
  });
  const row = rows[chosen];
  row?.scrollIntoView({ block: 'nearest' });
  if (row) input.setAttribute('aria-activedescendant', row.id);
  else input.removeAttribute('aria-activedescendant');
}

function openSearch() {
  dialog.showModal();
  input.select();
  loadIndex();
}

document.querySelector('.search-open').addEventListener('click', openSearch);
document.addEventListener('keydown', (event) => {
  const isTyping = event.target instanceof HTMLInputElement;
  const isShortcut =
    (event.key === '/' && !isTyping) || (event.key === 'k' && (event.metaKey || event.ctrlKey));
  if (!isShortcut || event.altKey) return;
  event.preventDefault();
  openSearch();
});
input.addEventListener('input', search);
input.addEventListener('keydown', (event) => {
  if (event.key === 'ArrowDown') choose(chosen + 1);
  else if (event.key === 'ArrowUp') choose(chosen - 1);
  else if (event.key === 'Enter') list.querySelectorAll('a')[chosen]?.click();
  else return;
  event.preventDefault();
});
list.addEventListener('click', () => dialog.close());
dialog.addEventListener('click', (event) => {
  if (event.target === dialog) dialog.close();
});

// The recording plays once; who does not want to wait sees its end, and can play it again.
const recording = document.querySelector('#recording');
const button = document.querySelector('[data-recording]');
if (button && !matchMedia('(prefers-reduced-motion: reduce)').matches) {
  const [source] = recording.src.split('#');
  button.hidden = false;
  button.addEventListener('click', () => {
    const isEnd = recording.src.endsWith('#end');
    // A query, because a browser takes the same address with another fragment for the same picture.
    recording.src = isEnd ? `${source}?${Date.now()}` : `${source}?end#end`;
    button.textContent = isEnd ? 'Show the end' : 'Play it again';
  });
}
