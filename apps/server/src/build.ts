import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildApp } from './app-shell/build-app.ts';

/** `npm run build`: what a start would build, ahead of it, where the running house may not write into its own folder. */
const ROOT = join(dirname(fileURLToPath(import.meta.url)), '../../..');
console.log(await buildApp(ROOT, (text) => console.log(text)));
