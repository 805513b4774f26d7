const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric' });
const exact = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' });
const minute = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
});

/** `25 Jan 2027` */
export const dayOf = (instant: string) => day.format(new Date(instant));
/** `27 Oct, 09:42` */
export const minuteOf = (instant: string) => minute.format(new Date(instant));
/** For a title on hover. */
export const exactly = (instant: string) => exact.format(new Date(instant));
