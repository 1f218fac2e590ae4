import { serviceNow } from "../lib/serviceClock";

export interface FieldProblem {
  location: string;
  message: string;
}

interface Parts {
  status: number;
  title: string;
  detail: string;
  code?: string | undefined;
  requestId?: string | undefined;
  retryAfterSeconds?: number | undefined;
  fields?: FieldProblem[] | undefined;
  unsure?: boolean;
}

/** Everything that can go wrong with a call, in the words shown to a person. Status 0 means no answer came. */
export class ApiProblem extends Error {
  readonly status: number;
  readonly title: string;
  readonly detail: string;
  readonly code: string;
  readonly requestId: string | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly fields: FieldProblem[];
  /** What was sent may have been done all the same: the service never said. */
  readonly unsure: boolean;

  constructor(parts: Parts) {
    super(parts.detail);
    this.name = "ApiProblem";
    this.status = parts.status;
    this.title = parts.title;
    this.detail = parts.detail;
    this.code = parts.code ?? "";
    this.requestId = parts.requestId;
    this.retryAfterSeconds = parts.retryAfterSeconds;
    this.fields = parts.fields ?? [];
    this.unsure = parts.unsure ?? false;
  }
}

const text = (value: unknown): string | undefined =>
  typeof value === "string" && value.trim() !== "" ? value : undefined;

function fieldsOf(value: unknown): FieldProblem[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((entry: unknown) => {
    if (typeof entry !== "object" || entry === null) return [];
    const { location, message } = entry as Record<string, unknown>;
    return text(message) ? [{ location: text(location) ?? "", message: String(message) }] : [];
  });
}

/** Retry-After is seconds or a date (RFC 9110). */
export function retryAfterSeconds(header: string | null, now: number): number | undefined {
  if (header === null || header.trim() === "") return undefined;
  if (/^\s*\d+\s*$/.test(header)) return Number(header);
  const at = Date.parse(header);
  return Number.isNaN(at) ? undefined : Math.max(0, Math.ceil((at - now) / 1000));
}

const TITLES: Record<number, string> = {
  401: "Nobody is signed in",
  403: "Not allowed",
  404: "Not found",
  429: "Too many requests",
  500: "The service failed",
  502: "A service behind this one failed",
  503: "The service is not ready",
  504: "The service took too long",
};

/** Reads a refused answer. A proxy in between may answer HTML, so nothing in the body is taken for granted. */
export function problemFrom(status: number, headers: Headers, body: unknown, now = serviceNow()): ApiProblem {
  const fields = typeof body === "object" && body !== null ? (body as Record<string, unknown>) : {};
  return new ApiProblem({
    status,
    title: text(fields.title) ?? TITLES[status] ?? `The service answered ${status}`,
    detail:
      text(fields.detail) ??
      "The answer is not the service's own, but of something on the way to it, such as a proxy. Try again, or load the page again.",
    code: text(fields.code),
    requestId: text(fields.requestId) ?? text(headers.get("X-Request-Id")),
    retryAfterSeconds: retryAfterSeconds(headers.get("Retry-After"), now),
    fields: fieldsOf(fields.errors),
  });
}

export const unreachable = (unsure = false): ApiProblem =>
  new ApiProblem({
    status: 0,
    unsure,
    title: "The service cannot be reached",
    detail: "No answer came. Check that the service runs and that the network is up, then try again.",
  });

/** Turns whatever was thrown into a problem. */
export function asProblem(error: unknown): ApiProblem {
  if (error instanceof ApiProblem) return error;
  if (error instanceof SyntaxError) {
    return new ApiProblem({
      status: 0,
      title: "The answer was not readable",
      detail: "The service answered something that is not JSON.",
    });
  }
  return new ApiProblem({
    status: 0,
    title: "The page failed",
    detail: error instanceof Error ? error.message : String(error),
  });
}

/** Whether the service itself refused with one of these: a proxy or a firewall on the way to it sends no code. */
export function refusedWith(error: unknown, ...statuses: number[]): boolean {
  const { code, status } = asProblem(error);
  return code !== "" && statuses.includes(status);
}

/** Only what may pass by itself is tried again without being asked. */
export function worthRetrying(error: unknown): boolean {
  const { status } = asProblem(error);
  return status === 502 || status === 503 || status === 504;
}
