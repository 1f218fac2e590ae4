import createClient from "openapi-fetch";
import { problemFrom } from "./errors";
import { KeyRing, tabStorage } from "./keyRing";
import type { paths } from "./schema";

export const keyRing = new KeyRing(tabStorage());

/** Sends a request with the key in force; after a 401 it waits for a new key and sends the same request again. */
export async function authorisedFetch(request: Request): Promise<Response> {
  for (;;) {
    const { key, serial } = keyRing.current();
    const attempt = request.clone();
    if (key !== undefined) attempt.headers.set("X-API-Key", key);
    const response = await fetch(attempt);
    if (response.status !== 401 || !(await keyRing.renew(serial))) return response;
  }
}

export const api = createClient<paths>({ fetch: authorisedFetch });

/** Gives the body of an answered call, or throws its problem. */
export async function bodyOf<T>(call: Promise<{ data?: T; error?: unknown; response: Response }>): Promise<T> {
  const { data, error, response } = await call;
  if (!response.ok) throw problemFrom(response.status, response.headers, error);
  return data as T;
}
