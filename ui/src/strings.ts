/** Every English sentence of the UI, by page. Codes, keys and values come from the server and are not here. */
export * as strings from './strings/pages.ts';
