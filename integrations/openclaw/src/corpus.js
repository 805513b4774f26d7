// @ts-check
import { HelmdeckError, inSpaces } from './helmdeck.js';
import { fileAt, isFact, pathOf } from './paths.js';

/** @import { CorpusHit, CorpusText, GetParams, SearchParams } from './plugin-api.js' */
/** @import { Helmdeck } from './helmdeck.js' */

/**
 * @typedef {{
 *   docid: string, score: number, snippet: string, collection: string, file: string, title: string,
 *   context: string, start_line: number, end_line: number,
 * }} QueryHit
 */

const CORPUS = 'helmdeck';
const LIMITS = Object.freeze({ default: 10, max: 100 });

/**
 * Helmdeck as a memory corpus of OpenClaw: search and get.
 * @param {Helmdeck} helmdeck
 */
export function createCorpus(helmdeck) {
  /** @param {SearchParams} params */
  async function find({ query, maxResults = LIMITS.default, ...agentRef }) {
    const limit = Math.min(LIMITS.max, Math.max(1, Math.trunc(maxResults) || LIMITS.default));
    /** @type {{ results: QueryHit[] }} */
    const { results } = await inSpaces(helmdeck.settings(), (spaces) =>
      helmdeck.callTool(agentRef, 'query', {
        query,
        limit,
        ...(spaces && { collections: collectionsOf(spaces) }),
      }),
    );
    return results.map(hitOf);
  }

  return {
    /**
     * @param {SearchParams} params
     * @returns {Promise<CorpusHit[]>}
     */
    async search(params) {
      // Helmdeck returns the newest entries for an empty query, which is not what a search should do.
      if (params.query.trim() === '') return [];
      try {
        return await find(params);
      } catch (thrown) {
        // In OpenClaw up to 2026.7 (recognised by `corpus`) one failing corpus fails the whole search:
        // there the outage is returned as a hit beside the local ones instead of thrown.
        if (params.corpus === 'all') return [outageHit(thrown)];
        throw thrown;
      }
    },
    /**
     * @param {GetParams} params
     * @returns {Promise<CorpusText | null>}
     */
    async get({ lookup, fromLine = 1, lineCount, ...agentRef }) {
      const file = fileAt(lookup);
      if (file === undefined) return null;
      try {
        /** @type {Parameters<typeof textOf>[0]} */
        const found = await helmdeck.callTool(agentRef, 'get', {
          file,
          fromLine,
          ...(lineCount === undefined ? {} : { maxLines: lineCount }),
        });
        return textOf(found, fromLine);
      } catch (thrown) {
        if (thrown instanceof HelmdeckError && thrown.code === 'not_found') return null;
        throw thrown;
      }
    },
  };
}

/** @param {string} file */
const kindOf = (file) => (isFact(file) ? 'fact' : 'run');

/**
 * The collections of the bridge that a list of spaces names.
 * @param {string} spaces
 */
function collectionsOf(spaces) {
  if (spaces.trim() === '*') return ['helmdeck-*', 'space-*'];
  const names = spaces.split(',').map((name) => name.trim());
  return names.map((name) => (name === 'mine' ? 'helmdeck-*' : `space-${name}`));
}

/**
 * @param {QueryHit} hit
 * @returns {CorpusHit}
 */
function hitOf(hit) {
  const path = pathOf(hit);
  return {
    corpus: CORPUS,
    path,
    title: hit.title,
    kind: kindOf(hit.file),
    score: Math.min(1, Math.max(0, hit.score)),
    snippet: hit.snippet,
    id: hit.docid,
    startLine: hit.start_line,
    endLine: hit.end_line,
    citation: path,
    source: CORPUS,
    provenanceLabel: hit.context,
  };
}

/**
 * @param {{ docid: string, file: string, title: string, content: string }} found
 * @param {number} fromLine
 * @returns {CorpusText}
 */
function textOf(found, fromLine) {
  return {
    corpus: CORPUS,
    path: pathOf(found),
    title: found.title,
    kind: kindOf(found.file),
    content: found.content,
    fromLine,
    lineCount: found.content === '' ? 0 : found.content.split('\n').length,
    id: found.docid,
  };
}

/**
 * @param {unknown} thrown
 * @returns {CorpusHit}
 */
function outageHit(thrown) {
  return {
    corpus: CORPUS,
    path: 'helmdeck://unavailable',
    title: 'Helmdeck was not searched',
    kind: 'warning',
    score: 0,
    snippet: `Warning: these results do not cover Helmdeck. ${/** @type {Error} */ (thrown).message}`,
    source: CORPUS,
  };
}
