import { expect, it } from "vitest";
import { SvgPen } from "./svg";

const ruler = { font: "", measureText: (text: string) => ({ width: 6 * text.length }) as TextMetrics };

function written(draw: (pen: SvgPen) => void, title = "Map"): string[] {
  const pen = new SvgPen(ruler);
  draw(pen);
  return pen.file({ width: 300, height: 200.04 }, title).split("\n").slice(2, -2);
}

it("writes paths, with a full circle as two halves", () => {
  const lines = written((pen) => {
    pen.fillStyle = "rgb(1, 2, 3)";
    pen.beginPath();
    pen.arc(10, 10, 5, 0, 2 * Math.PI);
    pen.fill();
    pen.beginPath();
    pen.moveTo(0, 0);
    pen.lineTo(3.14, -0.001);
    pen.strokeStyle = "red";
    pen.lineWidth = 2.5;
    pen.globalAlpha = 0.35;
    pen.stroke();
  });
  expect(lines).toEqual([
    '<path fill="rgb(1, 2, 3)" d="M15 10A5 5 0 0 1 5 10A5 5 0 0 1 15 10"/>',
    '<path fill="none" stroke="red" stroke-width="2.5" opacity="0.35" d="M0 0L3.1 0"/>',
  ]);
});

it("cuts a part of a ring out as the canvas does", () => {
  const [ring] = written((pen) => {
    pen.beginPath();
    pen.arc(0, 0, 10, 0, Math.PI / 2);
    pen.arc(0, 0, 6, Math.PI / 2, 0, true);
    pen.closePath();
    pen.fill();
  });
  expect(ring).toContain('d="M10 0A10 10 0 0 1 7.1 7.1A10 10 0 0 1 0 10L0 6A6 6 0 0 0 4.2 4.2A6 6 0 0 0 6 0Z"');
});

it("joins what looks the same, but nothing see-through and nothing across a text", () => {
  const square = (pen: SvgPen) => pen.fillRect(0, 0, 1, 1);
  const text = (pen: SvgPen) => pen.fillText("x", 0, 0);
  const faint = (pen: SvgPen) => {
    pen.globalAlpha = 0.5;
  };
  const count = (...steps: ((pen: SvgPen) => void)[]) =>
    written((pen) => {
      for (const step of steps) step(pen);
    }).length;
  expect(count(square, square)).toBe(1);
  expect(count(square, text, square)).toBe(3);
  expect(count(faint, square, square)).toBe(2);
  expect(count(square, faint, square)).toBe(2);
});

it("writes text in its font, squeezed where there is no room", () => {
  const lines = written((pen) => {
    pen.font = '600 11px system-ui, "Segoe UI"';
    pen.textBaseline = "middle";
    pen.fillText("99+", 5, 6, 10);
  });
  expect(lines).toEqual([
    '<text x="5" y="6" fill="#000" font-size="11" font-weight="600" font-family="system-ui, &quot;Segoe UI&quot;" text-anchor="middle" dominant-baseline="central" textLength="10" lengthAdjust="spacingAndGlyphs">99+</text>',
  ]);
});

it.each([
  ['"><script>alert(1)</script>', "&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;"],
  ["</text><image href='//x'/>", "&lt;/text&gt;&lt;image href=&#39;//x&#39;/&gt;"],
  ["]]>&amp;<!--", "]]&gt;&amp;amp;&lt;!--"],
  ["a\u0000b\u001b[31m\u007f", "a[U+0000]b[U+001B][31m[U+007F]"],
  ["\u202egnp.elgoog", "[U+202E]gnp.elgoog"],
  ["half \ud83d pair, \ufffe\uffff", "half \ufffd pair, \ufffd\ufffd"],
])("keeps %j as text, in a name and in the title", (name, text) => {
  const pen = new SvgPen(ruler);
  pen.fillText(name, 0, 0);
  const file = pen.file({ width: 1, height: 1 }, name);
  expect(file).toContain(`<title>${text}</title>`);
  expect(file).toContain(`>${text}</text>`);
  expect([...file.matchAll(/<\/?([a-z]+)/g)].map(([, tag]) => tag)).toEqual([
    "svg",
    "title",
    "title",
    "text",
    "text",
    "svg",
  ]);
});
