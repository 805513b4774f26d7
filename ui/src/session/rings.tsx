const RADII = [250, 316, 382, 448, 514, 580, 646, 712];
const TURNS = [0, 45, 90, 135, 180, 225, 270, 315];

/** The wheel of the logo, large and faint. */
export function Rings() {
  return (
    <svg className="rings" viewBox="0 0 1500 1500" fill="none" stroke="currentColor" aria-hidden="true">
      {RADII.map((radius) => (
        <circle key={radius} cx="750" cy="750" r={radius} opacity={0.26 - radius / 3200} />
      ))}
      {TURNS.map((degrees) => (
        <path key={degrees} d="M750 434v-330" opacity=".1" transform={`rotate(${degrees} 750 750)`} />
      ))}
    </svg>
  );
}
