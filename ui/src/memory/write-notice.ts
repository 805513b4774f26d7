import { ApiError } from '../api/call-api.ts';
import { type Notice, notices } from '../kit/notices.ts';
import { announce } from '../shell/announcer.tsx';
import { onFailure, queryClient } from '../shell/query-client.ts';
import { strings } from '../strings.ts';
import { MEMORY } from './fact-queries.ts';

/** Says what a write has done, on the screen and to screen readers. */
export function noticeWrite(notice: Notice): void {
  const { undo } = notice;
  announce(notice.key === undefined ? notice.text : `${notice.text} ${notice.key}`);
  notices.show({
    ...notice,
    ...(undo && {
      undo: () =>
        runWrite(async () => {
          const said = await undo();
          return { text: typeof said === 'string' ? said : strings.undo.undone };
        }, strings.undo.undoFailed),
    }),
  });
}

/** Runs a write and says how it ended: what was done, or what failed, with a way to send it again. */
export async function runWrite(write: () => Promise<Notice>, failed: string): Promise<void> {
  notices.dismiss();
  try {
    noticeWrite(await write());
  } catch (thrown) {
    onFailure(thrown);
    const text = `${failed} ${reasonOf(thrown)}`;
    announce(text);
    notices.show({ text, retry: () => void runWrite(write, failed) });
  }
  await queryClient.invalidateQueries({ queryKey: [MEMORY] });
}

function reasonOf(thrown: unknown): string {
  if (!(thrown instanceof ApiError)) return strings.errors.unexpected;
  return thrown.unreachable ? strings.errors.unreachable : thrown.message;
}
