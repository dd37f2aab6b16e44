import { signal } from '@preact/signals';

export interface Me {
  readonly userId: string;
  readonly name: string;
  readonly role: 'owner' | 'reader';
}

/** Who is signed in here; `null` is a guest. */
export const me = signal<Me | null>(null);
