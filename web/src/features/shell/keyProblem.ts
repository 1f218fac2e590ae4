/** Why a text cannot be a key; empty when it can. Other characters cannot stand in a header. */
export function keyProblem(key: string): string {
  if (key === "") return "Enter the key.";
  return /^[\x20-\x7e]+$/.test(key) ? "" : "A key has letters, digits and plain signs only.";
}
