import { type ReactNode, useEffect, useState } from 'react';
import { createPortal } from 'react-dom';

export const RAIL_SLOT = 'rail-slot';

/** Renders a page's filters into the rail, which is part of the shell. */
export function RailContent({ children }: { children: ReactNode }) {
  const [slot, setSlot] = useState<HTMLElement | null>(null);
  useEffect(() => setSlot(document.getElementById(RAIL_SLOT)), []);
  return slot && createPortal(children, slot);
}
