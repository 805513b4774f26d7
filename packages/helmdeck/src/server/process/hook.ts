import { findConnectedServer } from '../../surfaces/cli/hook/connected-server.ts';
import { runHookProcess } from '../bundles/hook-process.ts';

/** `helmdeck hook` without the rest of the program, because a program waits for it before every prompt. The exit code is always 0. */
export const hook = (words: readonly string[]): Promise<void> =>
  runHookProcess(words, process.env, findConnectedServer);
