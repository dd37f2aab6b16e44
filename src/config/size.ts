const UNITS: Readonly<Record<string, number>> = {
  b: 1,
  kb: 1024,
  mb: 1024 ** 2,
  gb: 1024 ** 3,
  kib: 1024,
  mib: 1024 ** 2,
  gib: 1024 ** 3,
};

/** Parses a size such as `512KB`, `10MB` or `1.5 GB` as bytes (a KB has 1,024), or returns `null` if it is invalid. */
export function parseSize(text: string): number | null {
  const match = /^(\d+(?:\.\d+)?)\s*([kmg]?i?b)$/.exec(text.trim().toLowerCase());
  const unit = UNITS[match?.[2] ?? ''];
  if (!match || unit === undefined) return null;
  const bytes = Math.round(Number(match[1]) * unit);
  return Number.isSafeInteger(bytes) ? bytes : null;
}

export function formatSize(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  for (const [name, unit] of [
    ['KB', 1024],
    ['MB', 1024 ** 2],
  ] as const) {
    if (bytes < unit * 1024) return `${round(bytes / unit)} ${name}`;
  }
  return `${round(bytes / 1024 ** 3)} GB`;
}

function round(value: number): string {
  return value >= 100 ? String(Math.round(value)) : String(Math.round(value * 10) / 10);
}
