import { visible } from "../../../lib/visible";
import type { Size } from "./camera";
import type { Pen } from "./engine";

const ENTITIES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

/** Text that is nothing but text in XML, which has no place for half a surrogate pair or for U+FFFE and U+FFFF. */
function escaped(text: string): string {
  return visible(text)
    .toWellFormed()
    .replace(/[\ufffe\uffff]/g, "\ufffd")
    .replace(/[&<>"']/g, (sign) => ENTITIES[sign] ?? "");
}

/** A tenth of a pixel is as much as anybody sees. */
const number = (n: number) => String(Math.round(n * 10) / 10 || 0);

/** Writes down as SVG what the engine draws. The file refers to nothing outside of it and runs nothing. */
export class SvgPen implements Pen {
  fillStyle = "#000";
  strokeStyle = "#000";
  lineWidth = 1;
  lineJoin: CanvasLineJoin = "miter";
  globalAlpha = 1;
  font = "10px sans-serif";
  textAlign: CanvasTextAlign = "start";
  textBaseline: CanvasTextBaseline = "alphabetic";
  readonly #ruler: Pick<CanvasRenderingContext2D, "font" | "measureText">;
  readonly #elements: string[] = [];
  #path = "";
  /** Shapes that look the same and follow one another become one element. */
  #look = "";
  #shapes = "";

  constructor(ruler: Pick<CanvasRenderingContext2D, "font" | "measureText">) {
    this.#ruler = ruler;
  }

  beginPath(): void {
    this.#path = "";
  }

  moveTo(x: number, y: number): void {
    this.#path += `M${number(x)} ${number(y)}`;
  }

  lineTo(x: number, y: number): void {
    this.#path += `L${number(x)} ${number(y)}`;
  }

  closePath(): void {
    this.#path += "Z";
  }

  rect(x: number, y: number, width: number, height: number): void {
    this.#path += box(x, y, width, height);
  }

  arc(x: number, y: number, r: number, from: number, to: number, backwards = false): void {
    const go = (angle: number) => `${number(x + r * Math.cos(angle))} ${number(y + r * Math.sin(angle))}`;
    // An arc of SVG that ends where it began is nothing, so every arc is drawn in two halves.
    const sweep = backwards ? 0 : 1;
    const half = (angle: number) => `A${number(r)} ${number(r)} 0 0 ${sweep} ${go(angle)}`;
    this.#path += `${this.#path === "" ? "M" : "L"}${go(from)}${half((from + to) / 2)}${half(to)}`;
  }

  fill(): void {
    this.#shape(`fill="${escaped(this.fillStyle)}"`, this.#path);
  }

  stroke(): void {
    const join = this.lineJoin === "miter" ? "" : ` stroke-linejoin="${this.lineJoin}"`;
    this.#shape(
      `fill="none" stroke="${escaped(this.strokeStyle)}" stroke-width="${number(this.lineWidth)}"${join}`,
      this.#path,
    );
  }

  fillRect(x: number, y: number, width: number, height: number): void {
    this.#shape(`fill="${escaped(this.fillStyle)}"`, box(x, y, width, height));
  }

  measureText(text: string): TextMetrics {
    this.#ruler.font = this.font;
    return this.#ruler.measureText(text);
  }

  /** Text around its middle, which is how the engine writes all of it. */
  fillText(text: string, x: number, y: number, widest = Number.POSITIVE_INFINITY): void {
    this.#flush();
    const [, weight = "400", size = "10", family = ""] = /^(?:(\d+) )?([\d.]+)px (.*)$/.exec(this.font) ?? [];
    const squeezed =
      this.measureText(text).width > widest ? ` textLength="${number(widest)}" lengthAdjust="spacingAndGlyphs"` : "";
    const middle = this.textBaseline === "middle" ? ' dominant-baseline="central"' : "";
    this.#elements.push(
      `<text x="${number(x)}" y="${number(y)}" fill="${escaped(this.fillStyle)}" font-size="${size}" font-weight="${weight}" font-family="${escaped(family)}" text-anchor="middle"${middle}${squeezed}>${escaped(text)}</text>`,
    );
  }

  #shape(look: string, path: string): void {
    if (path === "") return;
    const alpha = this.globalAlpha;
    // Where they lie over one another, see-through shapes are darker apart than as one.
    if (look === this.#look && alpha === 1) {
      this.#shapes += path;
      return;
    }
    this.#flush();
    this.#look = alpha === 1 ? look : `${look} opacity="${alpha}"`;
    this.#shapes = path;
  }

  #flush(): void {
    if (this.#shapes !== "") this.#elements.push(`<path ${this.#look} d="${this.#shapes}"/>`);
    this.#look = "";
    this.#shapes = "";
  }

  /** The file, under a title for those who do not see it. */
  file({ width, height }: Size, title: string): string {
    this.#flush();
    const [w, h] = [number(width), number(height)];
    return `<svg xmlns="http://www.w3.org/2000/svg" width="${w}" height="${h}" viewBox="0 0 ${w} ${h}" role="img">\n<title>${escaped(title)}</title>\n${this.#elements.join("\n")}\n</svg>\n`;
  }
}

function box(x: number, y: number, width: number, height: number): string {
  return `M${number(x)} ${number(y)}h${number(width)}v${number(height)}h${number(-width)}Z`;
}
