/** What is drawn in an element as an SVG of its own: boxes, lines, shapes and words, as they look now. */
export function svgOf(box: HTMLElement, title: string): string {
  const frame = box.getBoundingClientRect();
  const width = Math.max(frame.width, box.scrollWidth);
  const height = Math.max(frame.height, box.scrollHeight);
  const at = (element: Element) => {
    const rect = element.getBoundingClientRect();
    return {
      x: rect.x - frame.x + box.scrollLeft,
      y: rect.y - frame.y + box.scrollTop,
      width: rect.width,
      height: rect.height,
    };
  };
  const page = getComputedStyle(document.body);
  const parts = [
    `<title>${escaped(title)}</title>`,
    `<rect width="${width}" height="${height}" fill="${page.backgroundColor}"/>`,
  ];
  for (const line of box.querySelectorAll<SVGPathElement>(":not(button, span) > svg > path")) {
    const { x, y } = at(line.ownerSVGElement ?? line);
    const { stroke, strokeWidth, strokeDasharray } = getComputedStyle(line);
    const way = escaped(line.getAttribute("d") ?? "");
    parts.push(
      `<path d="${way}" transform="translate(${x} ${y})" fill="none" stroke="${stroke}" stroke-width="${strokeWidth}" stroke-dasharray="${strokeDasharray}"/>`,
    );
  }
  for (const card of box.querySelectorAll("a, button")) {
    const { x, y, width, height } = at(card);
    const look = getComputedStyle(card);
    const inner = [
      `<rect x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="7" fill="${look.backgroundColor}" stroke="${look.borderTopColor}"/>`,
    ];
    for (const element of card.querySelectorAll("*")) {
      const place = at(element);
      const [left, top] = [place.x - x, place.y - y];
      const own = [...element.childNodes].filter((node) => node.nodeType === Node.TEXT_NODE);
      const text = own
        .map(({ textContent }) => textContent)
        .join("")
        .trim();
      const { color, fontSize, fontWeight, fill } = getComputedStyle(element);
      if (element instanceof SVGPathElement && element.ownerSVGElement) {
        const icon = at(element.ownerSVGElement);
        const scale = icon.width / 12;
        inner.push(
          `<path d="${escaped(element.getAttribute("d") ?? "")}" transform="translate(${icon.x - x} ${icon.y - y}) scale(${scale})" fill="${fill}" fill-rule="evenodd"/>`,
        );
      } else if (text !== "" && place.width > 1) {
        const base = top + place.height / 2 + Number.parseFloat(fontSize) * 0.36;
        inner.push(
          `<text x="${left + place.width - textWidth(element, place.width)}" y="${base}" fill="${color}" font-size="${fontSize}" font-weight="${fontWeight}">${escaped(text)}</text>`,
        );
      }
    }
    parts.push(`<svg x="${x}" y="${y}" width="${width}" height="${height}">${inner.join("")}</svg>`);
  }
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="Inter, system-ui, sans-serif">${parts.join("")}</svg>`;
}

/** An SVG as pixels, twice as fine as it is shown. */
export async function pngOf(svg: string): Promise<Blob | null> {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = image.width * 2;
  canvas.height = image.height * 2;
  canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((done) => canvas.toBlob(done));
}

/** Where the words of an element end, which begin after what stands before them in it. */
function textWidth(element: Element, whole: number): number {
  const range = document.createRange();
  const text = [...element.childNodes].find((node) => node.nodeType === Node.TEXT_NODE);
  if (!text) return whole;
  range.selectNodeContents(text);
  return Math.min(whole, range.getBoundingClientRect().width);
}

// What XML does not allow at all would make the file unreadable.
function escaped(text: string): string {
  return text
    .replaceAll(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, "\ufffd")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}
