import { type ReactNode, useEffect, useState } from 'react';
import { createPortal } from 'react-dom';

export const RAIL_SLOT = 'rail-slot';

/** Lets a page put its filters into the rail, which belongs to the frame. */
export function RailContent({ children }: { children: ReactNode }) {
  const [slot, setSlot] = useState<HTMLElement | null>(null);
  useEffect(() => setSlot(document.getElementById(RAIL_SLOT)), []);
  return slot && createPortal(children, slot);
}
