import createClient from "openapi-fetch";
import { serviceClock } from "../lib/serviceClock";
import { ApiProblem, asProblem, problemFrom, refusedWith, unreachable } from "./errors";
import { KeyRing } from "./keyRing";
import { tellOtherTabs } from "./otherTabs";
import type { components, paths } from "./schema";
import type { Identity } from "./types";

export const keyRing = new KeyRing();

/**
 * Sends a request with the session of the browser; after a 401 it waits for a sign-in and sends the same request
 * again, but changes nothing in the name of somebody else.
 */
export async function authorisedFetch(request: Request): Promise<Response> {
  const sender = keyRing.current().actor;
  for (;;) {
    const { key, serial } = keyRing.current();
    const attempt = request.clone();
    if (key !== undefined) attempt.headers.set("X-API-Key", key);
    const response = await reach(attempt);
    if (!(await endsSession(response)) || !(await keyRing.renew(serial))) return response;
    if (request.method !== "GET" && sender !== undefined && keyRing.current().actor !== sender) {
      const detail = "Nothing was sent in their name. Look at it again, then send it.";
      throw new ApiProblem({ status: 401, title: "Somebody else signed in", detail });
    }
  }
}

/** Whether the service asks to sign in. A proxy that does so means a page of its own. */
async function endsSession(response: Response): Promise<boolean> {
  if (response.status !== 401) return false;
  const body = await response
    .clone()
    .json()
    .catch(() => undefined);
  return refusedWith(problemFrom(response.status, response.headers, body), 401);
}

/**
 * Sends a request. The browser gives a TypeError when no answer came. After a change that is not to know whether it was
 * made, and so is what is not the service's own, such as the answer of a proxy that waited in vain.
 */
async function reach(request: Request): Promise<Response> {
  const asked = Date.now();
  const changes = request.method !== "GET";
  try {
    const response = await fetch(request);
    serviceClock.heard(response.headers.get("Date"), asked, Date.now());
    const { status, headers, ok } = response;
    if (changes && (ok ? status !== 204 : status >= 500)) {
      await response
        .clone()
        .json()
        .catch((unread) => {
          throw new ApiProblem({ ...(ok ? asProblem(unread) : problemFrom(status, headers, undefined)), unsure: true });
        });
    }
    return response;
  } catch (error) {
    throw error instanceof TypeError ? unreachable(changes) : error;
  }
}

export const api = createClient<paths>({ fetch: authorisedFetch });

/** Gives the body of an answered call, or throws its problem. */
export async function bodyOf<T>(call: Promise<{ data?: T; error?: unknown; response: Response }>): Promise<T> {
  const { data, error, response } = await call;
  if (!response.ok) throw problemFrom(response.status, response.headers, error);
  return data as T;
}

/** Waits for a deletion. What somebody else deleted before is gone as well, and lists that showed it still are asked again. */
export async function deletion(call: Promise<{ error?: unknown; response: Response }>): Promise<void> {
  const { error, response } = await call;
  if (response.ok) return;
  const problem = problemFrom(response.status, response.headers, error);
  if (!refusedWith(problem, 404)) throw problem;
}

/** How people sign in here. */
export type SignInWays = Omit<components["schemas"]["SignInWaysOutputBody"], "required">;

/** Asks how to sign in. A service that has no such call knows the key alone; one that cannot tell may know both. */
export async function signInWays(): Promise<SignInWays> {
  const response = await fetch("/api/sign-in").catch(() => undefined);
  if (response?.ok) return response.json();
  return { providers: [], password: ![401, 404].includes(response?.status ?? 0), passkeys: false, key: true };
}

/** What is refused here waits for no other sign-in. */
const plain = createClient<paths>({ fetch: reach });

/** Goes on with a session that is there, such as one that was begun in another tab. */
export async function signedIn(): Promise<Identity | undefined> {
  const { data } = await plain.GET("/api/session");
  if (data) keyRing.signedIn(data.actor);
  return data;
}

/** Signs in. A key is held, in memory only, where the browser does not keep the cookie of the session. */
export async function signIn(
  by: { key: string } | { email: string; password: string } | { passkey: object },
): Promise<Identity> {
  const headers = "key" in by ? { "X-API-Key": by.key } : {};
  const made = await bodyOf(plain.POST("/api/session", { headers, body: "key" in by ? {} : by }));
  const kept = await signedIn();
  if (kept) return kept;
  if (!("key" in by)) {
    const detail =
      "The browser did not keep the session, because it keeps one over https only. Open this page over https.";
    throw new ApiProblem({ status: 0, title: "Not signed in", detail });
  }
  if (made.session) await plain.DELETE("/api/sessions/{id}", { params: { path: { id: made.session.id } }, headers });
  keyRing.signedIn(made.actor, by.key);
  return made;
}

/** Begins to sign in with a passkey. */
export const signInChallenge = async (): Promise<unknown> =>
  (await bodyOf(plain.GET("/api/session/challenge"))).publicKey;

/** Begins to make a passkey of who is signed in. */
export const passkeyChallenge = async (): Promise<unknown> =>
  (await bodyOf(api.GET("/api/passkeys/challenge"))).publicKey;

/** Keeps a passkey of who is signed in. */
export async function addPasskey(name: string, passkey: object): Promise<void> {
  await bodyOf(api.POST("/api/passkeys", { body: { name, passkey } }));
}

/** Begins to make a passkey with an invitation. */
export const welcomeChallenge = async (body: components["schemas"]["WelcomeChallengeInputBody"]): Promise<unknown> =>
  (await bodyOf(plain.POST("/api/welcome/challenge", { body }))).publicKey;

/** Takes an invitation up: the person has a password or a passkey then, and is signed in. */
export async function welcome(body: components["schemas"]["AcceptInputBody"]): Promise<void> {
  await bodyOf(plain.POST("/api/welcome", { body }));
  await signedIn();
}

/** Signs out, and loads the page again, so that nothing stays in memory. */
export async function signOut(): Promise<void> {
  await bodyOf(api.DELETE("/api/session"));
  tellOtherTabs();
  window.location.reload();
}
