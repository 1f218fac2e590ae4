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
}

/** Whether the click that is being handled, or the form it sends, is the second of a double click. */
export const secondClick = (): boolean => clicks > 1;
