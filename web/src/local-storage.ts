/** Small things kept in this browser. Without storage they last as long as the page. */
export function kept(name: string): string | null {
  try {
    return localStorage.getItem(`kawaraban.${name}`);
  } catch {
    return null;
  }
}

export function keep(name: string, value: string | null): void {
  try {
    if (value === null) localStorage.removeItem(`kawaraban.${name}`);
    else localStorage.setItem(`kawaraban.${name}`, value);
  } catch {
    // Storage is switched off or full: the choice holds until the page is closed.
  }
}
