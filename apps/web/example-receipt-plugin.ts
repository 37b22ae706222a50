import { readFile } from 'node:fs/promises';
import type { Plugin } from 'vite';

const VECTORS = new URL('../../docs/receipt-vectors.json', import.meta.url);
const ID = 'virtual:example-receipt';
const NAME = 'won, a stake of round figures';

interface Vectors {
  readonly keys: unknown;
  readonly receipts: Readonly<Record<string, { readonly receipt: unknown }>>;
}

/** A receipt of the published vectors and its keys, as a module: the whole file is too large for a page. */
export function exampleReceipt(): Plugin {
  return {
    name: 'fairtick-example-receipt',
    resolveId: (id) => (id === ID ? `\0${ID}` : null),
    async load(id) {
      if (id !== `\0${ID}`) return null;
      const { keys, receipts } = JSON.parse(await readFile(VECTORS, 'utf8')) as Vectors;
      const shown = receipts[NAME];
      if (!shown) throw new Error(`docs/receipt-vectors.json has no receipt "${NAME}"`);
      return `export default ${JSON.stringify({ keys, receipt: shown.receipt })}`;
    },
  };
}
