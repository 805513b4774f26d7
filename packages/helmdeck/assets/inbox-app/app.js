// The inbox in an MCP host: JSON-RPC 2.0 over postMessage, as the MCP Apps specification of 2026-01-26 says. Every text of
// a proposal becomes a text node. A click asks the server for a decision, and the server asks the person.
(() => {
  const PROTOCOL_VERSION = '2026-01-26';
  /** The variables of the host that the style sheet uses. */
  const HOST_VARIABLES =
    /^--(?:color-(?:background|text|border|ring)-(?:primary|secondary|danger)|font-(?:sans|mono)|border-radius-md)$/;

  const part = (id) => document.getElementById(id);
  const [status, card, elsewhere] = [part('status'), part('card'), part('elsewhere')];
  const pending = new Map();
  let lastId = 0;
  let host = {};
  let proposals = [];

  const send = (message) => window.parent.postMessage({ jsonrpc: '2.0', ...message }, '*');

  function request(method, params) {
    const id = ++lastId;
    return new Promise((resolve, reject) => {
      pending.set(id, { resolve, reject });
      send({ id, method, params });
    });
  }

  window.addEventListener('message', ({ source, data }) => {
    if (source !== window.parent || data?.jsonrpc !== '2.0') return;
    if (data.method === undefined) return settle(data);
    if (data.id !== undefined) return answer(data);
    onNotification[data.method]?.(data.params ?? {});
  });

  function settle({ id, result, error }) {
    const waiting = pending.get(id);
    pending.delete(id);
    if (error) waiting?.reject(new Error(error.message ?? 'The host refused.'));
    else waiting?.resolve(result ?? {});
  }

  function answer({ id, method }) {
    if (method === 'ping' || method === 'ui/resource-teardown') send({ id, result: {} });
    else send({ id, error: { code: -32601, message: 'The inbox does not know this method.' } });
  }

  const onNotification = {
    'ui/notifications/tool-result': (result) => showResult(result),
    'ui/notifications/tool-cancelled': () => say('The inbox was not loaded.'),
    'ui/notifications/host-context-changed': (context) => applyContext(context),
  };

  function applyContext({ theme, styles }) {
    if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
    for (const [name, value] of Object.entries(styles?.variables ?? {}))
      if (HOST_VARIABLES.test(name) && typeof value === 'string')
        document.documentElement.style.setProperty(name, value);
  }

  const say = (text) => {
    status.textContent = text;
  };

  /** The result of memory_inbox, or of memory_decide if a model called that. */
  function showResult(result) {
    const inbox = result.structuredContent;
    if (result.isError || !inbox) return say(textOf(result) || 'The inbox could not be loaded.');
    if (!inbox.counts) return void refresh();
    proposals = Array.isArray(inbox.proposals) ? inbox.proposals : [];
    const { proposed = 0, quarantined = 0 } = inbox.counts;
    say(proposed + quarantined === 0 ? 'Nothing waits for you.' : waiting(proposed, quarantined));
    showElsewhere(inbox.inbox_url, proposed + quarantined > 0);
    showCard();
  }

  function waiting(proposed, quarantined) {
    const inQuarantine = `${quarantined} in quarantine`;
    if (proposed === 0) return `${inQuarantine}.`;
    const waits = proposed === 1 ? '1 proposal waits for you' : `${proposed} proposals wait for you`;
    return quarantined === 0 ? `${waits}.` : `${waits}, ${inQuarantine}.`;
  }

  const textOf = ({ content }) => content?.find?.(({ type }) => type === 'text')?.text;

  /** Where else a person can decide: the only places if the token may not. */
  function showElsewhere(url, isWaiting) {
    elsewhere.replaceChildren();
    elsewhere.hidden = !isWaiting;
    if (url && host.hostCapabilities?.openLinks)
      elsewhere.append(
        button('Open the inbox in the web UI', () => request('ui/open-link', { url }).catch(showFailure)),
      );
    else elsewhere.append('You can also decide in the web UI, or with "helmdeck inbox".');
  }

  function showCard() {
    const [proposal] = proposals;
    card.replaceChildren();
    card.hidden = !proposal;
    if (!proposal) return;
    const { status: state, key, value, current, quote, explanation, blocked, conflicts = [] } = proposal;
    const isShown = state === 'proposed' && !blocked;
    card.append(element('h2', isShown ? key : 'Withheld text'));
    if (!isShown) card.append(element('p', blocked?.message ?? explanation ?? '', 'warning'));
    if (isShown) {
      if (current) card.append(labelled('Now', current.value, 'current'));
      card.append(labelled('Proposed', value, 'value'));
      if (quote) card.append(labelled('Taken from', quote, 'quote'));
      if (conflicts.length > 0)
        card.append(element('p', `Contradicts ${conflicts.map((other) => other.key).join(', ')}`, 'origin'));
    }
    card.append(element('p', originOf(proposal), 'origin'));
    const canDecide = host.hostCapabilities?.serverTools !== undefined;
    const verdict = element('div', '', 'verdict');
    if (canDecide) verdict.append(button('Reject', () => decide(proposal, 'reject')));
    if (canDecide && isShown) verdict.append(button('Accept', () => decide(proposal, 'accept')));
    if (!canDecide) verdict.append('This client cannot pass on decisions.');
    card.append(verdict);
  }

  function originOf({ source = {}, proposed_at }) {
    const from = source.client ?? source.surface ?? 'unknown';
    return `From ${from}, ${new Date(proposed_at).toLocaleString()}`;
  }

  async function decide({ id }, decision) {
    setBusy(true);
    say('Waiting for your answer …');
    try {
      const result = await request('tools/call', { name: 'memory_decide', arguments: { id, decision } });
      if (result.isError) say(textOf(result) ?? 'Nothing was decided.');
      else await refresh();
    } catch (failure) {
      showFailure(failure);
    }
    setBusy(false);
  }

  async function refresh() {
    try {
      showResult(await request('tools/call', { name: 'memory_inbox', arguments: {} }));
    } catch (failure) {
      showFailure(failure);
    }
  }

  const showFailure = ({ message }) => say(message);

  function setBusy(isBusy) {
    for (const each of card.querySelectorAll('button')) each.disabled = isBusy;
  }

  function element(name, text, className) {
    const made = document.createElement(name);
    if (className) made.className = className;
    made.textContent = text;
    return made;
  }

  function labelled(label, text, className) {
    const figure = document.createElement('figure');
    const body = element(className === 'quote' ? 'blockquote' : 'p', text, className);
    body.dir = 'auto';
    figure.append(element('figcaption', label, 'label'), body);
    return figure;
  }

  function button(label, onClick) {
    const made = element('button', label);
    made.type = 'button';
    made.addEventListener('click', onClick);
    return made;
  }

  function reportSize() {
    const { width, height } = document.documentElement.getBoundingClientRect();
    const params = { width: Math.ceil(width), height: Math.ceil(height) };
    send({ method: 'ui/notifications/size-changed', params });
  }

  request('ui/initialize', {
    protocolVersion: PROTOCOL_VERSION,
    appInfo: { name: 'helmdeck-inbox', title: 'Helmdeck inbox', version: '1.0.0' },
    appCapabilities: { availableDisplayModes: ['inline'] },
  }).then((result) => {
    host = result;
    applyContext(result.hostContext ?? {});
    send({ method: 'ui/notifications/initialized', params: {} });
    new ResizeObserver(reportSize).observe(document.documentElement);
  }, showFailure);
})();
