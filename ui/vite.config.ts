import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

const SERVER = { target: 'http://127.0.0.1:3000', changeOrigin: false };

/** Compresses once, at the build, as well as it can be done: the server sends these files as they are. */
const brotli: Plugin = {
  name: 'brotli',
  apply: 'build',
  // Not earlier: chunks still change while the bundle is generated.
  writeBundle({ dir }, bundle) {
    for (const name of Object.keys(bundle).filter((one) => /\.(js|css|svg|html)$/.test(one))) {
      const bytes = readFileSync(join(dir!, name));
      const compressed = brotliCompressSync(bytes);
      if (compressed.length < bytes.length) writeFileSync(join(dir!, `${name}.br`), compressed);
    }
  },
};

// biome-ignore lint/style/noDefaultExport: vite reads the default export
export default defineConfig({
  plugins: [react(), brotli],
  build: {
    outDir: '../packages/helmdeck/ui-dist',
    emptyOutDir: true,
    target: 'es2023',
    // A data: URL would need an exception in the server's content security policy.
    assetsInlineLimit: 0,
    modulePreload: {
      polyfill: false,
      // Only for index.html. A preload that fails would make the import fail until the page is reloaded.
      resolveDependencies: (_file, files, { hostType }) =>
        files.filter((file) => hostType === 'html' || file.endsWith('.css')),
    },
    rolldownOptions: {
      checks: { pluginTimings: false, bundlerTimings: false }, // on a busy machine they look like a problem of the build
      output: {
        // What the first load needs comes in two files: libraries, which a new version seldom changes, and our own.
        codeSplitting: {
          groups: [
            { name: 'libraries', test: /node_modules/, tags: ['$initial'], priority: 2 },
            { name: 'app', tags: ['$initial'], priority: 1 },
            // What several later parts need is one file: each of them then comes with one request.
            { name: 'shared', minShareCount: 2 },
          ],
        },
      },
    },
    // Bundled third-party code keeps its license notices.
    license: { fileName: 'licenses.md' },
  },
  // The Host header stays as it is: the server accepts its cookie only from the same origin.
  server: { proxy: { '/api': SERVER, '/healthz': SERVER } },
});
