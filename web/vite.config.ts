import { readFileSync } from "node:fs";
import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin } from "vite";
import { precompress } from "./precompress.ts";

/** Of the API's document, which is too large to send, the sentence about each threshold of the checks. */
const thresholds: Plugin = {
  name: "thresholds",
  load(id) {
    const [file = "", query] = id.split("?");
    if (query !== "thresholds") return;
    const { properties } = JSON.parse(readFileSync(file, "utf8")).components.schemas.Policy;
    const sentences = Object.entries<{ description: string }>(properties).map(([name, { description: said }]) => {
      return [name, `${said.charAt(0).toUpperCase()}${said.slice(1)}.`];
    });
    return { code: `export default ${JSON.stringify(Object.fromEntries(sentences))}`, moduleType: "js" };
  },
};

export default defineConfig({
  base: "/",
  plugins: [thresholds, react(), precompress()],
  build: {
    outDir: "dist",
    sourcemap: false,
    // The styles use light-dark(); older targets would get a longer emulation.
    target: ["chrome123", "edge123", "firefox124", "safari17.5"],
    // Inlined files would become data: URLs, which the policy allows for images only.
    assetsInlineLimit: 0,
    // One sheet compresses to two thirds of its parts, and no page waits for its own.
    cssCodeSplit: false,
    license: { fileName: "licences-dashboard.txt" },
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            // What the first page needs comes in one file instead of eleven,
            { name: "first", tags: ["$initial"] },
            // and of the others what most of them need: a file takes longer to ask for than to read.
            { name: "shared", minShareCount: 8, test: /web\/src\// },
          ],
        },
      },
    },
  },
  server: { proxy: { "/api": process.env.EDGEPOSTURE_URL ?? "http://127.0.0.1:8080" } },
});
