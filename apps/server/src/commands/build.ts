import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildApp } from '../pages/app/build-app.ts';

/** `npm run build`: builds ahead of time what a start would build into its data folder. */
const ROOT = join(dirname(fileURLToPath(import.meta.url)), '../../../..');
console.log(await buildApp(ROOT, null, (text) => console.log(text)));
