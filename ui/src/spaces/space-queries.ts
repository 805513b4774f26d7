import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { Space } from '../api/generated/rest.ts';
import { may } from '../api/session-api.ts';
import { listSpaces } from '../api/space-api.ts';
import { useSession } from '../session/session-context.ts';

/** The query key of everything that changes with a space or a grant. */
export const SPACES = 'spaces';

/** The spaces that the person has a role in; on the page of spaces admins see every one. */
export const useSpaces = (all = false) =>
  useQuery({ queryKey: [SPACES, 'list', all], queryFn: () => listSpaces(all), staleTime: 0 });

const GRANTED_STALE_MS = 60_000;

/** The spaces in which the person has a role, as they were within the last minute. */
export function useGrantedSpaces(enabled = true): Space[] {
  const { data } = useQuery({
    queryKey: [SPACES, 'list', false],
    queryFn: () => listSpaces(false),
    staleTime: GRANTED_STALE_MS,
    enabled,
  });
  return data?.spaces ?? [];
}

/** The spaces in which the person may store, or propose. */
export function useWritableSpaces(enabled: boolean): Space[] {
  const session = useSession();
  const granted = useGrantedSpaces(enabled && may(session, 'spaces:write'));
  return granted.filter(({ role }) => role !== null && role !== 'reader');
}

/** Whether one's role allows to write and forget in a space. In one's own memory, without a space, it is no question. */
export function useMayWriteIn(slug: string | undefined): boolean {
  const session = useSession();
  const role = useGrantedSpaces(slug !== undefined).find((space) => space.slug === slug)?.role;
  return slug === undefined || ((role === 'writer' || role === 'owner') && may(session, 'spaces:write'));
}

/** Whether the person may change who has access to a space. */
export function useMayManage({ role }: Pick<Space, 'role'>): boolean {
  const session = useSession();
  return may(session, 'admin') || (role === 'owner' && may(session, 'spaces:write'));
}

/** A change of a space, after which everything about spaces is read again. */
export function useChangeSpace<Input, T>(change: (input: Input) => Promise<T>, onDone?: (result: T) => void) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: change,
    onSuccess: async (result) => {
      await queryClient.invalidateQueries({ queryKey: [SPACES] });
      onDone?.(result);
    },
  });
}
