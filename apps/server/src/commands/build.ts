import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildApp } from '../pages/app/build-app.ts';

/** `npm run build`: builds ahead of time what a start would build, for servers that may not write into their own folder. */
const ROOT = join(dirname(fileURLToPath(import.meta.url)), '../../../..');
console.log(await buildApp(ROOT, (text) => console.log(text)));
