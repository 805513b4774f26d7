/** Who or what a text came from: in a space the person, otherwise the program. */
export const sourceName = ({ by, client, surface }: { by?: string; client?: string; surface: string }) =>
  by ?? client ?? surface;
