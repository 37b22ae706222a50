/** The same frame of another market: `base` instead of BTC. */
export const renamed = (frame: string, base: string): string =>
  base === 'BTC' ? frame : frame.replaceAll('BTC', base).replaceAll('btc', base.toLowerCase());
