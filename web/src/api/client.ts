import createClient from "openapi-fetch";
import { problemFrom } from "./errors";
import { KeyRing } from "./keyRing";
import type { paths } from "./schema";

export const keyRing = new KeyRing();

/** Sends a request with the session of the browser; after a 401 it waits for a sign-in and sends the same request again. */
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

/** Signs in with the key, which is forgotten then, unless the browser does not keep the cookie of the session. */
export async function signIn(key: string): Promise<void> {
  const client = createClient<paths>(); // what is refused here waits for no other sign-in
  const headers = { "X-API-Key": key };
  const { session } = await bodyOf(client.POST("/api/session", { headers, body: {} }));
  const { response } = await client.GET("/api/session");
  const kept = response.status !== 401;
  if (!kept && session) await client.DELETE("/api/sessions/{id}", { params: { path: { id: session.id } }, headers });
  keyRing.signedIn(kept ? undefined : key);
}
