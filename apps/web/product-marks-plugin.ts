import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Plugin } from 'vite';
import { FLAGS } from './src/trade/market/marks.ts';

const DRAWN = new URL('src/trade/market/drawn-marks.svg', import.meta.url);
const ID = 'virtual:product-marks';
const { resolve } = createRequire(import.meta.url);

/** A flag as a symbol; the page clips it to a circle, so its own mask goes. */
function flagSymbol(id: string): string {
  const svg = readFileSync(resolve(`circle-flags/flags/${id}.svg`), 'utf8');
  const inner = /<g mask="url\(#a\)">(.*)<\/g><\/svg>/s.exec(svg)?.[1];
  if (inner === undefined) throw new Error(`the flag ${id} is not drawn as the others are`);
  return `<symbol id="${id}" viewBox="0 0 512 512">${inner}</symbol>`;
}

/** Builds one file of all marks of products, drawn ones and flags; the module exports its address. */
export function productMarks(): Plugin {
  const drawn = readFileSync(DRAWN, 'utf8').replaceAll(/\n\s*/g, '');
  const credit = '<!-- Flags: circle-flags, MIT License, Copyright (c) 2026 HatScripts -->';
  const file = drawn.replace('</svg>', `${credit}${FLAGS.map(flagSymbol).join('')}</svg>`);
  const fileName = `assets/marks-${createHash('sha256').update(file).digest('base64url').slice(0, 8)}.svg`;
  return {
    name: 'fairtick-product-marks',
    resolveId: (id) => (id === ID ? `\0${ID}` : null),
    load: (id) => (id === `\0${ID}` ? `export default '/${fileName}'` : null),
    generateBundle() {
      this.emitFile({ type: 'asset', fileName, source: file });
    },
  };
}
