import { authorisedFetch } from "../../api/client";
import { problemFrom } from "../../api/errors";

/**
 * Fetches a file and tells how much has come, which a plain link cannot. The stream
 * breaking off throws: a part never passes for the whole.
 */
export async function fetchFile(path: string, signal: AbortSignal, onBytes: (n: number) => void): Promise<Blob> {
  const response = await authorisedFetch(new Request(path, { signal }));
  if (!response.ok) {
    throw problemFrom(response.status, response.headers, await response.json().catch(() => undefined));
  }
  const parts: BlobPart[] = [];
  let size = 0;
  const reader = response.body?.getReader();
  for (;;) {
    const piece = await reader?.read();
    if (!piece || piece.done) break;
    parts.push(piece.value as BlobPart);
    size += piece.value.length;
    onBytes(size);
  }
  return new Blob(parts, { type: response.headers.get("Content-Type") ?? "application/octet-stream" });
}
