let clicks = 0;

if (typeof window !== "undefined") {
  window.addEventListener(
    "click",
    ({ detail }) => {
      clicks = detail;
      setTimeout(() => {
        clicks = 0;
      });
    },
    { capture: true },
  );
  // A key that is held presses once: it would also press what the first press opened, such as a question.
  window.addEventListener(
    "keydown",
    (event) => {
      if (event.repeat && event.key === "Enter" && !(event.target instanceof HTMLTextAreaElement))
        event.preventDefault();
    },
    { capture: true },
  );
}

/** Whether the click that is being handled, or the form it sends, is the second of a double click. */
export const secondClick = (): boolean => clicks > 1;
