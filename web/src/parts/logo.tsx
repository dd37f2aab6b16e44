/** The seal: 瓦版 in strokes of our own, so that it needs no font. */
export function Seal() {
  return (
    <svg class="seal" viewBox="0 0 72 128" aria-hidden="true" focusable="false">
      <rect class="seal-ground" x="1" y="1" width="70" height="126" rx="7" />
      <rect class="seal-edge" x="5" y="5" width="62" height="118" rx="4" />
      <g class="seal-ink" transform="translate(13 13) scale(0.46 0.48)">
        <path d="M8 12H92" />
        <path d="M36 13L25 90L56 77" />
        <path d="M33 41H66L69 78Q70 90 80 90H93V74" />
        <path d="M46 57L56 67" />
      </g>
      <g class="seal-ink" transform="translate(13 67) scale(0.46 0.48)">
        <path d="M18 8V52Q18 78 5 95" />
        <path d="M36 6V36" />
        <path d="M18 36H47" />
        <path d="M18 60H40V95" />
        <path d="M56 14H93" />
        <path d="M58 14V52Q58 78 46 95" />
        <path d="M59 40H87Q81 74 54 95" />
        <path d="M62 44Q70 76 95 94" />
      </g>
    </svg>
  );
}
