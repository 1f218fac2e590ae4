import { expect, test } from "vitest";
import { gradeNote, gradeWords } from "./grade";

test.each([
  [{ grade: "A" }, "", "grade A"],
  [{ grade: "D", held: "held at D by 2 findings" }, "held at D by 2 findings", "grade D (held at D by 2 findings)"],
  [{ grade: null, withheld: "62 % could be judged" }, "62 % could be judged", "no grade (62 % could be judged)"],
  [{ grade: null }, "too little could be judged", "no grade (too little could be judged)"],
])("%j says why", (score, note, words) => {
  expect(gradeNote(score)).toBe(note);
  expect(gradeWords(score)).toBe(words);
});
