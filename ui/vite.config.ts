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
    // A data: URL would need an exception in the server's content security policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // Most of it is React, the router and the query client, loaded once and cached.
    chunkSizeWarningLimit: 550,
    // Bundled third-party code keeps its license notices.
    license: { fileName: 'licenses.md' },
  },
  // The Host header stays as it is: the server accepts its cookie only from the same origin.
  server: { proxy: { '/api': SERVER, '/healthz': SERVER } },
});
