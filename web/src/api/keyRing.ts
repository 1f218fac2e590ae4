export interface KeyPrompt {
  open: boolean;
  /** The key that was sent last was refused. */
  refused: boolean;
  /** The person closed the prompt without giving a key. */
  dismissed: boolean;
}

interface Keep {
  getItem(name: string): string | null;
  setItem(name: string, value: string): void;
  removeItem(name: string): void;
}

const ITEM = "edgeposture.key";

/**
 * Holds the API key in memory. Requests that were refused wait here together for
 * one prompt; the serial tells whether a newer key arrived while one was under way.
 */
export class KeyRing {
  #key: string | undefined;
  #serial = 0;
  #prompt: KeyPrompt = { open: false, refused: false, dismissed: false };
  #waiting: ((again: boolean) => void)[] = [];
  readonly #listeners = new Set<() => void>();
  readonly #keep: Keep | undefined;

  constructor(keep?: Keep) {
    this.#keep = keep;
    this.#key = keep?.getItem(ITEM) ?? undefined;
  }

  current(): { key: string | undefined; serial: number } {
    return { key: this.#key, serial: this.#serial };
  }

  prompt = (): KeyPrompt => this.#prompt;

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Called after a 401 for a request sent with the key of that serial; resolves to whether to send it again. */
  renew(serial: number): Promise<boolean> {
    if (serial !== this.#serial) return Promise.resolve(true);
    if (this.#prompt.dismissed) return Promise.resolve(false);
    this.#show({ open: true, refused: this.#key !== undefined, dismissed: false });
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  submit(key: string, keepForTab: boolean): void {
    this.#key = key;
    this.#serial++;
    if (keepForTab) this.#keep?.setItem(ITEM, key);
    else this.#keep?.removeItem(ITEM);
    this.#show({ open: false, refused: false, dismissed: false });
    this.#settle(true);
  }

  dismiss(): void {
    this.#show({ open: false, refused: false, dismissed: true });
    this.#settle(false);
  }

  /** The person asked again, so the next refusal may prompt. */
  askAgain(): void {
    if (this.#prompt.dismissed) this.#show({ open: false, refused: false, dismissed: false });
  }

  #settle(again: boolean): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve(again);
  }

  #show(prompt: KeyPrompt): void {
    this.#prompt = prompt;
    for (const listener of this.#listeners) listener();
  }
}

/** Storage can be forbidden by the browser; the key then lives in memory only. */
export function tabStorage(): Keep | undefined {
  try {
    return window.sessionStorage;
  } catch {
    return undefined;
  }
}
