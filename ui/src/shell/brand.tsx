import { strings } from '../strings.ts';

/** The logo with the name of the product. */
export function Brand() {
  return (
    <>
      <svg
        className="logo"
        viewBox="0 0 24 24"
        fill="none"
        stroke="currentColor"
        strokeWidth="1.8"
        strokeLinecap="round"
        aria-hidden="true"
      >
        <circle cx="12" cy="12" r="6.2" />
        <circle cx="12" cy="12" r="1.7" fill="currentColor" stroke="none" />
        <path d="M12 1.8v4M12 18.2v4M1.8 12h4M18.2 12h4M4.8 4.8l2.8 2.8M16.4 16.4l2.8 2.8M19.2 4.8l-2.8 2.8M7.6 16.4l-2.8 2.8" />
      </svg>
      {strings.product}
    </>
  );
}
