import { readFile } from 'node:fs/promises';
import type { Plugin } from 'vite';

const VECTORS = new URL('../../docs/receipt-vectors.json', import.meta.url);
const ID = 'virtual:example-receipt';

interface Vectors {
  readonly keys: unknown;
  readonly receipts: Readonly<Record<string, { readonly receipt: unknown }>>;
}

/** The first receipt of the published vectors and its keys, as a module: the whole file is too large for a page. */
export function exampleReceipt(): Plugin {
  return {
    name: 'fairtick-example-receipt',
    resolveId: (id) => (id === ID ? `\0${ID}` : null),
    async load(id) {
      if (id !== `\0${ID}`) return null;
      const { keys, receipts } = JSON.parse(await readFile(VECTORS, 'utf8')) as Vectors;
      const [first] = Object.values(receipts);
      if (!first) throw new Error('docs/receipt-vectors.json has no receipt');
      return `export default ${JSON.stringify({ keys, receipt: first.receipt })}`;
    },
  };
}
