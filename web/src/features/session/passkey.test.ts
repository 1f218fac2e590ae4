import { afterEach, expect, it, vi } from "vitest";
import { creationOptions, requestOptions, written } from "./passkey";

afterEach(() => vi.unstubAllGlobals());

const buffer = (...values: number[]) => Uint8Array.from(values).buffer;

it("reads and writes what a browser without JSON for passkeys needs", () => {
  vi.stubGlobal("PublicKeyCredential", {});
  expect(requestOptions({ challenge: "-_8A", rpId: "edge.example.com", timeout: 5 })).toEqual({
    challenge: Uint8Array.from([251, 255, 0]),
    rpId: "edge.example.com",
    timeout: 5,
    userVerification: "required",
  });
  const asked = {
    challenge: "AQ",
    attestation: "none",
    user: { id: "Ag", name: "a", displayName: "b" },
    excludeCredentials: [{ id: "Aw", type: "public-key" }],
  };
  expect(creationOptions(asked)).toEqual({
    challenge: Uint8Array.from([1]),
    attestation: "none",
    user: { id: Uint8Array.from([2]), name: "a", displayName: "b" },
    excludeCredentials: [{ id: Uint8Array.from([3]), type: "public-key" }],
  });
  const response = { clientDataJSON: buffer(251, 255, 0), signature: buffer(1), userHandle: null };
  const credential = { id: "AQ", type: "public-key", rawId: buffer(1), response };
  expect(written(credential as unknown as PublicKeyCredential)).toEqual({
    id: "AQ",
    type: "public-key",
    rawId: "AQ",
    response: { clientDataJSON: "-_8A", signature: "AQ" },
  });
});

it("leaves it to the platform where it can", () => {
  const parse = vi.fn(() => "parsed");
  vi.stubGlobal("PublicKeyCredential", { parseRequestOptionsFromJSON: parse, parseCreationOptionsFromJSON: parse });
  expect([requestOptions({}), creationOptions({})]).toEqual(["parsed", "parsed"]);
  expect(written({ toJSON: () => ({ id: "x" }) } as unknown as PublicKeyCredential)).toEqual({ id: "x" });
});
