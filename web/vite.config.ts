import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";
import { precompress } from "./precompress.ts";

export default defineConfig({
  base: "/",
  plugins: [react(), precompress()],
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
