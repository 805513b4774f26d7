const nameOf = (subject: string) => `helmdeck.first-steps.${subject}`;

/** Whether this browser has shown an empty memory, and the steps that follow are neither done nor dismissed. */
export const stepsFlag = {
  read(subject: string): boolean {
    try {
      return localStorage.getItem(nameOf(subject)) !== null;
    } catch {
      return false;
    }
  },
  write(subject: string, isOpen: boolean): void {
    try {
      if (isOpen) localStorage.setItem(nameOf(subject), '');
      else localStorage.removeItem(nameOf(subject));
    } catch {
      // Storage may be full or forbidden; then the steps end with the empty memory.
    }
  },
};
