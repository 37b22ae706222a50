import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { BROWSERS } from './browsers.ts';
import { exampleReceipt } from './example-receipt-plugin.ts';
import { messages } from './messages-plugin.ts';
import { olderStyles } from './older-styles.ts';
import { productMarks } from './product-marks-plugin.ts';

/** `vite build` builds the browser's app, `vite build --ssr src/prerender.tsx` the code that prerenders pages on the server. */
export default defineConfig(({ isSsrBuild }) => ({
  plugins: [messages(), exampleReceipt(), productMarks(), react()],
  publicDir: isSsrBuild ? false : 'public',
  json: { stringify: true },
  css: { modules: { generateScopedName: '[hash:base64:6]' }, postcss: { plugins: [olderStyles] } },
  build: {
    target: BROWSERS,
    manifest: !isSsrBuild,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: isSsrBuild
      ? {}
      : {
          output: {
            codeSplitting: {
              groups: [
                { name: 'react', test: /node_modules\/(react|react-dom|scheduler|wouter|zustand)\// },
                // Code shared by the first screens goes into one file, because each further file costs a round trip.
                {
                  name: 'core',
                  test: /apps\/web\/src\/(api\/(?!upload)|state|shell\/(?!use-form)|messages\/text|orders\/order-card|trade\/(market-list|stale-notice|log-pulse))|packages\/(?!proof\/|trading\/|protocol\/src\/picture|ui\/src\/(use-form|picture|search|code-text|receipt))|node_modules\/@lingui\/core/,
                  minShareCount: 2,
                },
              ],
            },
          },
        },
  },
  ssr: { noExternal: true },
}));
