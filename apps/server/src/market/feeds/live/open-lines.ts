import { CATALOGUE } from '../../catalogue/catalogue.ts';
import { usableSources } from './live-products.ts';
import { programListing } from './program-listing.ts';
import type { SourcesFile } from './sources-file.ts';

/** Lines for the operator: which of the shipped products the rights to sources open and close. */
export function openLines(file: SourcesFile, mode: 'demo' | 'live'): string[] {
  const sourced = CATALOGUE.map((product) => ({
    symbol: product.symbol,
    listing: programListing(product),
  })).filter(({ listing }) => Object.keys(listing.sources).length > 0);
  const open = sourced.filter((product) => usableSources(product, file, mode).length > 0);
  const closed = sourced.length - open.length;
  const needs =
    mode === 'live'
      ? 'each needs two sources with mayPublish and maySettle in SOURCES_FILE, or its only one and a guard'
      : 'their sources need a key in SOURCES_FILE';
  const names = open.map(({ symbol }) => symbol).join(', ');
  return [
    `open with live prices: ${open.length} products${open.length > 0 ? ` (${names})` : ''}`,
    ...(closed > 0 ? [`closed: ${closed} products that have sources (${needs}), and all others`] : []),
  ];
}
