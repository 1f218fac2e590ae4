import { afterEach, expect, it, vi } from "vitest";
import { authorisedFetch, deletion, keyRing } from "./client";

/** A service that refuses the first request of each test. */
function refusesFirst() {
  let refused = false;
  const send = vi.fn(async (_: Request) => {
    const answer = refused
      ? new Response(null, { status: 204 })
      : Response.json({ code: "unauthorized" }, { status: 401 });
    refused = true;
    return answer;
  });
  vi.stubGlobal("fetch", send);
  return send;
}

afterEach(() => vi.unstubAllGlobals());

it("sends a change again for the person who made it, and for nobody else", async () => {
  const request = (method: string) => new Request("https://edgeposture.test/api/x", { method });
  keyRing.is("user:rem");
  let send = refusesFirst();
  const mine = authorisedFetch(request("POST"));
  await vi.waitFor(() => expect(keyRing.prompt().open).toBe(true));
  keyRing.signedIn("user:rem");
  expect((await mine).status).toBe(204);
  expect(send).toHaveBeenCalledTimes(2);

  for (const [method, sent] of [
    ["GET", 2],
    ["POST", 1],
  ] as const) {
    keyRing.is("user:rem");
    send = refusesFirst();
    const theirs = authorisedFetch(request(method)).then(
      ({ status }) => status,
      ({ title }) => title,
    );
    await vi.waitFor(() => expect(keyRing.prompt().open).toBe(true));
    keyRing.signedIn("user:ana");
    expect(await theirs).toBe(method === "GET" ? 204 : "Somebody else signed in");
    expect(send).toHaveBeenCalledTimes(sent);
  }
});

it("says of a change without an answer that it may have been made, and of nothing else", async () => {
  const unsure = (method: string) =>
    authorisedFetch(new Request("https://edgeposture.test/api/x", { method })).then(
      () => false,
      ({ unsure }) => unsure,
    );
  const answers = (status: number, type: string) =>
    vi.stubGlobal("fetch", async () => new Response("<h1>…</h1>", { status, headers: { "Content-Type": type } }));
  vi.stubGlobal("fetch", () => Promise.reject(new TypeError("Failed to fetch")));
  expect(await Promise.all(["GET", "POST", "DELETE"].map(unsure))).toEqual([false, true, true]);
  answers(504, "text/html");
  expect(await Promise.all(["GET", "POST"].map(unsure))).toEqual([false, true]);
  answers(200, "application/json");
  expect(await Promise.all(["GET", "POST"].map(unsure))).toEqual([false, true]);
  vi.stubGlobal("fetch", async () => Response.json({}, { status: 500 }));
  expect(await unsure("POST")).toBe(false);
  answers(403, "text/html");
  expect(await unsure("POST")).toBe(false);
});

it("takes the answers of a proxy for no sign-out and no deletion", async () => {
  const answer = (status: number, body: unknown) =>
    Promise.resolve({ error: body, response: new Response(null, { status }) });
  await expect(deletion(answer(404, { code: "not_found" }))).resolves.toBeUndefined();
  await expect(deletion(answer(404, "<h1>404</h1>"))).rejects.toMatchObject({ status: 404 });
  vi.stubGlobal("fetch", async () => new Response("<h1>401</h1>", { status: 401 }));
  expect((await authorisedFetch(new Request("https://edgeposture.test/api/x"))).status).toBe(401);
  expect(keyRing.prompt().open).toBe(false);
});

it("says that no answer came, and says it of nothing else", async () => {
  vi.stubGlobal("fetch", () => Promise.reject(new TypeError("Failed to fetch")));
  await expect(authorisedFetch(new Request("https://edgeposture.test/api/x"))).rejects.toMatchObject({
    title: "The service cannot be reached",
  });
});
