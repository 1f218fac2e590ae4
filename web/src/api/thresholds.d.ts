/** Of each threshold of the checks the sentence that the API's document has, which vite.config.ts takes out. */
declare module "*?thresholds" {
  const sentences: Record<string, string>;
  export default sentences;
}
