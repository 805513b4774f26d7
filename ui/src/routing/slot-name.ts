// Names for hours and days. They are those of the server's buckets, which are in UTC.
const hour = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', timeZone: 'UTC' });
const day = new Intl.DateTimeFormat('en-GB', {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  timeZone: 'UTC',
});
const short = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });

/** `Tue, 10 Nov` or `14:00 UTC`. */
export const slotName = (atMs: number, hourly: boolean) =>
  hourly ? `${hour.format(atMs)} UTC` : day.format(atMs);
/** For the axis: `10 Nov` or `14:00`. */
export const shortSlotName = (atMs: number, hourly: boolean) => (hourly ? hour : short).format(atMs);
