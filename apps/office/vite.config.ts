import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { BROWSERS } from '../web/browsers.ts';
import { messages } from '../web/messages-plugin.ts';
import { olderStyles } from '../web/older-styles.ts';

/** The office is built by the same command as the app, and served from its own origin. */
export default defineConfig({
  plugins: [messages(), react()],
  json: { stringify: true },
  css: { modules: { generateScopedName: '[hash:base64:6]' }, postcss: { plugins: [olderStyles] } },
  build: { target: BROWSERS, assetsInlineLimit: 0, modulePreload: { polyfill: false } },
});
