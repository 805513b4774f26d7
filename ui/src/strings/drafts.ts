/** Text that was typed and not saved. */
export const drafts = {
  unsaved: (age: string) => `Unsaved text from ${age}`,
  moment: 'a moment ago',
  continue: 'Continue',
  discard: 'Discard',
  leaveTitle: 'Leave without saving?',
  leaveText: 'Your text can stay in this tab, until you save it, discard it or sign out.',
  leaveKeep: 'Leave and keep it',
  leaveDiscard: 'Discard it',
  stay: 'Keep editing',
} as const;
