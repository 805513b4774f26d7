import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

const SERVER = { target: 'http://127.0.0.1:3000', changeOrigin: false };

// biome-ignore lint/style/noDefaultExport: vite reads the default export
export default defineConfig({
  plugins: [react()],
  build: {
    outDir: '../packages/helmdeck/ui-dist',
    emptyOutDir: true,
    target: 'es2023',
    // A data: address would need a hole in the server's content security policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // The code of others that is bundled keeps its notices.
    license: { fileName: 'licenses.md' },
  },
  // The host stays the browser's own: the server takes its cookie from the same origin only.
  server: { proxy: { '/api': SERVER, '/healthz': SERVER } },
});
