const PATHS = {
  memory:
    'M3 4.5C3 3.4 5.2 2.5 8 2.5s5 .9 5 2-2.2 2-5 2-5-.9-5-2ZM3 4.5v7c0 1.1 2.2 2 5 2s5-.9 5-2v-7M3 8c0 1.1 2.2 2 5 2s5-.9 5-2',
  connect: 'M6 2.5v3M10 2.5v3M4 5.5h8v2a4 4 0 0 1-8 0v-2ZM8 11.5v2',
  health: 'M8 2 3 4v3.5c0 3.2 2.1 5.4 5 6.5 2.9-1.1 5-3.3 5-6.5V4L8 2ZM5.8 8l1.6 1.6 2.9-3.1',
  search: 'M11.25 7a4.25 4.25 0 1 1-8.5 0 4.25 4.25 0 0 1 8.5 0ZM10.2 10.2l3.3 3.3',
  plus: 'M8 3v10M3 8h10',
  close: 'm4 4 8 8M12 4l-8 8',
  chevron: 'm6 4 4 4-4 4',
  filter: 'M2.5 4h11M4.5 8h7M6.5 12h3',
  clock: 'M13.5 8a5.5 5.5 0 1 1-11 0 5.5 5.5 0 0 1 11 0ZM8 5v3l2 1.5',
  copy: 'M7 5.5h5A1.5 1.5 0 0 1 13.5 7v5a1.5 1.5 0 0 1-1.5 1.5H7A1.5 1.5 0 0 1 5.5 12V7A1.5 1.5 0 0 1 7 5.5ZM10.5 5.5V4A1.5 1.5 0 0 0 9 2.5H4A1.5 1.5 0 0 0 2.5 4v5A1.5 1.5 0 0 0 4 10.5h1.5',
  renew: 'M13 8a5 5 0 1 1-1.6-3.7M13 2.5v3h-3',
  restore: 'M3 8a5 5 0 1 0 1.6-3.7M3 2.5v3h3',
  edit: 'm10.5 3 2.5 2.5L6 12.5l-3 .5.5-3L10.5 3Z',
  forget: 'M3 4.5h10M6.5 4.5V3h3v1.5M4.5 4.5l.5 8.5h6l.5-8.5',
  warn: 'M8 2.5 14 13H2L8 2.5ZM8 6.5v3M8 11.3v.1',
  check: 'm3.5 8.5 3 3 6-6.5',
  sun: 'M10.75 8a2.75 2.75 0 1 1-5.5 0 2.75 2.75 0 0 1 5.5 0ZM8 1.5v1.3M8 13.2v1.3M1.5 8h1.3M13.2 8h1.3M3.4 3.4l.9.9M11.7 11.7l.9.9M12.6 3.4l-.9.9M4.3 11.7l-.9.9',
  leave: 'M9.5 3H4v10h5.5M7 8h7M11.5 5.5 14 8l-2.5 2.5',
  key: 'M8.5 7.5a2.5 2.5 0 1 1-5 0 2.5 2.5 0 0 1 5 0ZM8 9l5.5 0M11.5 9v2M13.5 9v1.5',
  down: 'M8 2.5v8M5 7.5l3 3 3-3M3 13.5h10',
  up: 'M8 10.5v-8M5 5.5l3-3 3 3M3 13.5h10',
  file: 'M4 2.5h5l3 3v8H4v-11ZM9 2.5v3h3',
  eye: 'M1.5 8S4 3.5 8 3.5 14.5 8 14.5 8 12 12.5 8 12.5 1.5 8 1.5 8ZM9.8 8a1.8 1.8 0 1 1-3.6 0 1.8 1.8 0 0 1 3.6 0Z',
  routing:
    'M5 12.5a1.5 1.5 0 1 1-3 0 1.5 1.5 0 0 1 3 0ZM14 3.5a1.5 1.5 0 1 1-3 0 1.5 1.5 0 0 1 3 0ZM5 12.5h4.5a2.5 2.5 0 0 0 0-5h-3a2 2 0 0 1 0-4H11',
  packs: 'm8 2 5.5 3v6L8 14l-5.5-3V5L8 2ZM2.5 5 8 8l5.5-3M8 8v6',
  spark: 'M8 2.5 9.5 6.5 13.5 8 9.5 9.5 8 13.5 6.5 9.5 2.5 8 6.5 6.5 8 2.5Z',
  bolt: 'M9 2 3.5 9H8l-1 5 5.5-7H8l1-5Z',
  lock: 'M5 7h6a1.5 1.5 0 0 1 1.5 1.5V12a1.5 1.5 0 0 1-1.5 1.5H5A1.5 1.5 0 0 1 3.5 12V8.5A1.5 1.5 0 0 1 5 7ZM5.5 7V5a2.5 2.5 0 0 1 5 0v2',
  play: 'M5 3.5v9l7-4.5-7-4.5Z',
} as const;

export type IconName = keyof typeof PATHS;

/** Always beside a word or inside a control that has a name, so never announced. */
export function Icon({
  name,
  small,
  className = '',
}: {
  name: IconName;
  small?: boolean;
  className?: string;
}) {
  return (
    <svg className={`i ${small ? 'i-s' : ''} ${className}`} viewBox="0 0 16 16" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  );
}
