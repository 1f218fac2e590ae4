import { expect, it } from "vitest";
import { typedAsShown, visible } from "./visible";

it.each([
  ["shop.example", "shop.example"],
  ["müller.example 東京 🔒", "müller.example 東京 🔒"],
  ["שלום (7)", "\u2068שלום (7)\u2069"],
  ["\u202Egnp.elgoog", "[U+202E]gnp.elgoog"],
  ["pay\u200Bpal", "pay[U+200B]pal"],
  ["a\0b\u0007c\u001B[31m", "a[U+0000]b[U+0007]c[U+001B][31m"],
  ["\u2066x\u2069\uFEFF\u2028\u00AD", "[U+2066]x[U+2069][U+FEFF][U+2028][U+00AD]"],
  ["tag\u{E0041}", "tag[U+E0041]"],
  ["line\n\ttwo می‌خواهم", "\u2068line\n\ttwo می‌خواهم\u2069"],
])("%j", (text, out) => expect(visible(text)).toBe(out));

it.each([
  ["northwind", "northwind", true],
  [" Northwind  EU ", "Northwind \u00a0EU", true],
  ["pay[U+200B]pal", "pay\u200bpal", true],
  ["pay\u200bpal", "pay\u200bpal", true],
  ["paypal", "pay\u200bpal", false],
  ["Northwind", "northwind", false],
  ["שלום", "שלום", true],
  [visible("שלום"), "שלום", true],
  ["", "northwind", false],
])("%j typed for %j: %s", (typed, name, same) => expect(typedAsShown(typed, name)).toBe(same));
