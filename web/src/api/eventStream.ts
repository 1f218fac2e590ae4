export interface StreamEvent {
  event: string;
  data: string;
  id: string;
}

/** A stream that never ends a line would grow for ever; no event of ours comes near this. */
const LONGEST = 1 << 20;

/**
 * Parses server-sent events from text that arrives in arbitrary pieces.
 * EventSource would do it, but cannot send the API key header.
 */
export class EventStreamParser {
  #rest = "";
  #data: string[] = [];
  #event = "";
  #id = "";
  #started = false;
  #skipLineFeed = false;

  push(piece: string): StreamEvent[] {
    let text = piece;
    if (!this.#started && text !== "") {
      this.#started = true;
      if (text.startsWith("\uFEFF")) text = text.slice(1);
    }
    // A CR that ended the piece before may be the first half of a CRLF.
    if (this.#skipLineFeed && text !== "") {
      if (text.startsWith("\n")) text = text.slice(1);
      this.#skipLineFeed = false;
    }
    this.#skipLineFeed = text.endsWith("\r");
    const lines = (this.#rest + text).split(/\r\n|\r|\n/);
    this.#rest = lines.pop() ?? "";
    if (this.#rest.length > LONGEST) throw new RangeError("a line of the event stream is too long");
    return lines.flatMap((line) => this.#line(line));
  }

  #line(line: string): StreamEvent[] {
    if (line === "") return this.#dispatch();
    const colon = line.indexOf(":");
    if (colon === 0) return [];
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(line[colon + 1] === " " ? colon + 2 : colon + 1);
    if (field === "data") this.#data.push(value);
    else if (field === "event") this.#event = value;
    else if (field === "id" && !value.includes("\0")) this.#id = value;
    return [];
  }

  #dispatch(): StreamEvent[] {
    const data = this.#data;
    const event = this.#event || "message";
    this.#data = [];
    this.#event = "";
    return data.length === 0 ? [] : [{ event, data: data.join("\n"), id: this.#id }];
  }
}

/** Reads an answer as events until it ends; throws when it breaks off. */
export async function* readEvents(response: Response): AsyncGenerator<StreamEvent | undefined> {
  if (!response.body) return;
  const parser = new EventStreamParser();
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      const events = parser.push(value);
      // A heartbeat carries no event, but tells that the stream lives.
      if (events.length === 0) yield undefined;
      yield* events;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}
