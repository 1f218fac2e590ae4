export interface KeyPrompt {
  open: boolean;
  /** The person closed the prompt without signing in. */
  dismissed: boolean;
}

/**
 * Requests that were refused wait here together for one sign-in; the serial tells
 * whether somebody signed in while one was under way. The API key is held, in memory
 * only, where the browser keeps no session.
 */
export class KeyRing {
  #key: string | undefined;
  #serial = 0;
  #actor: string | undefined;
  #prompt: KeyPrompt = { open: false, dismissed: false };
  #waiting: ((again: boolean) => void)[] = [];
  readonly #listeners = new Set<() => void>();

  current(): { key: string | undefined; serial: number; actor: string | undefined } {
    return { key: this.#key, serial: this.#serial, actor: this.#actor };
  }

  /** The service said who the caller is. */
  is(actor: string): void {
    this.#actor = actor;
  }

  prompt = (): KeyPrompt => this.#prompt;

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Called after a 401 for a request sent after that many sign-ins; resolves to whether to send it again. */
  renew(serial: number): Promise<boolean> {
    if (serial !== this.#serial) return Promise.resolve(true);
    if (this.#prompt.dismissed) return Promise.resolve(false);
    this.#show({ open: true, dismissed: false });
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** Somebody signed in; the key is given when requests need it still. */
  signedIn(actor?: string, key?: string): void {
    this.#actor = actor;
    this.#key = key;
    this.#serial++;
    this.#show({ open: false, dismissed: false });
    this.#settle(true);
  }

  dismiss(): void {
    this.#show({ open: false, dismissed: true });
    this.#settle(false);
  }

  /** The person asked again, so the next refusal may prompt. */
  askAgain(): void {
    if (this.#prompt.dismissed) this.#show({ open: false, dismissed: false });
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
