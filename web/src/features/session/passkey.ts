import { addPasskey, passkeyChallenge, signIn, signInChallenge, welcome, welcomeChallenge } from "../../api/client";
import { ApiProblem } from "../../api/errors";
import type { Identity } from "../../api/types";

/** Whether this browser can use passkeys here. */
export const hasPasskeys = (): boolean => window.isSecureContext && "PublicKeyCredential" in window;

/** Signs in with the passkey that the person chooses; undefined when they choose none. */
export async function signInWithPasskey(): Promise<Identity | undefined> {
  const asked = requestOptions(await signInChallenge());
  const passkey = await chosen(() => navigator.credentials.get({ publicKey: asked }));
  return passkey && signIn({ passkey });
}

/** Makes a passkey for who is signed in; false when they make none. */
export async function makePasskey(name: string): Promise<boolean> {
  const passkey = await made(await passkeyChallenge());
  if (passkey) await addPasskey(name, passkey);
  return passkey !== undefined;
}

/** Takes an invitation up with a passkey; false when the person makes none. */
export async function welcomeWithPasskey(who: Parameters<typeof welcomeChallenge>[0]): Promise<boolean> {
  const passkey = await made(await welcomeChallenge(who));
  if (passkey) await welcome({ ...who, passkey });
  return passkey !== undefined;
}

const made = (options: unknown) => {
  const asked = creationOptions(options);
  return chosen(() => navigator.credentials.create({ publicKey: asked }));
};

/** What the browser answers, as JSON. Who thinks better of it, or waits too long, has chosen nothing: that is no error. */
async function chosen(ask: () => Promise<Credential | null>): Promise<object | undefined> {
  try {
    const credential = await ask();
    return credential instanceof PublicKeyCredential ? written(credential) : undefined;
  } catch (error) {
    const name = error instanceof DOMException ? error.name : "";
    if (name === "NotAllowedError" || name === "AbortError") return undefined;
    const detail =
      name === "InvalidStateError"
        ? "This device has a passkey for you already; use that one, or another device."
        : name === "SecurityError"
          ? "Passkeys belong to the name of the service, and this page has another; open the service by its name."
          : "The browser or the device could not use a passkey; try another one.";
    throw new ApiProblem({ status: 0, title: "No passkey", detail });
  }
}

// Browsers of before 2025 have passkeys, but do not read and write them as JSON.

const bytes = (text: string) =>
  Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (letter) => letter.charCodeAt(0));

const base64url = (buffer: ArrayBuffer) =>
  btoa(String.fromCharCode(...new Uint8Array(buffer)))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");

export function requestOptions(options: unknown): PublicKeyCredentialRequestOptions {
  const json = options as PublicKeyCredentialRequestOptionsJSON;
  if (PublicKeyCredential.parseRequestOptionsFromJSON) return PublicKeyCredential.parseRequestOptionsFromJSON(json);
  const { challenge, rpId, timeout } = json;
  return {
    challenge: bytes(challenge),
    userVerification: "required",
    ...(rpId && { rpId }),
    ...(timeout && { timeout }),
  };
}

export function creationOptions(options: unknown): PublicKeyCredentialCreationOptions {
  const json = options as PublicKeyCredentialCreationOptionsJSON;
  if (PublicKeyCredential.parseCreationOptionsFromJSON) return PublicKeyCredential.parseCreationOptionsFromJSON(json);
  return {
    ...(json as unknown as PublicKeyCredentialCreationOptions),
    challenge: bytes(json.challenge),
    user: { ...json.user, id: bytes(json.user.id) },
    excludeCredentials: (json.excludeCredentials ?? []).map(({ id }) => ({ id: bytes(id), type: "public-key" })),
  };
}

export function written(credential: PublicKeyCredential): object {
  if (credential.toJSON) return credential.toJSON();
  const { id, type, rawId, response } = credential;
  const parts = Object.fromEntries(
    ["clientDataJSON", "attestationObject", "authenticatorData", "signature", "userHandle"].flatMap((name) => {
      const part = (response as unknown as Record<string, ArrayBuffer | null | undefined>)[name];
      return part ? [[name, base64url(part)]] : [];
    }),
  );
  return { id, type, rawId: base64url(rawId), response: parts };
}
