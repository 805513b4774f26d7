import { useMutation, useQueryClient } from '@tanstack/react-query';

export const USERS = ['users'];

/** A change of an account, after which the list is read again. */
export function useChangePerson<T>(change: () => Promise<T>, onDone: (result: T) => void) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: change,
    onSuccess: async (result) => {
      await queryClient.invalidateQueries({ queryKey: USERS });
      onDone(result);
    },
  });
}
