import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import type { Plugin } from "vite";

const COMPRESSIBLE = /\.(js|css|svg)$/;

/** Puts .br and .gz in the place of the assets: the server never compresses at run time, and carries no third form of them. */
export function precompress(): Plugin {
  let outDir = "dist";
  return {
    name: "precompress",
    apply: "build",
    configResolved: (config) => {
      outDir = join(config.root, config.build.outDir);
    },
    closeBundle: async () => {
      const assets = join(outDir, "assets");
      for (const name of await readdir(assets)) {
        if (!COMPRESSIBLE.test(name)) continue;
        const path = join(assets, name);
        const body = await readFile(path);
        const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: body.length };
        await writeFile(`${path}.br`, await promisify(brotliCompress)(body, { params }));
        await writeFile(`${path}.gz`, await promisify(gzip)(body, { level: 9 }));
        await rm(path);
      }
    },
  };
}
