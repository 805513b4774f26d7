import type { Receipt } from '../api/generated/rest.ts';

/** A receipt is the only proof of an erasure, and the server does not keep it. */
export interface KeptReceipt {
  /** Who asked for the erasure; others who use this browser do not see it. */
  by: string;
  /** Whose memory was erased. */
  subject: string;
  receipt: Receipt;
}

const STORED = 'helmdeck-receipts';
const MAX_KEPT = 10;

export function keptReceipts(by: string): KeptReceipt[] {
  return readAll().filter((one) => one.by === by);
}

/** Returns whether the browser kept it. */
export function keepReceipt(kept: KeptReceipt): boolean {
  try {
    localStorage.setItem(STORED, JSON.stringify([kept, ...readAll()].slice(0, MAX_KEPT)));
    return true;
  } catch {
    return false;
  }
}

function readAll(): KeptReceipt[] {
  try {
    return JSON.parse(localStorage.getItem(STORED) ?? '[]') as KeptReceipt[];
  } catch {
    return [];
  }
}
